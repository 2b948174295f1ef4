import Foundation

extension JSONEntity {
    /// Decodes a value of any decodable type, straight from the document.
    ///
    /// Behaves as `JSONDecoder` does, but for the dates: integers must be exact and fit, strings are not converted,
    /// `null` and missing members are nil for optionals, `Data` is Base64, `URL` a string.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - dates: How dates are written; nothing is guessed.
    /// - Returns: The decoded value.
    /// - Throws: `.decodingFailed` with the JSON `path`, `line` and `column` of the place and the `DecodingError`
    ///   underneath. What the type's own initializer throws is underneath as well.
    public func decode<T: Decodable>(_ type: T.Type, dates: JSONDateFormat = .rfc3339) throws(NetworkError) -> T {
        do {
            return try JSONDecoding(self, dates: dates).decode(type)
        } catch {
            throw decodingFailure(error, type)
        }
    }

    private func decodingFailure(_ underlying: any Error, _ type: Any.Type) -> NetworkError {
        var (message, place) = ("\(type) cannot be decoded: \(underlying)", self)
        var steps: [any CodingKey] = []
        switch underlying as? DecodingError {
        case .typeMismatch(_, let context), .dataCorrupted(let context):
            (message, steps) = (context.debugDescription, context.codingPath)
        case .valueNotFound(let wanted, let context):
            (message, steps) = ("expected \(wanted), found null", context.codingPath)
        case .keyNotFound(let key, let context):
            (message, steps) = ("expected the key '\(key.stringValue)', found none", context.codingPath + [key])
        default: break
        }
        for step in steps { place = step.intValue.map { place[$0] } ?? place[step.stringValue] }
        var error = NetworkError(.decodingFailed, message, phase: .decode, underlying: underlying)
        error.path = place.path
        if let position = place.position {
            (error.offset, error.line, error.column) = (position.offset, position.line, position.column)
        }
        return error
    }
}

/// An element's place in an array, as a key.
private struct JSONIndexKey: CodingKey {
    var intValue: Int?
    var stringValue: String { "Index \(intValue ?? 0)" }
    init(_ index: Int) { intValue = index }
    init?(intValue: Int) { self.intValue = intValue }
    init?(stringValue: String) { nil }
}

/// A member's key that no type has declared.
private struct JSONPlainKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(_ key: String) { stringValue = key }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

/// A decoder that stands at one value of a document.
///
/// It holds no path: the tape knows it.
private struct JSONDecoding: Decoder, SingleValueDecodingContainer {
    let entity: JSONEntity
    /// Where the decode began; coding paths start there.
    let root: Int32
    let dates: JSONDateFormat

    init(_ entity: JSONEntity, dates: JSONDateFormat) {
        (self.entity, root, self.dates) = (entity, entity.index, dates)
    }

    init(_ entity: JSONEntity, from other: JSONDecoding) {
        (self.entity, root, dates) = (entity, other.root, other.dates)
    }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    var codingPath: [any CodingKey] {
        var keys: [any CodingKey] = []
        let (document, target) = (entity.document, Int(entity.index))
        var current = Int(root)
        while current < target {
            let isObject = JSONTape.kind(document.tape[current]) == JSONTape.object
            var (position, number) = (current + 2, 0)
            while true {
                let value = isObject ? position + 1 : position
                let following = document.next(after: value)
                if target < following {
                    keys.append(isObject ? JSONPlainKey(document.string(at: position)) : JSONIndexKey(number))
                    current = value
                    break
                }
                (position, number) = (following, number + 1)
            }
        }
        return keys
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard entity.isObject else { throw mismatch([String: Any].self, "an object") }
        return KeyedDecodingContainer(JSONKeyedContainer<Key>(decoding: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard entity.isArray else { throw mismatch([Any].self, "an array") }
        return JSONUnkeyedContainer(decoding: self)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    // MARK: Failures

    @inline(never)
    func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
        guard entity.isValid, !entity.isNull else {
            return .valueNotFound(
                type, .init(codingPath: codingPath, debugDescription: "expected \(expected), found null"))
        }
        return .typeMismatch(
            type, .init(codingPath: codingPath, debugDescription: "expected \(expected), found \(found)"))
    }

    private var found: String {
        switch entity.kind {
        case JSONTape.array: "an array"
        case JSONTape.object: "an object"
        case JSONTape.integer, JSONTape.fraction: "the number \(entity.numberText()?.prefix(40) ?? "")"
        case JSONTape.trueValue, JSONTape.falseValue: entity.text()
        default: "a string"
        }
    }

    // MARK: Values

    func decodeNil() -> Bool { entity.isNull || !entity.isValid }

    func decode(_: Bool.Type) throws -> Bool {
        switch entity.kind {
        case JSONTape.trueValue: return true
        case JSONTape.falseValue: return false
        default: throw mismatch(Bool.self, "true or false")
        }
    }

    func decode(_: String.Type) throws -> String {
        guard let value = entity.string() else { throw mismatch(String.self, "a string") }
        return value
    }

    func decode(_: Double.Type) throws -> Double { try floating { $0.double } }
    func decode(_: Float.Type) throws -> Float { try floating { $0.float } }
    func decode(_ type: Int.Type) throws -> Int { try integer(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
    func decode(_ type: Int128.Type) throws -> Int128 { try integer(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try integer(type) }

    @inline(__always)
    private func integer<I: FixedWidthInteger>(_ type: I.Type) throws -> I {
        guard entity.kind == JSONTape.integer || entity.kind == JSONTape.fraction else {
            throw mismatch(type, "an integer")
        }
        guard let value = JSONNumber(text: entity.document.bytes(at: Int(entity.index))).integer(type) else {
            throw corrupted("expected \(type), found the number \(entity.numberText()?.prefix(40) ?? "")")
        }
        return value
    }

    private func floating<F: BinaryFloatingPoint>(_ read: (JSONNumber) -> F?) throws -> F {
        guard entity.kind == JSONTape.integer || entity.kind == JSONTape.fraction else {
            throw mismatch(F.self, "a number")
        }
        guard let value = read(JSONNumber(text: entity.document.bytes(at: Int(entity.index)))) else {
            throw corrupted("expected \(F.self), found the number \(entity.numberText()?.prefix(40) ?? "")")
        }
        return value
    }

    private func corrupted(_ message: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: codingPath, debugDescription: message))
    }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        if type == Date.self { return try special(entity.date(dates), type, "a date (\(dates))") }
        if type == URL.self { return try special(entity.url(), type, "a URL in a string") }
        if type == Data.self {
            return try special(entity.string().flatMap { Data(base64Encoded: $0) }, type, "bytes in Base64")
        }
        if type == Decimal.self {
            return try special(entity.numberText().flatMap { Decimal(string: $0) }, type, "a number")
        }
        if type == JSONEntity.self { return try special(entity, type, "a value") }
        return try T(from: self)
    }

    private func special<V, T>(_ value: V?, _ type: T.Type, _ expected: String) throws -> T {
        guard let value = value as? T else { throw mismatch(type, expected) }
        return value
    }
}

private struct JSONKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoding: JSONDecoding

    var codingPath: [any CodingKey] { decoding.codingPath }
    var allKeys: [Key] {
        var seen: Set<String> = []
        return decoding.entity.keys.filter { seen.insert($0).inserted }.compactMap(Key.init(stringValue:))
    }

    @inline(__always)
    private func value(_ key: Key) throws -> JSONDecoding {
        let value = decoding.entity[key.stringValue]
        guard value.isValid else {
            throw DecodingError.keyNotFound(
                key, .init(codingPath: codingPath, debugDescription: "no value under '\(key.stringValue)'"))
        }
        return JSONDecoding(value, from: decoding)
    }

    func contains(_ key: Key) -> Bool { decoding.entity[key.stringValue].isValid }
    func decodeNil(forKey key: Key) throws -> Bool { try value(key).decodeNil() }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try value(key).decode(type) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try value(key).decode(type) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try value(key).decode(type) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try value(key).decode(type) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try value(key).decode(type) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try value(key).decode(type) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try value(key).decode(type) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try value(key).decode(type) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try value(key).decode(type) }
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try value(key).decode(type) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try value(key).decode(type) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try value(key).decode(type) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try value(key).decode(type) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try value(key).decode(type) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try value(key).decode(type) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try value(key).decode(type) }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try value(key).decode(type) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try value(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try value(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { JSONDecoding(decoding.entity["super"], from: decoding) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try value(key) }
}

private struct JSONUnkeyedContainer: UnkeyedDecodingContainer {
    private let decoding: JSONDecoding
    private var elements: JSONEntity.Iterator
    private var ahead: JSONEntity?
    private(set) var currentIndex = 0

    init(decoding: JSONDecoding) {
        self.decoding = decoding
        elements = decoding.entity.makeIterator()
        ahead = elements.next()
    }

    var codingPath: [any CodingKey] { decoding.codingPath }
    var count: Int? { decoding.entity.count }
    var isAtEnd: Bool { ahead == nil }

    /// Reads the element ahead and moves on only if that succeeds, as the protocol asks for.
    @inline(__always)
    private mutating func take<R>(_ read: (JSONDecoding) throws -> R) throws -> R {
        guard let element = ahead else {
            throw DecodingError.valueNotFound(
                R.self,
                .init(
                    codingPath: codingPath + [JSONIndexKey(currentIndex)],
                    debugDescription: "expected an element, found the end of the array"))
        }
        let value = try read(JSONDecoding(element, from: decoding))
        ahead = elements.next()
        currentIndex += 1
        return value
    }

    mutating func decodeNil() throws -> Bool {
        guard let element = ahead else { return try take { $0.decodeNil() } }
        return element.isNull ? try take { _ in true } : false
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try take { try $0.decode(type) } }
    mutating func decode(_ type: String.Type) throws -> String { try take { try $0.decode(type) } }
    mutating func decode(_ type: Double.Type) throws -> Double { try take { try $0.decode(type) } }
    mutating func decode(_ type: Float.Type) throws -> Float { try take { try $0.decode(type) } }
    mutating func decode(_ type: Int.Type) throws -> Int { try take { try $0.decode(type) } }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try take { try $0.decode(type) } }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try take { try $0.decode(type) } }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try take { try $0.decode(type) } }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try take { try $0.decode(type) } }
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try take { try $0.decode(type) } }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try take { try $0.decode(type) } }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try take { try $0.decode(type) } }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try take { try $0.decode(type) } }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try take { try $0.decode(type) } }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try take { try $0.decode(type) } }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try take { try $0.decode(type) } }
    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try take { try $0.decode(type) } }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try take { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try take { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try take { $0 } }
}

extension JSONEntity: Codable {
    /// Takes the value as it stands in another document, or rebuilds it from another decoder.
    ///
    /// - Throws: What the decoder throws.
    public init(from decoder: any Decoder) throws {
        if let decoding = decoder as? JSONDecoding {
            self = decoding.entity
            return
        }
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self.init(value)
        } else if let value = try? container.decode(Int.self) {
            self.init(value)
        } else if let value = try? container.decode(Double.self) {
            try self.init(value)
        } else if let value = try? container.decode(String.self) {
            self.init(value)
        } else if let value = try? container.decode([JSONEntity].self) {
            self.init(array: value)
        } else {
            self.init(object: try container.decode([String: JSONEntity].self))
        }
    }

    /// Encodes the value; a missing one as `null`.
    ///
    /// Numbers that are no `Int` are handed to the encoder as `Double`.
    ///
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch kind {
        case _ where !isValid: try container.encodeNil()
        case JSONTape.trueValue, JSONTape.falseValue: try container.encode(kind == JSONTape.trueValue)
        case JSONTape.integer, JSONTape.fraction:
            if let value = int() { try container.encode(value) } else { try container.encode(double()) }
        case JSONTape.array: try container.encode(Array(self))
        case JSONTape.object: try container.encode(object() ?? [:])
        case JSONTape.null: try container.encodeNil()
        default: try container.encode(string() ?? "")
        }
    }
}
