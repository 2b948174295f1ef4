internal import AshlarNetworking

/// The parts of a request that must equal those of a recorded one.
public struct HARMatching: Hashable, Sendable {
    /// A part of a request.
    public enum Part: Hashable, Sendable, CaseIterable {
        /// The method.
        case method
        /// `http` or `https`.
        case scheme
        /// The host and port.
        case host
        /// The path, percent-encoded as sent.
        case path
        /// The query in the order sent.
        case query
        /// The body: JSON by value, other bodies byte by byte.
        case body
    }

    /// The parts that must be equal.
    var parts: Set<Part>
    /// The names of header fields that must be equal.
    var headerNames: Set<String>

    /// Creates a rule.
    public init(_ parts: Set<Part>, headers headerNames: Set<String> = []) {
        self.parts = parts
        self.headerNames = headerNames
    }

    /// All parts except header fields must be equal.
    public static let strict = HARMatching(Set(Part.allCases))
    /// Method, path, query and body must be equal, so that a recording is valid for every environment.
    public static let anyHost = HARMatching([.method, .path, .query, .body])
    /// Method and path must be equal.
    public static let methodAndPath = HARMatching([.method, .path])
}

/// A request for comparison; its secrets are replaced, so that a redacted recording still matches.
struct HARFingerprint: Sendable {
    /// The compared parts, in the order in which differences are reported.
    let parts: [(name: String, value: Value)]

    enum Value: Hashable, Sendable {
        case text(String)
        case json(JSONEntity)
        case bytes([UInt8])
    }

    init(_ request: HARRequest, _ matching: HARMatching, _ redaction: NetworkRedaction) {
        var parts: [(String, Value)] = []
        func add(_ part: HARMatching.Part, _ name: String, _ value: @autoclosure () -> Value) {
            if matching.parts.contains(part) { parts.append((name, value())) }
        }
        add(.method, "method", .text(request.method.rawValue))
        add(.scheme, "scheme", .text(request.url.scheme.rawValue))
        add(.host, "host", .text(request.url.authority))
        add(.path, "path", .text(request.url.path))
        add(.query, "query", .text(request.url.query.map { redaction.redact(query: $0) } ?? ""))
        for name in matching.headerNames.sorted() {
            let hidden = redaction.hides(header: name) && request.headers.contains(name)
            parts.append(
                (
                    "header \(name)",
                    .text(hidden ? redaction.placeholder : request.headers.values(for: name).joined(separator: ", "))
                ))
        }
        add(.body, "body", Self.body(request, redaction))
        self.parts = parts
    }

    private static func body(_ request: HARRequest, _ redaction: NetworkRedaction) -> Value {
        let body = redaction.redact(body: request.body, type: request.headers["Content-Type"])
        let isJSON = NetworkRedaction.isJSON(request.headers["Content-Type"])
        if isJSON, let json = try? JSONEntity(parsing: body) { return .json(json) }
        return .bytes(body)
    }

    func matches(_ other: HARFingerprint) -> Bool { zip(parts, other.parts).allSatisfy { $0.value == $1.value } }

    /// Returns the differing parts, as `name: asked …, recorded …`.
    func differences(from recorded: HARFingerprint) -> [String] {
        zip(parts, recorded.parts).filter { $0.value != $1.value }.map { asked, recorded in
            "\(asked.name): asked \(Self.shown(asked.value)), recorded \(Self.shown(recorded.value))"
        }
    }

    private static func shown(_ value: Value) -> String {
        let text =
            switch value {
            case .text(let text): text
            case .json(let json): json.text()
            case .bytes(let bytes): String(decoding: bytes.prefix(200), as: UTF8.self)
            }
        return text.isEmpty ? "nothing" : text.count > 80 ? "\"\(text.prefix(80))…\"" : "\"\(text)\""
    }
}
