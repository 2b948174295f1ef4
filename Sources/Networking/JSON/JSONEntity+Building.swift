internal import AshlarCore
internal import AshlarTrees
import Foundation

/// Values created in code; each is the root of its own document.
///
/// None of these initializers traps: a value deeper than 1,024 containers or longer than 256 MiB is impossible, like every
/// value created from it: it isn't valid, and sending it fails.
extension JSONEntity {
    /// Creates a value with a key, like SquidKit's initializer.
    ///
    /// - Complexity: O(*n*) in the length of the value's text.
    public init(_ key: String, _ value: JSONEntity) {
        if value.isImpossible {
            self = .impossible
        } else {
            self.init(trusted: value.bytes(), key: key, format: value.format)
        }
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
    package init(_ value: Double) throws(NetworkError) {
        guard value.isFinite else {
            throw NetworkError(.encodingFailed, "JSON can't represent \(value)")
        }
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
        var bytes: [UInt8] = [UInt8(ascii: "[")]
        for element in elements {
            if element.isImpossible {
                self = .impossible
                return
            }
            if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
            element.write(to: &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
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
        var bytes: [UInt8] = [UInt8(ascii: "{")]
        for (key, value) in members where value.isValid {
            if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
            JSONText.append(quoted: key, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            value.write(to: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
        self.init(trusted: bytes)
    }

    /// Creates an object with its members sorted by key; missing values are omitted.
    package init(object members: [String: JSONEntity]) {
        self.init(object: members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }

    /// Creates the JSON of an encodable value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - format: The format of dates and keys, with which the entity is also read.
    /// - Throws: `.encodingFailed` with the path of the value, for one that JSON can't represent or that has more than 100
    ///   nested containers.
    public init(encoding value: some Encodable, format: JSONFormat = .init()) throws(NetworkError) {
        try self.init(parsing: format.encode(value), limits: JSONLimits(depth: JSONLimits.deepest))
        self.format = format
    }

    /// Creates an object from Foundation objects, like SquidKit's initializer of the same name.
    ///
    /// - Throws: `.encodingFailed` for values other than strings, numbers, Booleans, `NSNull`, arrays and dictionaries.
    public init(jsonDictionary dictionary: [String: Any]) throws(NetworkError) {
        guard JSONSerialization.isValidJSONObject(dictionary) else {
            throw NetworkError(
                .encodingFailed, "the dictionary contains values that JSON can't represent")
        }
        let data: Data
        do {
            data = try JSONSerialization.data(withJSONObject: dictionary, options: [.sortedKeys])
        } catch {
            throw NetworkError(
                .encodingFailed, "the dictionary can't be encoded as JSON", underlying: error)
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
        return JSONEntity(trusted: bytes, key: key.isEmpty ? nil : key, format: format)
    }
}

extension JSONEntity: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates a string.
    public init(stringLiteral value: String) { self.init(value) }
    /// Creates an integer.
    public init(integerLiteral value: Int) { self.init(value) }
    /// Creates a number; one that isn't finite is impossible.
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
    /// Returns a body with the JSON of a value, encoded immediately.
    ///
    /// A `JSONEntity` is sent as written, with all digits of numbers and members in order. If the value can't be encoded, or
    /// has more than 100 nested containers, sending the request throws `.encodingFailed`.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - format: The format of dates and keys; nil, the default, for that of the client that sends the body.
    ///   - contentType: The media type.
    /// - Returns: The body.
    public static func json(
        _ value: some Encodable, format: JSONFormat? = nil, contentType: String = "application/json"
    ) -> RequestBody {
        do throws(NetworkError) {
            if let json = value as? JSONEntity {
                guard json.isValid else {
                    throw NetworkError(.encodingFailed, "expected a JSON value, found \(json)", phase: .prepare)
                }
                return .bytes(json.bytes(), contentType: contentType)
            }
            let json = try EncodedJSON(value)
            guard let format else { return RequestBody(json, contentType: contentType) }
            return .bytes(try json.bytes(format), contentType: contentType)
        } catch {
            return .failed(error)
        }
    }
}

extension JSONEntity: JSONFragment {
    func appendJSON(to output: inout [UInt8]) -> Bool {
        if !isImpossible { write(to: &output) }
        return !isImpossible
    }
}

extension JSONEntity: CustomStringConvertible {
    /// Returns the value as UTF-8 text; a missing one is `null`.
    ///
    /// Numbers and strings are written as in the document, so nothing is lost, and compact JSON is reproduced byte by
    /// byte.
    ///
    /// - Parameter indent: The number of spaces for each level of indentation, 0 to 16; nil writes one line without spaces.
    /// - Returns: The text.
    /// - Complexity: O(*n*) in the length of the value's text.
    public func bytes(indent: Int? = nil) -> [UInt8] {
        var output: [UInt8] = []
        write(to: &output, indent: indent)
        return output
    }

    /// Returns the value as text; see ``bytes(indent:)``.
    public func text(indent: Int? = nil) -> String { String(decoding: bytes(indent: indent), as: UTF8.self) }

    /// The value as compact text, or `missing` with the requested path.
    public var description: String {
        isValid
            ? text()
            : isImpossible ? "impossible JSON: too deep, too large or not a number" : "missing \(path)"
    }

    func write(to output: inout [UInt8], indent: Int? = nil, keepsNulls: Bool = true) {
        guard isValid else {
            output += Array("null".utf8)
            return
        }
        JSONWriter(document: document, indent: indent, keepsNulls: keepsNulls).write(Int(index), to: &output, level: 0)
    }
}

/// Writes values from the tape.
///
/// The depth limit of documents bounds the recursion.
private struct JSONWriter {
    let document: JSONDocument
    let indent: Int?
    /// Whether elements and members with the value `null` are written.
    let keepsNulls: Bool

    func write(_ index: Int, to output: inout [UInt8], level: Int) {
        let word = document.word(at: index)
        guard JSONTape.isContainer(word) else {
            document.copy(index, to: &output)
            return
        }
        let isObject = JSONTape.kind(word) == JSONTape.object
        output.append(isObject ? UInt8(ascii: "{") : UInt8(ascii: "["))
        var isFirst = true
        for position in document.children(of: index) {
            let value = isObject ? position + 1 : position
            guard keepsNulls || !isNull(value, under: isObject ? position : nil, in: index) else {
                continue
            }
            if !isFirst { output.append(UInt8(ascii: ",")) }
            isFirst = false
            newLine(level + 1, to: &output)
            if isObject {
                document.copy(position, to: &output)
                output.append(UInt8(ascii: ":"))
                if indent != nil { output.append(UInt8(ascii: " ")) }
            }
            write(value, to: &output, level: level + 1)
        }
        if !isFirst { newLine(level, to: &output) }
        output.append(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
    }

    /// Whether a value is `null`; for duplicate keys, the last value decides.
    private func isNull(_ value: Int, under key: Int?, in object: Int) -> Bool {
        let last =
            key.flatMap { document.find(document.string(at: $0), in: object) }.map { $0 + 1 } ?? value
        return JSONTape.kind(document.word(at: last)) == JSONTape.null
    }

    private func newLine(_ level: Int, to output: inout [UInt8]) {
        guard let indent else { return }
        output.append(UInt8(ascii: "\n"))
        output.append(
            contentsOf: repeatElement(UInt8(ascii: " "), count: min(max(indent, 0), 16) * level))
    }
}
