internal import AshlarCore

/// A header field: a name, a value, and whether the value is secret.
public struct HTTPField: Hashable, Sendable, CustomStringConvertible {
    /// The name as written; names are compared ignoring case.
    public var name: String { key.text }
    private let key: Key
    /// The value; each character represents one byte (Latin-1), so characters above U+00FF can't be sent.
    public var value: String
    /// Whether the value is hidden in descriptions and removed by a redirect to another origin.
    public var isSensitive: Bool

    /// Creates a field, which is checked when a request is sent.
    public init(_ name: String, _ value: String, isSensitive: Bool = false) {
        key = Key(text: name)
        self.value = value
        self.isSensitive = isSensitive
    }

    /// The value's bytes, with `?` for characters above U+00FF.
    package var valueBytes: [UInt8] { value.unicodeScalars.map { UInt8(exactly: $0.value) ?? UInt8(ascii: "?") } }

    /// Returns the value with the given bytes.
    static func value(_ bytes: some Sequence<UInt8>) -> String {
        String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    /// The field as one line; a sensitive value is hidden.
    public var description: String { "\(name): \(isSensitive ? SecretNames.placeholder : value)" }

    /// A name that is compared ignoring case.
    private struct Key: Hashable, Sendable {
        let text: String

        static func == (a: Key, b: Key) -> Bool { a.text.equalsIgnoringASCIICase(b.text) }

        func hash(into hasher: inout Hasher) {
            for byte in text.utf8 { hasher.combine(byte.asciiLowercased) }
        }
    }
}

/// An ordered list of header fields; names can repeat and are compared ignoring case.
///
/// Every operation is O(*n*) in the number of fields, which is small. Nothing is corrected: an invalid field makes the
/// request fail with `.invalidHeader` before any byte is sent. A name must be a token (RFC 9110, 5.6.2). A value must not
/// contain control characters except tabs, spaces or tabs at its ends, or characters above U+00FF. The client sets
/// `Content-Length`, `Transfer-Encoding` and `Host` itself, and doesn't support `Expect`.
///
/// ```swift
/// var headers: HTTPHeaders = ["Accept": "application/json"]
/// headers.set("Authorization", "Bearer 123", isSensitive: true)
/// assert(headers["accept"] == "application/json")
/// assert("\(headers)" == "Accept: application/json\nAuthorization: <redacted>")
/// ```
public struct HTTPHeaders: Hashable, Sendable, RandomAccessCollection, ExpressibleByDictionaryLiteral {
    private(set) var fields: [HTTPField]

    /// Creates headers from fields in order.
    public init(_ fields: [HTTPField] = []) { self.fields = fields }

    /// Creates headers from names and values in order; names can repeat.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { HTTPField($0.0, $0.1) }
    }

    /// The position of the first field.
    public var startIndex: Int { 0 }
    /// The position after the last field.
    public var endIndex: Int { fields.count }
    /// The field at a position.
    public subscript(position: Int) -> HTTPField { fields[position] }

    /// The first value of a name, or nil; setting replaces all fields of the name.
    public subscript(name: String) -> String? {
        get { index(of: name).map { fields[$0].value } }
        set {
            if let newValue { set(name, newValue) } else { remove(name) }
        }
    }

    /// Returns all values of a name in order.
    public func values(for name: String) -> [String] {
        var values: [String] = []
        var next = index(of: name)
        while let index = next {
            values.append(fields[index].value)
            next = self.index(of: name, from: index + 1)
        }
        return values
    }

    /// Returns the value of a name if there is exactly one field with it.
    func only(_ name: String) -> String? {
        guard let index = index(of: name), self.index(of: name, from: index + 1) == nil else { return nil }
        return fields[index].value
    }

    /// The index of the first field with a name, at or after a position.
    private func index(of name: String, from start: Int = 0) -> Int? {
        // A loop over the fields themselves would retain and release the strings of each.
        (start..<fields.count).first { fields[$0].name.equalsIgnoringASCIICase(name) }
    }

    /// Returns the nonempty members of a comma-separated list, from all fields of the name.
    ///
    /// Don't use it for `Set-Cookie` or dates, whose values contain commas.
    package func list(for name: String) -> [String] {
        values(for: name).flatMap { $0.split(separator: ",") }.map { $0.trimmingHTTPSpace() }.filter { !$0.isEmpty }
    }

    /// Whether there is a field with the name.
    package func contains(_ name: String) -> Bool {
        index(of: name) != nil
    }

    /// Appends a field, even if there is one with the name.
    public mutating func append(_ name: String, _ value: String, isSensitive: Bool = false) {
        fields.append(HTTPField(name, value, isSensitive: isSensitive))
    }

    /// Appends a field.
    package mutating func append(_ field: HTTPField) { fields.append(field) }

    /// Appends the fields of a list whose names this list doesn't contain.
    mutating func addMissing(_ others: HTTPHeaders) {
        if fields.isEmpty { fields = others.fields } else { fields += others.fields.filter { !contains($0.name) } }
    }

    /// Replaces all fields of a name with one field, at the position of the first.
    public mutating func set(_ name: String, _ value: String, isSensitive: Bool = false) {
        let field = HTTPField(name, value, isSensitive: isSensitive)
        guard let first = index(of: name) else {
            fields.append(field)
            return
        }
        remove(name)
        fields.insert(field, at: first)
    }

    /// Removes all fields of a name.
    package mutating func remove(_ name: String) { fields.removeAll { $0.name.equalsIgnoringASCIICase(name) } }

    mutating func removeAll(where condition: (HTTPField) -> Bool) { fields.removeAll(where: condition) }
}

extension HTTPHeaders: CustomStringConvertible {
    /// The fields, one per line; sensitive values and values hidden by the standard redaction are replaced.
    public var description: String {
        NetworkRedaction.standard.redact(self).fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    }
}

extension HTTPHeaders {
    /// Checks that every field can be sent.
    ///
    /// - Throws: `.invalidHeader` with the field's name in `key`; the error never contains the value.
    package func validate() throws(NetworkError) {
        for field in fields { try field.validate() }
    }

    fileprivate static let reserved = ["Content-Length", "Transfer-Encoding", "Host", "Expect"]
}

extension HTTPField {
    /// Checks that the field can be sent.
    func validate() throws(NetworkError) {
        guard HTTPSyntax.isToken(name) else {
            throw invalid("the name isn't a token; expected letters, digits and !#$%&'*+-.^_`|~")
        }
        if HTTPHeaders.reserved.contains(where: { $0.equalsIgnoringASCIICase(name) }) {
            throw invalid("only the client decides about this field")
        }
        var value = value
        let defect: String? = value.withUTF8 { bytes in
            if let first = bytes.first, let last = bytes.last, first.isHTTPSpace || last.isHTTPSpace {
                return "the value begins or ends with a space"
            }
            for byte in bytes {
                if byte == 0x7F || (byte < 0x20 && byte != UInt8(ascii: "\t")) {
                    return "the value contains the control character 0x" + String(byte, radix: 16)
                }
                // 0xC4 begins U+0100.
                if byte > 0xC3 { return "the value contains a character above U+00FF" }
            }
            return nil
        }
        if let defect { throw invalid(defect) }
    }

    private func invalid(_ reason: String) -> NetworkError {
        NetworkError(.invalidHeader, reason, phase: .prepare, key: HTTPSyntax.printable(name))
    }
}

/// The status line and header fields of a response.
public struct ResponseHead: Hashable, Sendable {
    /// The status, 100 to 999.
    public var status: Int
    /// The fields in the received order; each character of a value represents one byte (Latin-1).
    public var headers: HTTPHeaders
    /// The HTTP version of the server, such as `1.1` or `2`, if the transport knows it.
    public var version: String?

    /// The maximum length of a head in bytes, without interim heads.
    static let mostBytes = 64 << 10
    /// The maximum number of fields.
    static let mostFields = 200

    /// Creates a head.
    public init(status: Int, headers: HTTPHeaders = [:], version: String? = nil) {
        self.status = status
        self.headers = headers
        self.version = version
    }

    /// The announced length of the body, or nil if there is none or it isn't reliable.
    ///
    /// It is nil for an encoded body, because bodies are decompressed before they are returned, and for a chunked body,
    /// whose chunks define its length (RFC 9112, 6.3).
    var contentLength: Int? {
        guard !headers.contains("Content-Encoding"), !headers.contains("Transfer-Encoding"),
            let text = headers["Content-Length"], text.utf8.allSatisfy(\.isDigit)
        else { return nil }
        return Int(text)
    }
}
