/// Decides which requests the inspector answers: those of a browser that opened the URL with the token.
///
/// A page of another site can neither read responses nor cause actions, also if its name resolves to 127.0.0.1: the
/// cookie is sent with requests of the same site only, `Host` must be the inspector's, and an action must come from its
/// own page.
struct InspectorGate: Sendable {
    /// An accepted request.
    enum Entry: Equatable, Sendable {
        /// The page; the value of `Set-Cookie`, if the request has a token.
        case page(cookie: String?)
        /// The stream of changes after the state that a page has.
        case events(after: String?)
        /// The recorded exchanges.
        case exchanges
        case action([UInt8])
    }

    /// The maximum number of browsers; the oldest one must then open a new URL.
    static let longestList = 8

    let port: Int
    /// The token that opens the next browser; nil if it was used.
    private var token: String?
    /// The secrets of the browsers that were opened.
    private var sessions: [String] = []

    init(port: Int) { self.port = port }

    /// Replaces the token and returns the URL that contains it.
    mutating func makeURL() -> String {
        let token = Self.randomSecret()
        self.token = token
        return "http://127.0.0.1:\(port)/?token=\(token)"
    }

    /// The name of the cookie, which contains the port because browsers send cookies to all ports of a host.
    private var cookieName: String { "ashlar-inspector-\(port)" }

    /// Accepts a request, or throws the reason for which it isn't accepted.
    mutating func judge(_ request: InspectorRequest) throws(InspectorRefusal) -> Entry {
        guard let host = request.value("Host"), ["127.0.0.1:\(port)", "localhost:\(port)"].contains(host) else {
            throw InspectorRefusal(status: 403, reason: "the host isn't that of the inspector")
        }
        guard ["/", "/events", "/exchanges", "/actions"].contains(request.path) else {
            throw InspectorRefusal(status: 404, reason: "there is no such page")
        }
        let method = request.path == "/actions" ? "POST" : "GET"
        guard request.method == method else {
            throw InspectorRefusal(status: 405, reason: "expected \(method)", fields: [("Allow", method)])
        }
        if request.path == "/", let given = request.query["token"] {
            guard let token, Self.isEqual(token, given) else {
                throw InspectorRefusal(
                    status: 403, reason: "the token is wrong or was used; the program can create another URL")
            }
            self.token = nil
            let session = Self.randomSecret()
            sessions = sessions.suffix(Self.longestList - 1) + [session]
            return .page(cookie: "\(cookieName)=\(session); HttpOnly; SameSite=Strict; Path=/")
        }
        guard hasSession(request) else {
            throw InspectorRefusal(status: 403, reason: "open the URL that the program printed at its start")
        }
        // A page at another port of this host is of the same site, so that its requests have the cookie.
        let site = request.values("Sec-Fetch-Site")
        guard site.allSatisfy({ $0 == "same-origin" || $0 == "none" && request.path == "/" }) else {
            throw InspectorRefusal(status: 403, reason: "the request comes from another page")
        }
        switch request.path {
        case "/": return .page(cookie: nil)
        case "/exchanges": return .exchanges
        case "/events":
            return .events(after: request.value("Last-Event-ID") ?? request.query["after"].map { String($0) })
        default:
            try judgeAction(request, host: host, site: site)
            return .action(request.body)
        }
    }

    private func judgeAction(_ request: InspectorRequest, host: String, site: [String]) throws(InspectorRefusal) {
        let origins = request.values("Origin")
        guard origins.isEmpty ? site == ["same-origin"] : origins == ["http://" + host] else {
            throw InspectorRefusal(status: 403, reason: "the action comes from another page")
        }
        let type = request.value("Content-Type")?.prefix { $0 != ";" }.lowercased()
        guard type == "application/json" else {
            throw InspectorRefusal(status: 415, reason: "expected application/json")
        }
        if request.isTooLarge || request.body.count > InspectorRequest.largestBody {
            throw InspectorRefusal(status: 413, reason: "the body is larger than 64 KiB")
        }
    }

    /// Whether the request has the cookie of a browser that was opened.
    private func hasSession(_ request: InspectorRequest) -> Bool {
        var cookies: [Substring] = []
        for cookie in request.values("Cookie").flatMap({ $0.split(separator: ";") }) {
            let cookie = cookie.drop { $0 == " " }
            if cookie.hasPrefix(cookieName + "=") { cookies.append(cookie.dropFirst(cookieName.count + 1)) }
        }
        // All secrets are compared, so that the time doesn't depend on which one it is.
        return cookies.count == 1 && sessions.filter { Self.isEqual($0, cookies[0]) }.count == 1
    }

    /// Compares a secret with a text in a time that depends on the lengths only.
    static func isEqual(_ secret: some StringProtocol, _ text: some StringProtocol) -> Bool {
        guard secret.utf8.count == text.utf8.count else { return false }
        return zip(secret.utf8, text.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// 128 random bits of the system as 32 hexadecimal digits.
    private static func randomSecret() -> String {
        var random = SystemRandomNumberGenerator()
        return (0..<4).map { _ in
            let digits = String(random.next() as UInt32, radix: 16)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }.joined()
    }
}
