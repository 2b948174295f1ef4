#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// In formats that have dates and data of their own, such as property lists, every kind of value comes back as it went.
// JSON has neither: its decoders give numbers and texts for them.
extension ConfigValue: Codable {
    /// Reads a value of whatever kind the decoder has next.
    ///
    /// - Throws: `DecodingError` if it is of none that a configuration can hold.
    public init(from decoder: any Decoder) throws {
        if let entries = try? decoder.container(keyedBy: EntryKey.self) {
            self = .dictionary(try Self.entries(entries))
        } else if var elements = try? decoder.unkeyedContainer() {
            var values: [ConfigValue] = []
            while !elements.isAtEnd { values.append(try elements.decode(ConfigValue.self)) }
            self = .array(values)
        } else {
            self = try Self.scalar(decoder.singleValueContainer())
        }
    }

    private static func entries(_ container: KeyedDecodingContainer<EntryKey>) throws -> [String: ConfigValue] {
        var entries: [String: ConfigValue] = [:]
        for key in container.allKeys { entries[key.stringValue] = try container.decode(ConfigValue.self, forKey: key) }
        return entries
    }

    private static func scalar(_ container: any SingleValueDecodingContainer) throws -> ConfigValue {
        if container.decodeNil() { return .null }
        if let value = try? container.decode(Bool.self) { return .boolean(value) }
        if let value = try? container.decode(Int64.self) { return .integer(value) }
        if let value = try? container.decode(UInt64.self) { return .unsigned(value) }
        if let value = try? container.decode(Double.self) { return .real(value) }
        if let value = try? container.decode(String.self) { return .string(value) }
        // Behind numbers and texts, which JSON's decoders would take for these.
        if let value = try? container.decode(Date.self) { return .date(value) }
        if let value = try? container.decode(Data.self) { return .data(value) }
        throw DecodingError.dataCorruptedError(
            in: container, debugDescription: "no kind of value that a configuration can hold")
    }

    /// Writes the value as what it is; dates and data as the encoder has it.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .dictionary(let entries):
            var container = encoder.container(keyedBy: EntryKey.self)
            for (key, value) in entries { try container.encode(value, forKey: EntryKey(stringValue: key)) }
        default:
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
    }

    private struct EntryKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
