/// One header field: a name, a value, and whether the value is a secret.
public struct HTTPField: Hashable, Sendable, CustomStringConvertible {
    /// The name as it was written; names are compared without case.
    public let name: String
    /// The value; each character stands for one byte (Latin-1), so none above U+00FF can be sent.
    public var value: String
    /// Whether the value is hidden wherever it is shown and dropped when a redirect leads to another origin.
    public var isSensitive: Bool

    /// Creates a field; it is checked when a request is sent.
    public init(_ name: String, _ value: String, isSensitive: Bool = false) {
        self.name = name
        self.value = value
        self.isSensitive = isSensitive
    }

    /// The value's bytes; a character above U+00FF, which cannot be sent, gives `?`.
    public var valueBytes: [UInt8] { value.unicodeScalars.map { UInt8(exactly: $0.value) ?? 0x3F } }

    /// The field as one line; a sensitive value is hidden.
    public var description: String { "\(name): \(isSensitive ? "<hidden>" : value)" }

    /// Two fields are equal if their names (without case), values and marks are.
    public static func == (a: HTTPField, b: HTTPField) -> Bool {
        a.value == b.value && a.isSensitive == b.isSensitive && a.name.equalsIgnoringASCIICase(b.name)
    }

    /// Feeds the name without its case, the value and the mark.
    public func hash(into hasher: inout Hasher) {
        for byte in name.utf8 { hasher.combine(byte.asciiLowercased) }
        hasher.combine(value)
        hasher.combine(isSensitive)
    }
}

/// The header fields of a request or an answer: ordered, repeats allowed, names compared without case.
///
/// Reading and changing are O(*n*) in the number of fields, which is small. Nothing is repaired: a field that
/// may not be sent makes the request fail with `.invalidHeader` before any byte leaves (see ``validate()``).
///
/// ```swift
/// var headers: HTTPHeaders = ["Accept": "application/json"]
/// headers.set("Authorization", "Bearer 123", isSensitive: true)
/// assert(headers["accept"] == "application/json")
/// assert("\(headers)" == "Accept: application/json\nAuthorization: <hidden>")
/// ```
public struct HTTPHeaders: Hashable, Sendable, RandomAccessCollection, ExpressibleByDictionaryLiteral {
    private enum Storage: Sendable {
        case list([HTTPField])
        case received(ReceivedFields)
    }

    private var storage: Storage

    var fields: [HTTPField] {
        get {
            switch storage {
            case .list(let fields): fields
            case .received(let fields): fields.all
            }
        }
        _modify {
            var fields = self.fields
            storage = .list([])
            defer { storage = .list(fields) }
            yield &fields
        }
    }

    /// Creates headers from fields, keeping their order.
    public init(_ fields: [HTTPField] = []) { storage = .list(fields) }

    /// Creates headers from names and values, keeping their order and repeats.
    public init(dictionaryLiteral elements: (String, String)...) {
        storage = .list(elements.map { HTTPField($0.0, $0.1) })
    }

    /// Creates headers that are split into fields when somebody asks for more than a few of them.
    init(_ received: ReceivedFields) { storage = .received(received) }

    /// Two headers are equal if their fields are, in the same order.
    public static func == (a: HTTPHeaders, b: HTTPHeaders) -> Bool { a.isSame(as: b) || a.fields == b.fields }

    /// Feeds the fields in their order.
    public func hash(into hasher: inout Hasher) { hasher.combine(fields) }

    /// Whether both are the very same list in memory, which says at once that they are equal.
    func isSame(as other: HTTPHeaders) -> Bool {
        fields.withUnsafeBufferPointer { a in
            other.fields.withUnsafeBufferPointer { b in a.baseAddress == b.baseAddress && a.count == b.count }
        }
    }

    /// The position of the first field.
    public var startIndex: Int { 0 }
    /// The position behind the last field.
    public var endIndex: Int { fields.count }
    /// The field at a position.
    public subscript(position: Int) -> HTTPField { fields[position] }

    /// The first value of a name, or nil; setting replaces all fields of the name, nil removes them.
    public subscript(name: String) -> String? {
        get {
            if case .received(let fields) = storage { return fields.first(name) }
            return fields.first { $0.name.equalsIgnoringASCIICase(name) }?.value
        }
        set {
            if let newValue { set(name, newValue) } else { remove(name) }
        }
    }

    /// The `Content-Length` if it is a number.
    var announcedLength: Int? {
        if case .received(let fields) = storage, let length = fields.plainLength { return length }
        return self["Content-Length"].flatMap { $0.utf8.allSatisfy(\.isASCIIDigit) ? Int($0) : nil }
    }

    /// All values of a name, in order.
    public func values(_ name: String) -> [String] {
        if case .received(let fields) = storage { return fields.values(name) }
        return fields.lazy.filter { $0.name.equalsIgnoringASCIICase(name) }.map(\.value)
    }

    /// All members of a comma-separated list, over all fields of the name, trimmed and without empty ones.
    ///
    /// Not for `Set-Cookie` or dates, whose values contain commas.
    public func list(_ name: String) -> [String] {
        values(name).flatMap { $0.split(separator: ",") }.map { $0.trimmingHTTPSpace() }.filter { !$0.isEmpty }
    }

    /// Whether there is a field of the name.
    public func contains(_ name: String) -> Bool {
        if case .received(let fields) = storage { return fields.contains(name) }
        return fields.contains { $0.name.equalsIgnoringASCIICase(name) }
    }

    /// Adds a field behind the others, even if the name is there already.
    public mutating func append(_ name: String, _ value: String, isSensitive: Bool = false) {
        fields.append(HTTPField(name, value, isSensitive: isSensitive))
    }

    /// Adds a field behind the others.
    public mutating func append(_ field: HTTPField) { fields.append(field) }

    /// Makes a field the only one of its name, at the place of the first one there was.
    public mutating func set(_ name: String, _ value: String, isSensitive: Bool = false) {
        let field = HTTPField(name, value, isSensitive: isSensitive)
        guard let first = fields.firstIndex(where: { $0.name.equalsIgnoringASCIICase(name) }) else {
            fields.append(field)
            return
        }
        fields[first] = field
        let rest = fields[(first + 1)...].filter { !$0.name.equalsIgnoringASCIICase(name) }
        fields.replaceSubrange((first + 1)..., with: rest)
    }

    /// Removes all fields of a name.
    public mutating func remove(_ name: String) { fields.removeAll { $0.name.equalsIgnoringASCIICase(name) } }

    /// Removes all fields that a condition holds for.
    public mutating func removeAll(where condition: (HTTPField) -> Bool) { fields.removeAll(where: condition) }

    /// Sets every field of `other` here, so that the other's values win.
    public mutating func merge(_ other: HTTPHeaders) {
        var seen: [String] = []
        for field in other.fields {
            if seen.contains(where: { $0.equalsIgnoringASCIICase(field.name) }) {
                fields.append(field)
            } else {
                set(field.name, field.value, isSensitive: field.isSensitive)
                seen.append(field.name)
            }
        }
    }
}

extension HTTPHeaders: CustomStringConvertible {
    /// One line per field; sensitive values and those that the standard redaction hides are not shown.
    public var description: String {
        NetworkRedaction.standard.redact(self).fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    }
}
