internal import AshlarCore
public import Foundation

/// Values created in code; each is the root of its own document.
///
/// None of these initializers traps: a value deeper than ``JSONLimits/deepest`` or longer than ``JSONLimits/largest``
/// ``isImpossible``, and so is every value created from it.
extension JSONEntity {
    /// Creates a value with a key, like SquidKit's initializer.
    ///
    /// - Complexity: O(*n*) in the length of the value's text.
    public init(_ key: String, _ value: JSONEntity) {
        if value.isImpossible { self = .impossible } else { self.init(trusted: value.bytes(), key: key) }
    }

    /// Creates a string.
    public init(_ value: String) {
        var bytes: [UInt8] = []
        JSONText.append(quoted: value, to: &bytes)
        self.init(trusted: bytes)
    }

    /// Creates an integer of any width.
    public init(_ value: some BinaryInteger) { self.init(trusted: Array(String(value).utf8)) }

    /// Creates a Boolean.
    public init(_ value: Bool) { self.init(trusted: Array((value ? "true" : "false").utf8)) }

    /// Creates a number with the fewest digits that identify the double.
    ///
    /// - Throws: `.encodingFailed` for infinities and NaN, which JSON can't represent.
    public init(_ value: Double) throws(NetworkError) {
        guard value.isFinite else { throw NetworkError(.encodingFailed, "JSON can't represent \(value)") }
        self.init(trusted: Array("\(value)".utf8))
    }

    /// The value `null`.
    ///
    /// There is no `nil` literal for it, so that `flag ? value : nil` is an optional and `["key": nil]` doesn't
    /// silently become a `null`.
    public static let null = JSONEntity(trusted: Array("null".utf8))

    /// Creates an array; missing elements become `null`, and an impossible one makes the array impossible.
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

    /// Creates an object with its members in order.
    ///
    /// Missing values are omitted, and an impossible one makes the object impossible.
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

    /// Creates an object with its members sorted by key; missing values are omitted.
    public init(object members: [String: JSONEntity]) {
        self.init(object: members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }

    /// Creates the JSON of an encodable value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - encoder: The encoder.
    /// - Throws: `.encodingFailed` with the underlying error.
    public init(encoding value: some Encodable, with encoder: JSONEncoder = .init()) throws(NetworkError) {
        let data: Data
        do {
            data = try encoder.encode(value)
        } catch {
            throw NetworkError(.encodingFailed, "\(type(of: value)) can't be encoded as JSON", underlying: error)
        }
        try self.init(parsing: data)
    }

    /// Creates an object from Foundation objects, like SquidKit's initializer of the same name.
    ///
    /// - Throws: `.encodingFailed` for values other than strings, numbers, Booleans, `NSNull`, arrays and dictionaries.
    public init(jsonDictionary dictionary: [String: Any]) throws(NetworkError) {
        guard JSONSerialization.isValidJSONObject(dictionary) else {
            throw NetworkError(.encodingFailed, "the dictionary contains values that JSON can't represent")
        }
        let data: Data
        do {
            data = try JSONSerialization.data(withJSONObject: dictionary, options: [.sortedKeys])
        } catch {
            throw NetworkError(.encodingFailed, "the dictionary can't be encoded as JSON", underlying: error)
        }
        try self.init(parsing: data)
    }

    /// Returns the value without `null` members and elements at any depth; a `null` itself becomes missing.
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
    /// Creates a string.
    public init(stringLiteral value: String) { self.init(value) }
    /// Creates an integer.
    public init(integerLiteral value: Int) { self.init(value) }
    /// Creates a number; one that isn't finite ``isImpossible``.
    public init(floatLiteral value: Double) {
        if value.isFinite { self.init(trusted: Array("\(value)".utf8)) } else { self = .impossible }
    }
    /// Creates a Boolean.
    public init(booleanLiteral value: Bool) { self.init(value) }
    /// Creates an array.
    public init(arrayLiteral elements: JSONEntity...) { self.init(array: elements) }
    /// Creates an object with its members in the order of the literal.
    public init(dictionaryLiteral elements: (String, JSONEntity)...) { self.init(object: elements) }
}

extension RequestBody {
    /// Returns a JSON value as written, with all digits of numbers and members in order.
    ///
    /// For a missing or impossible value, sending the request throws `.encodingFailed`.
    public static func json(_ value: JSONEntity, contentType: String = "application/json") -> RequestBody {
        guard value.isValid else {
            return .failed(NetworkError(.encodingFailed, "expected a JSON value, found \(value)", phase: .prepare))
        }
        return .bytes(value.bytes(), contentType: contentType)
    }
}
