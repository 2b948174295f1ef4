/// A request of a browser, as the server has read it.
struct InspectorRequest: Sendable {
    /// The maximum size of a body.
    static let largestBody = 64 << 10

    let method: String
    /// The path with its query, as it was sent.
    let target: String
    let fields: [(name: String, value: String)]
    var body: [UInt8] = []
    /// Whether the body is larger than the maximum; it is then incomplete.
    var isTooLarge = false

    /// Returns the values of all fields with a name, regardless of case.
    func values(_ name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    /// The only value of a field; nil if it is absent or repeated.
    func value(_ name: String) -> String? {
        let values = values(name)
        return values.count == 1 ? values[0] : nil
    }

    var path: String { String(target.prefix { $0 != "?" }) }

    /// The parameters of the query, not decoded: those of the inspector contain letters, digits and `-` only.
    var query: [Substring: Substring] {
        let pairs = target.drop { $0 != "?" }.dropFirst().split(separator: "&").map { pair in
            (pair.prefix { $0 != "=" }, pair.drop { $0 != "=" }.dropFirst())
        }
        return Dictionary(pairs) { first, _ in first }
    }
}

/// A response to a browser.
struct InspectorResponse: Sendable {
    enum Body: Sendable {
        case bytes([UInt8])
        /// The parts of a body without a known length; the closure returns nil at its end.
        case stream(@Sendable () async -> [UInt8]?)
    }

    let status: Int
    let fields: [(name: String, value: String)]
    let body: Body

    /// Creates a response, which isn't cached, framed, or read by other origins.
    init(_ status: Int, type: String, fields: [(name: String, value: String)] = [], body: Body) {
        self.status = status
        self.body = body
        self.fields =
            [
                ("Content-Type", type), ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
                ("Referrer-Policy", "no-referrer"), ("X-Frame-Options", "DENY"),
                ("Content-Security-Policy", "frame-ancestors 'none'"), ("Cross-Origin-Resource-Policy", "same-origin"),
                ("Cross-Origin-Opener-Policy", "same-origin"),
            ] + fields
    }

    /// The response to a request that isn't accepted.
    init(_ refusal: InspectorRefusal) {
        self.init(
            refusal.status, type: "text/plain; charset=utf-8", fields: refusal.fields,
            body: .bytes(Array((refusal.reason + "\n").utf8)))
    }
}

/// The reason why a request isn't accepted.
struct InspectorRefusal: Error {
    let status: Int
    let reason: String
    var fields: [(name: String, value: String)] = []
}

/// Answers requests; servers call it on any thread.
typealias InspectorHandler = @Sendable (InspectorRequest) async -> InspectorResponse
