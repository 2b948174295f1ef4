internal import AshlarCore
import Foundation

/// The index of an element, as a coding key.
struct JSONIndexKey: CodingKey {
    var intValue: Int?
    var stringValue: String { "Index \(intValue ?? 0)" }
    init(_ index: Int) { intValue = index }
    init?(intValue: Int) { self.intValue = intValue }
    init?(stringValue: String) { nil }
}

/// The key of a member, as a coding key.
struct JSONPlainKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(_ key: String) { stringValue = key }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

/// A decoder for one value of a document.
///
/// It needs no path, because the tape has it. It is two words long, so that passing it to a type's initializer costs no
/// allocation.
struct JSONDecoding: Decoder, SingleValueDecodingContainer {
    /// The shared state of the decoders of one call.
    final class Run: Sendable {
        let document: JSONDocument
        /// The position of the decoded value, at which coding paths start.
        let root: Int
        let dateFormat: JSONDateFormat

        init(document: JSONDocument, root: Int, dateFormat: JSONDateFormat) {
            (self.document, self.root, self.dateFormat) = (document, root, dateFormat)
        }
    }

    let run: Run
    let index: Int32

    @inline(__always)
    init(run: Run, index: Int32) { (self.run, self.index) = (run, index) }

    @inline(__always)
    init(run: Run, at position: Int) { self.init(run: run, index: Int32(truncatingIfNeeded: position)) }

    @inline(__always)
    var kind: JSONTape.Word { JSONTape.kind(run.document.word(at: Int(index))) }
    var entity: JSONEntity { JSONEntity(run.document, index) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    var codingPath: [any CodingKey] {
        var keys: [any CodingKey] = []
        run.document.walk(from: run.root, to: Int(index)) { step in
            switch step {
            case .key(let position): keys.append(JSONPlainKey(run.document.string(at: position)))
            case .index(let number): keys.append(JSONIndexKey(number))
            }
        }
        return keys
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard kind == JSONTape.object else { throw mismatch([String: Any].self, "an object") }
        return KeyedDecodingContainer(JSONKeyedContainer<Key>(decoding: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard kind == JSONTape.array else { throw mismatch([Any].self, "an array") }
        return JSONUnkeyedContainer(decoding: self)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    // MARK: Failures

    static func missing(_ type: Any.Type) -> DecodingError {
        .valueNotFound(type, .init(codingPath: [], debugDescription: "expected a value, found nothing"))
    }

    @inline(never)
    func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
        if kind == JSONTape.null {
            return .valueNotFound(
                type, .init(codingPath: codingPath, debugDescription: "expected \(expected), found null"))
        }
        return .typeMismatch(
            type, .init(codingPath: codingPath, debugDescription: "expected \(expected), found \(found)"))
    }

    private var found: String {
        switch kind {
        case JSONTape.integer, JSONTape.fraction: "the number \(entity.numberText()?.prefix(40) ?? "")"
        case JSONTape.trueValue, JSONTape.falseValue: entity.text()
        default: entity.kindName
        }
    }

    private func corrupted(_ type: Any.Type) -> DecodingError {
        .dataCorrupted(.init(codingPath: codingPath, debugDescription: "expected \(type), found \(found)"))
    }

    // MARK: Values

    func decodeNil() -> Bool { kind == JSONTape.null }

    func decode(_: Bool.Type) throws -> Bool {
        switch kind {
        case JSONTape.trueValue: return true
        case JSONTape.falseValue: return false
        default: throw mismatch(Bool.self, "true or false")
        }
    }

    @inline(__always)
    func decode(_: String.Type) throws -> String {
        guard kind == JSONTape.string || kind == JSONTape.escapedString else { throw mismatch(String.self, "a string") }
        return run.document.string(at: Int(index))
    }

    func decode(_: Double.Type) throws -> Double {
        guard let value = try number(Double.self).double else { throw corrupted(Double.self) }
        return value
    }

    func decode(_: Float.Type) throws -> Float {
        guard let value = try number(Float.self).float else { throw corrupted(Float.self) }
        return value
    }

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
    private func number(_ type: Any.Type) throws -> JSONNumber {
        guard kind == JSONTape.integer || kind == JSONTape.fraction else { throw mismatch(type, "a number") }
        return run.document.number(at: Int(index))
    }

    @inline(__always)
    private func integer<I: FixedWidthInteger>(_ type: I.Type) throws -> I {
        guard let value = try number(type).integer(type) else { throw corrupted(type) }
        return value
    }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        // Arrays of plain values are often most of a document. They are read without the container that `Array` uses.
        if T.self == [String].self { return try take(list { try $0.decode(String.self) }, "an array") }
        if T.self == [Int].self { return try take(list { try $0.decode(Int.self) }, "an array") }
        if T.self == [Double].self { return try take(list { try $0.decode(Double.self) }, "an array") }
        // The JSON of these types differs from what their own initializers decode.
        if T.self == Date.self { return try take(entity.date(run.dateFormat), "a date (\(run.dateFormat))") }
        if T.self == URL.self { return try take(entity.url(), "a URL in a string") }
        if T.self == Data.self {
            return try take(entity.string().flatMap { Base64.decode($0.utf8) }.map { Data($0) }, "Base64")
        }
        if T.self == Decimal.self { return try take(entity.numberText().flatMap { Decimal(string: $0) }, "a number") }
        if T.self == JSONEntity.self { return try take(entity, "a value") }
        return try T(from: self)
    }

    private func take<T>(_ value: some Any, _ expected: @autoclosure () -> String) throws -> T {
        guard let value = value as? T else { throw mismatch(T.self, expected()) }
        return value
    }

    @inline(__always)
    private func list<Element>(_ read: (JSONDecoding) throws -> Element) throws -> [Element] {
        guard kind == JSONTape.array else { throw mismatch([Any].self, "an array") }
        let document = run.document
        let end = document.next(after: Int(index))
        var elements: [Element] = []
        // The array spans as many words; a plain value takes one.
        elements.reserveCapacity(end - Int(index) - 1)
        var position = Int(index) + 1
        while position < end {
            elements.append(try read(JSONDecoding(run: run, at: position)))
            position = document.next(after: position)
        }
        return elements
    }
}

/// The members of an object, read by key.
private struct JSONKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
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

/// The elements of an array in order; three words long, so that it needs no box.
private struct JSONUnkeyedContainer: UnkeyedDecodingContainer {
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
