internal import AshlarCore

/// A header field: a name, a value, and whether the value is secret.
public struct HTTPField: Hashable, Sendable, CustomStringConvertible {
    /// The name as written; names are compared ignoring case.
    public let name: String
    /// The value; each character represents one byte (Latin-1), so characters above U+00FF can't be sent.
    public var value: String { didSet { isChecked = false } }
    /// Whether the value is hidden in descriptions and removed by a redirect to another origin.
    public var isSensitive: Bool
    /// Whether the field is known to be valid, so that not every request checks it.
    var isChecked = false

    /// Creates a field, which is checked when a request is sent.
    public init(_ name: String, _ value: String, isSensitive: Bool = false) {
        self.name = name
        self.value = value
        self.isSensitive = isSensitive
    }

    /// The value's bytes, with `?` for characters above U+00FF.
    var valueBytes: [UInt8] { value.unicodeScalars.map { UInt8(exactly: $0.value) ?? 0x3F } }

    /// The field as one line; a sensitive value is hidden.
    public var description: String { "\(name): \(isSensitive ? SecretNames.placeholder : value)" }

    /// Whether two fields have equal names (ignoring case), values and sensitivity.
    public static func == (a: HTTPField, b: HTTPField) -> Bool {
        a.value == b.value && a.isSensitive == b.isSensitive && a.name.equalsIgnoringASCIICase(b.name)
    }

    /// Hashes the name ignoring case, the value and the sensitivity.
    public func hash(into hasher: inout Hasher) {
        for byte in name.utf8 { hasher.combine(byte.asciiLowercased) }
        hasher.combine(value)
        hasher.combine(isSensitive)
    }
}

/// An ordered list of header fields; names can repeat and are compared ignoring case.
///
/// Every operation is O(*n*) in the number of fields, which is small. Nothing is corrected: an invalid field makes the
/// request fail with `.invalidHeader` before any byte is sent (see ``validate()``).
///
/// ```swift
/// var headers: HTTPHeaders = ["Accept": "application/json"]
/// headers.set("Authorization", "Bearer 123", isSensitive: true)
/// assert(headers["accept"] == "application/json")
/// assert("\(headers)" == "Accept: application/json\nAuthorization: <redacted>")
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

    /// Creates headers from fields in order.
    public init(_ fields: [HTTPField] = []) { storage = .list(fields) }

    /// Creates headers from names and values in order; names can repeat.
    public init(dictionaryLiteral elements: (String, String)...) {
        storage = .list(elements.map { HTTPField($0.0, $0.1) })
    }

    /// Creates headers that are split into fields on demand.
    init(_ received: ReceivedFields) { storage = .received(received) }

    /// Whether two headers have equal fields in the same order.
    public static func == (a: HTTPHeaders, b: HTTPHeaders) -> Bool { a.isSame(as: b) || a.fields == b.fields }

    /// Hashes the fields in order.
    public func hash(into hasher: inout Hasher) { hasher.combine(fields) }

    /// Whether both share the same list in memory, and are therefore equal.
    func isSame(as other: HTTPHeaders) -> Bool {
        fields.withUnsafeBufferPointer { a in
            other.fields.withUnsafeBufferPointer { b in a.baseAddress == b.baseAddress && a.count == b.count }
        }
    }

    /// The position of the first field.
    public var startIndex: Int { 0 }
    /// The position after the last field.
    public var endIndex: Int { fields.count }
    /// The field at a position.
    public subscript(position: Int) -> HTTPField { fields[position] }

    /// The first value of a name, or nil; setting replaces all fields of the name.
    public subscript(name: String) -> String? {
        get {
            if case .received(let fields) = storage { return fields.first(name) }
            return fields.first { $0.name.equalsIgnoringASCIICase(name) }?.value
        }
        set {
            if let newValue { set(name, newValue) } else { remove(name) }
        }
    }

    /// The value of `Content-Length`, if it is a number.
    var announcedLength: Int? {
        if case .received(let fields) = storage, let length = fields.plainLength { return length }
        return self["Content-Length"].flatMap { $0.utf8.allSatisfy(\.isDigit) ? Int($0) : nil }
    }

    /// Returns all values of a name in order.
    public func values(for name: String) -> [String] {
        if case .received(let fields) = storage { return fields.values(name) }
        return fields.lazy.filter { $0.name.equalsIgnoringASCIICase(name) }.map(\.value)
    }

    /// Returns the nonempty members of a comma-separated list, from all fields of the name.
    ///
    /// Don't use it for `Set-Cookie` or dates, whose values contain commas.
    public func list(for name: String) -> [String] {
        values(for: name).flatMap { $0.split(separator: ",") }.map { $0.trimmingHTTPSpace() }.filter { !$0.isEmpty }
    }

    /// Whether there is a field with the name.
    public func contains(_ name: String) -> Bool {
        if case .received(let fields) = storage { return fields.contains(name) }
        return fields.contains { $0.name.equalsIgnoringASCIICase(name) }
    }

    /// Appends a field, even if there is one with the name.
    public mutating func append(_ name: String, _ value: String, isSensitive: Bool = false) {
        fields.append(HTTPField(name, value, isSensitive: isSensitive))
    }

    /// Appends a field.
    public mutating func append(_ field: HTTPField) { fields.append(field) }

    /// Replaces all fields of a name with one field, at the position of the first.
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

    mutating func removeAll(where condition: (HTTPField) -> Bool) { fields.removeAll(where: condition) }

    /// Sets every field of `other`; its values replace existing ones.
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
