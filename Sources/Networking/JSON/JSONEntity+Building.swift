internal import AshlarCore
public import Foundation

/// Values made in code; each is the root of a document of its own.
///
/// None of them traps: what would be deeper than ``JSONLimits/deepest`` or longer than ``JSONLimits/largest`` is
/// ``isImpossible``, as is whatever is made of it.
extension JSONEntity {
    /// A key and a value, as SquidKit's initializer of the same shape.
    ///
    /// - Complexity: O(*n*) in the length of the value's text.
    public init(_ key: String, _ value: JSONEntity) {
        if value.isImpossible { self = .impossible } else { self.init(trusted: value.bytes(), key: key) }
    }

    /// A string.
    public init(_ value: String) {
        var bytes: [UInt8] = []
        JSONText.append(quoted: value, to: &bytes)
        self.init(trusted: bytes)
    }

    /// An integer of any width.
    public init(_ value: some BinaryInteger) { self.init(trusted: Array(String(value).utf8)) }

    /// A Boolean.
    public init(_ value: Bool) { self.init(trusted: Array((value ? "true" : "false").utf8)) }

    /// A double, in the fewest digits that give it back.
    ///
    /// - Throws: `.encodingFailed` for infinities and NaN, which JSON cannot hold.
    public init(_ value: Double) throws(NetworkError) {
        guard value.isFinite else { throw NetworkError(.encodingFailed, "JSON has no number for \(value)") }
        self.init(trusted: Array("\(value)".utf8))
    }

    /// The `null`.
    ///
    /// There is no `nil` literal for it, so that `wanted ? value : nil` is an optional and `["key": nil]` does not
    /// quietly become a `null`.
    public static let null = JSONEntity(trusted: Array("null".utf8))

    /// An array; missing elements become `null`, and one that ``isImpossible`` makes all of it so.
    ///
    /// - Complexity: O(*n*) in the length of the text.
    public init(array elements: some Sequence<JSONEntity>) {
        var bytes: [UInt8] = [0x5B]
        for element in elements {
            if element.isImpossible {
                self = .impossible
                return
            }
            if bytes.count > 1 { bytes.append(0x2C) }
            element.write(to: &bytes)
        }
        bytes.append(0x5D)
        self.init(trusted: bytes)
    }

    /// An object with its members in the given order.
    ///
    /// Missing values are left out, and one that ``isImpossible`` makes all of it so.
    ///
    /// - Complexity: O(*n*) in the length of the text.
    public init(object members: [(String, JSONEntity)]) {
        if members.contains(where: \.1.isImpossible) {
            self = .impossible
            return
        }
        var bytes: [UInt8] = [0x7B]
        for (key, value) in members where value.isValid {
            if bytes.count > 1 { bytes.append(0x2C) }
            JSONText.append(quoted: key, to: &bytes)
            bytes.append(0x3A)
            value.write(to: &bytes)
        }
        bytes.append(0x7D)
        self.init(trusted: bytes)
    }

    /// An object with its members sorted by key; missing values are left out.
    public init(object members: [String: JSONEntity]) {
        self.init(object: members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }

    /// What an encodable value looks like as JSON.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - encoder: How to encode it.
    /// - Throws: `.encodingFailed` with the error underneath.
    public init(encoding value: some Encodable, with encoder: JSONEncoder = .init()) throws(NetworkError) {
        let data: Data
        do {
            data = try encoder.encode(value)
        } catch {
            throw NetworkError(.encodingFailed, "\(type(of: value)) cannot be encoded as JSON", underlying: error)
        }
        try self.init(parsing: data)
    }

    /// A dictionary of Foundation objects, as SquidKit's initializer of the same name.
    ///
    /// - Throws: `.encodingFailed` if it holds anything but strings, numbers, Booleans, `NSNull`, arrays and dictionaries.
    public init(jsonDictionary dictionary: [String: Any]) throws(NetworkError) {
        guard JSONSerialization.isValidJSONObject(dictionary) else {
            throw NetworkError(.encodingFailed, "the dictionary holds values that JSON has no form for")
        }
        let data: Data
        do {
            data = try JSONSerialization.data(withJSONObject: dictionary, options: [.sortedKeys])
        } catch {
            throw NetworkError(.encodingFailed, "the dictionary cannot be written as JSON", underlying: error)
        }
        try self.init(parsing: data)
    }

    /// The same value without the `null` members and elements, at any depth; a `null` itself is missing.
    ///
    /// - Complexity: O(*n*) in the length of the text.
    public func withoutNulls() -> JSONEntity {
        if isNull { return .missing }
        guard isContainer else { return self }
        var bytes: [UInt8] = []
        write(to: &bytes, keepsNulls: false)
        return JSONEntity(trusted: bytes, key: key.isEmpty ? nil : key).coercing(rule)
    }
}

extension JSONEntity: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// A string.
    public init(stringLiteral value: String) { self.init(value) }
    /// An integer.
    public init(integerLiteral value: Int) { self.init(value) }
    /// A double; one that is not finite ``isImpossible``.
    public init(floatLiteral value: Double) {
        if value.isFinite { self.init(trusted: Array("\(value)".utf8)) } else { self = .impossible }
    }
    /// A Boolean.
    public init(booleanLiteral value: Bool) { self.init(value) }
    /// An array.
    public init(arrayLiteral elements: JSONEntity...) { self.init(array: elements) }
    /// An object with its members in the order of the literal.
    public init(dictionaryLiteral elements: (String, JSONEntity)...) { self.init(object: elements) }
}

extension RequestBody {
    /// A JSON value, written as it is: numbers to their last digit and members in their order.
    ///
    /// A value that is missing or ``JSONEntity/isImpossible`` makes the request fail with `.encodingFailed` when it is
    /// sent.
    public static func json(_ value: JSONEntity, contentType: String = "application/json") -> RequestBody {
        guard value.isValid else {
            return .failed(NetworkError(.encodingFailed, "expected a JSON value, found \(value)", phase: .prepare))
        }
        return .bytes(value.bytes(), contentType: contentType)
    }
}
