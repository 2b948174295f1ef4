internal import AshlarTrees

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Encoders that distinguish dates and data, such as those of property lists, preserve the type of every value. JSON
// doesn't: its decoders return numbers and strings for dates and data. Encoders write a real without a fraction as an
// integer, so such a real is encoded as {"$real": "2.0"}. A dictionary with only the key "$real" gets the key "$$real",
// and so on.
extension ConfigValue: Codable {
    /// Decodes a value of any type.
    ///
    /// - Throws: `DecodingError` if a configuration can't contain the value, or if it is nested more than 100 levels deep.
    public init(from decoder: any Decoder) throws { self = try Self.value(of: decoder, depth: 0) }

    private static func value(of decoder: any Decoder, depth: Int) throws -> ConfigValue {
        if let entries = try? decoder.container(keyedBy: EntryKey.self) {
            if entries.allKeys.map(\.stringValue) == [EntryKey.real.stringValue],
                let number = (try? entries.decode(String.self, forKey: .real)).flatMap({ Double($0) })
            {
                return .real(number)
            }
            return .dictionary(try self.entries(entries, depth: try deeper(depth, decoder)))
        }
        guard var elements = try? decoder.unkeyedContainer() else { return try scalar(decoder.singleValueContainer()) }
        let inner = try deeper(depth, decoder)
        var values: [ConfigValue] = []
        while !elements.isAtEnd { values.append(try value(of: elements.superDecoder(), depth: inner)) }
        return .array(values)
    }

    /// Returns the next depth, unless it is too deep: the text can be a stranger's, and each level needs stack.
    private static func deeper(_ depth: Int, _ decoder: any Decoder) throws -> Int {
        if depth < PlacedValue.deepest { return depth + 1 }
        throw DecodingError.dataCorrupted(
            .init(
                codingPath: Array(decoder.codingPath.prefix(8)),
                debugDescription: "more than \(PlacedValue.deepest) nested dictionaries and arrays"))
    }

    private static func entries(
        _ container: KeyedDecodingContainer<EntryKey>, depth: Int
    ) throws -> [String: ConfigValue] {
        var entries: [String: ConfigValue] = [:]
        for key in container.allKeys {
            entries[key.stringValue] = try value(of: container.superDecoder(forKey: key), depth: depth)
        }
        if let (key, value) = entries.first, entries.count == 1, EntryKey.isEscaped(key) {
            return [String(key.dropFirst()): value]
        }
        return entries
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

    /// Encodes the value; a real without a fraction becomes a dictionary with the key `$real`.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .dictionary(let entries):
            var container = encoder.container(keyedBy: EntryKey.self)
            for (key, value) in entries {
                let isAmbiguous = entries.count == 1 && EntryKey.isEscaped("$" + key)
                try container.encode(value, forKey: EntryKey(stringValue: isAmbiguous ? "$" + key : key))
            }
        case .real(let number) where number == number.rounded() || !number.isFinite:
            var container = encoder.container(keyedBy: EntryKey.self)
            try container.encode("\(number)", forKey: .real)
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

        /// The key of a real that encoders write without a fraction, or can't write.
        static let real = EntryKey(stringValue: "$real")

        /// Whether a key is `$real` with more dollar signs.
        static func isEscaped(_ key: String) -> Bool {
            key.hasPrefix("$$") && key.drop { $0 == "$" } == "real"
        }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
