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
/// It stores no path, because the path can be found on the tape. It is two words long, so that passing it to a type's
/// initializer causes no allocation.
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
