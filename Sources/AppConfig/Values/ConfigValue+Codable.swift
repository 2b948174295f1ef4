#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Encoders that distinguish dates and data, such as those of property lists, preserve the type of every value. JSON
// doesn't: its decoders return numbers and strings for dates and data, and an integer for a real without a fraction.
extension ConfigValue: Codable {
    /// Decodes a value of any type.
    ///
    /// - Throws: `DecodingError` if a configuration can't contain the value.
    public init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: EntryKey.self) {
            var entries: [String: ConfigValue] = [:]
            for key in container.allKeys {
                entries[key.stringValue] = try container.decode(ConfigValue.self, forKey: key)
            }
            self = .dictionary(entries)
        } else if var elements = try? decoder.unkeyedContainer() {
            var values: [ConfigValue] = []
            while !elements.isAtEnd { values.append(try elements.decode(ConfigValue.self)) }
            self = .array(values)
        } else {
            self = try Self.scalar(decoder.singleValueContainer())
        }
    }

    private static func scalar(_ container: any SingleValueDecodingContainer) throws -> ConfigValue {
        if container.decodeNil() { return .null }
        if let value = try? container.decode(Bool.self) { return .boolean(value) }
        if let value = try? container.decode(Int64.self) { return .integer(value) }
        if let value = try? container.decode(UInt64.self) { return .unsigned(value) }
        if let value = try? container.decode(Double.self) { return .real(value) }
        if let value = try? container.decode(String.self) { return .string(value) }
        // Tried after numbers and strings, which JSON decoders accept as dates and data.
        if let value = try? container.decode(Date.self) { return .date(value) }
        if let value = try? container.decode(Data.self) { return .data(value) }
        throw DecodingError.dataCorruptedError(
            in: container, debugDescription: "not a value that a configuration can hold")
    }

    /// Encodes the value.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
            return
        case .dictionary(let entries):
            var container = encoder.container(keyedBy: EntryKey.self)
            for (key, value) in entries { try container.encode(value, forKey: EntryKey(stringValue: key)) }
            return
        default: break
        }
        var container = encoder.singleValueContainer()
        switch self {
        case .null, .array, .dictionary: try container.encodeNil()
        case .boolean(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .unsigned(let value): try container.encode(value)
        case .real(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .date(let value): try container.encode(value)
        case .data(let value): try container.encode(value)
        }
    }

    private struct EntryKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
