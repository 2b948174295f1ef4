internal import AshlarCore

/// A container for the members of an object.
struct JSONKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoding: JSONDecoding

    var codingPath: [any CodingKey] { decoding.codingPath }
    var allKeys: [Key] {
        var seen: Set<String> = []
        return decoding.entity.keys.filter { seen.insert($0).inserted }.compactMap(Key.init(stringValue:))
    }

    @inline(__always)
    private func find(_ key: Key) -> JSONDecoding? {
        decoding.run.document.find(key.stringValue, in: Int(decoding.index)).map {
            JSONDecoding(run: decoding.run, at: $0 + 1)
        }
    }

    @inline(__always)
    private func value(_ key: Key) throws -> JSONDecoding {
        guard let value = find(key) else {
            throw DecodingError.keyNotFound(
                key, .init(codingPath: codingPath, debugDescription: "no value under '\(key.stringValue)'"))
        }
        return value
    }

    /// Returns the value for a key, or nil if it is missing or null.
    @inline(__always)
    private func present(_ key: Key) -> JSONDecoding? { find(key).flatMap { $0.decodeNil() ? nil : $0 } }

    func contains(_ key: Key) -> Bool { find(key) != nil }
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
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try present(key)?.decode(type) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try present(key)?.decode(type) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try present(key)?.decode(type) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try present(key)?.decode(type) }
    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? { try present(key)?.decode(type) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try value(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try value(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        guard let position = decoding.run.document.find("super", in: Int(decoding.index)) else {
            throw DecodingError.keyNotFound(
                JSONPlainKey("super"), .init(codingPath: codingPath, debugDescription: "no value under 'super'"))
        }
        return JSONDecoding(run: decoding.run, at: position + 1)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder { try value(key) }
}

/// A container for the elements of an array; three words long, so that it needs no box.
struct JSONUnkeyedContainer: UnkeyedDecodingContainer {
    private let run: JSONDecoding.Run
    private let array: Int32
    private var position: Int32
    private(set) var number: Int32 = 0

    init(decoding: JSONDecoding) {
        (run, array, position) = (decoding.run, decoding.index, decoding.index + 1)
    }

    var codingPath: [any CodingKey] { JSONDecoding(run: run, index: array).codingPath }
    var currentIndex: Int { Int(number) }
    var count: Int? { run.document.count(of: Int(array)) }
    var isAtEnd: Bool { Int(position) >= run.document.next(after: Int(array)) }

    /// Reads the next element and advances only if that succeeds, as the protocol requires.
    @inline(__always)
    private mutating func take<R>(_ read: (JSONDecoding) throws -> R) throws -> R {
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                R.self,
                .init(
                    codingPath: codingPath + [JSONIndexKey(currentIndex)],
                    debugDescription: "expected an element, found the end of the array"))
        }
        let value = try read(JSONDecoding(run: run, index: position))
        position = Int32(truncatingIfNeeded: run.document.next(after: Int(position)))
        number += 1
        return value
    }

    mutating func decodeNil() throws -> Bool {
        let isNull = isAtEnd || JSONDecoding(run: run, index: position).decodeNil()
        return isNull ? try take { $0.decodeNil() } : false
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
