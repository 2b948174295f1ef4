internal import AshlarCore

/// The rule for hiding secrets in requests that are displayed, logged, exported or recorded.
///
/// A hidden field retains its name. A field marked sensitive in ``HTTPHeaders`` is always hidden. To hide further names,
/// copy ``standard`` and add to its ``nameFragments``.
public struct NetworkRedaction: Sendable, Hashable {
    /// The names of header fields whose values are hidden, in lowercase.
    package var headerNames: Set<String>
    /// The fragments, in lowercase, that make the name of a header field, query parameter or form field secret.
    public var nameFragments: Set<String>
    /// The text printed in place of a hidden value.
    package var placeholder: String
    /// Whether the names that all modules of the package treat as secret are hidden.
    private var hidesStandardNames = false

    /// Creates a rule that hides only the given names, ignoring case.
    ///
    package init(headerNames: Set<String>, nameFragments: Set<String>, placeholder: String = "<redacted>") {
        self.headerNames = Set(headerNames.map { $0.lowercased() })
        self.nameFragments = Set(nameFragments.map { $0.lowercased() })
        self.placeholder = placeholder
    }

    /// Hides credentials, cookies, and names such as `token`, `apiKey`, `pwd` and `auth`, but not `keyword`.
    public static let standard: NetworkRedaction = {
        var redaction = NetworkRedaction(
            headerNames: [
                "authorization", "proxy-authorization", "cookie", "set-cookie", "www-authenticate",
                "proxy-authenticate", "authentication-info",
            ], nameFragments: [])
        redaction.hidesStandardNames = true
        return redaction
    }()

    /// Hides only the fields marked sensitive.
    public static let none = NetworkRedaction(headerNames: [], nameFragments: [])

    /// Whether the value of a header field is hidden.
    package func hides(header name: String) -> Bool {
        let field = name.lowercased()
        if headerNames.contains(field) { return true }
        // A cache asks for each field of each request; the words of these names aren't those of secrets.
        if nameFragments.isEmpty, Self.plainFields.contains(field) { return false }
        return hides(parameter: name)
    }

    /// The names of common fields without secrets, in lowercase.
    static let plainFields: Set<String> = [
        "accept", "accept-encoding", "accept-language", "cache-control", "connection", "content-length", "content-type",
        "date", "etag", "host", "if-modified-since", "if-none-match", "range", "user-agent",
    ]

    /// Whether the value of a query parameter or form field is hidden.
    package func hides(parameter name: String) -> Bool {
        if hidesStandardNames, SecretNames.standard.matches(name) { return true }
        if nameFragments.isEmpty { return false }
        let name = name.lowercased()
        return nameFragments.contains { name.contains($0) }
    }

    /// Returns the fields in the same order, with every secret value replaced by the placeholder.
    ///
    /// In `Location`, `Content-Location` and `Referer`, only the secret parts of the URL are replaced.
    package func redact(_ headers: HTTPHeaders) -> HTTPHeaders {
        HTTPHeaders(
            headers.map { field in
                guard field.isSensitive || hides(header: field.name) else {
                    let holdsURL = Self.urlFields.contains { $0.equalsIgnoringASCIICase(field.name) }
                    return holdsURL ? HTTPField(field.name, redact(reference: field.value)) : field
                }
                return HTTPField(field.name, placeholder, isSensitive: true)
            })
    }

    /// The fields whose value is a URL or a relative reference.
    private static let urlFields = ["Location", "Content-Location", "Referer"]

    /// Returns a URL or relative reference with user information and secret values of query and fragment replaced.
    private func redact(reference text: String) -> String {
        guard text.utf8.contains(where: { "?#@".utf8.contains($0) }) else { return text }
        let (start, fragment) = Self.split(text[...], at: "#")
        let (place, query) = Self.split(start, at: "?")
        var result = String(place)
        if let slashes = place.firstRange(of: "//") {
            let (authority, path) = Self.split(place[slashes.upperBound...], at: "/")
            if let at = authority.lastIndex(of: "@") {
                result = place[..<slashes.upperBound] + placeholder + authority[at...] + (path.map { "/" + $0 } ?? "")
            }
        }
        if let query { result += "?" + redact(query: String(query)) }
        if let fragment { result += "#" + redact(query: String(fragment)) }
        return result
    }

    private static func split(_ text: Substring, at mark: Character) -> (Substring, Substring?) {
        guard let place = text.firstIndex(of: mark) else { return (text, nil) }
        return (text[..<place], text[text.index(after: place)...])
    }

    /// Returns a raw query (`a=1&token=x`) with every secret value replaced by the placeholder.
    package func redact(query: String) -> String {
        // By bytes: a mark and a combining scalar are one character.
        query.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map { part -> String in
            let pair = Substring(part)
            guard let equals = pair.utf8.firstIndex(of: UInt8(ascii: "=")) else { return String(pair) }
            let name = pair[..<equals]
            let plain = PercentCoding.decode(String(name)) ?? String(name)
            return hides(parameter: plain) ? name + "=" + placeholder : String(pair)
        }.joined(separator: "&")
    }
}

/// A request without its secrets and its body, for display.
public struct RedactedRequest: Hashable, Sendable, CustomStringConvertible {
    /// The method.
    public var method: HTTPMethod
    /// The URL, with secret values hidden.
    public var url: String
    /// The fields, with secret values hidden.
    package var headers: HTTPHeaders

    /// Creates a redacted request from parts that contain no secrets.
    package init(method: HTTPMethod, url: String, headers: HTTPHeaders = [:]) {
        self.method = method
        self.url = url
        self.headers = headers
    }

    /// The method and URL, such as `GET https://api.example.com/notes?token=<redacted>`.
    public var description: String { "\(method) \(url)" }
}
