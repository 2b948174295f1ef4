/// Which header fields and query parameters are hidden wherever a request is shown, logged, exported or recorded.
///
/// The value is hidden, the name stays. A field marked sensitive in ``HTTPHeaders`` is always hidden.
public struct NetworkRedaction: Sendable, Hashable {
    /// The names of the fields whose values are hidden, in lower case.
    public var headerNames: Set<String>
    /// The fragments that make a query parameter, form field or header secret when its name contains one; lower case.
    public var nameFragments: Set<String>
    /// What is printed in place of a hidden value.
    public var placeholder: String

    /// Creates a rule of names and name fragments; both are compared without case.
    public init(headerNames: Set<String>, nameFragments: Set<String>, placeholder: String = "<hidden>") {
        self.headerNames = Set(headerNames.map { $0.lowercased() })
        self.nameFragments = Set(nameFragments.map { $0.lowercased() })
        self.placeholder = placeholder
    }

    /// Hides credentials, cookies, and all whose name contains token, key, secret, password, passwd, signature or session.
    public static let standard = NetworkRedaction(
        headerNames: [
            "authorization", "proxy-authorization", "cookie", "set-cookie", "www-authenticate", "proxy-authenticate",
            "authentication-info",
        ],
        nameFragments: [
            "token", "key", "secret", "password", "passwd", "signature", "session", "credential",
        ])

    /// Hides nothing but the fields that are marked sensitive.
    public static let none = NetworkRedaction(headerNames: [], nameFragments: [])

    /// Whether a header field's value is hidden.
    public func hides(header name: String) -> Bool {
        let name = name.lowercased()
        return headerNames.contains(name) || nameFragments.contains { name.contains($0) }
    }

    /// Whether the value of a query parameter or form field is hidden.
    public func hides(parameter name: String) -> Bool {
        let name = name.lowercased()
        return nameFragments.contains { name.contains($0) }
    }

    /// Returns the fields with every secret value replaced by the placeholder, in the same order.
    ///
    /// Of the URLs in `Location`, `Content-Location` and `Referer`, user-info and the secret values of query and fragment
    /// are replaced as well.
    public func redact(_ headers: HTTPHeaders) -> HTTPHeaders {
        HTTPHeaders(
            headers.map { field in
                guard field.isSensitive || hides(header: field.name) else {
                    let holdsURL = Self.urlFields.contains { $0.equalsIgnoringASCIICase(field.name) }
                    return holdsURL ? HTTPField(field.name, redact(reference: field.value)) : field
                }
                return HTTPField(field.name, placeholder, isSensitive: true)
            })
    }

    /// The fields whose value is a URL or a reference to one.
    private static let urlFields = ["Location", "Content-Location", "Referer"]

    /// A URL or relative reference with user-info and secret values of query and fragment replaced, whatever else it is.
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

    /// Returns the URL's text with user-info and the secret values of query and fragment replaced by the placeholder.
    public func redact(_ url: HTTPURL) -> String {
        var text = url.scheme.rawValue + "://"
        if url.userInfo != nil { text += placeholder + "@" }
        text += url.authority + url.path
        if let query = url.query { text += "?" + redact(query: query) }
        if let fragment = url.fragment { text += "#" + redact(query: fragment) }
        return text
    }

    /// Returns a raw query (`a=1&token=x`) with every secret value replaced by the placeholder.
    public func redact(query: String) -> String {
        query.split(separator: "&", omittingEmptySubsequences: false).map { pair in
            guard let equals = pair.firstIndex(of: "=") else { return String(pair) }
            let name = pair[..<equals]
            let plain = PercentEncoding.decode(String(name)) ?? String(name)
            return hides(parameter: plain) ? name + "=" + placeholder : String(pair)
        }.joined(separator: "&")
    }

    /// Returns what may be shown of a request.
    public func redact(_ request: NetworkRequest) -> RedactedRequest {
        RedactedRequest(method: request.method, url: redact(request.url), headers: redact(request.headers))
    }
}

/// What may be shown of a request: its secrets are hidden and its body is left out.
public struct RedactedRequest: Hashable, Sendable, CustomStringConvertible {
    /// The method.
    public var method: HTTPMethod
    /// The URL, with secret values hidden.
    public var url: String
    /// The fields, with secret values hidden.
    public var headers: HTTPHeaders

    /// Creates a redacted request; the caller answers for the absence of secrets.
    public init(method: HTTPMethod, url: String, headers: HTTPHeaders = [:]) {
        self.method = method
        self.url = url
        self.headers = headers
    }

    /// Method and URL, such as `GET https://api.example.com/notes?token=<hidden>`.
    public var description: String { "\(method) \(url)" }
}
