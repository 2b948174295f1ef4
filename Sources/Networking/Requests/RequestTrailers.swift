/// The fields behind the body of a request.
final class RequestTrailers: Sendable {
    private let names: [String]
    private let make: @Sendable () async throws -> HTTPHeaders

    init(_ names: [String], _ make: @escaping @Sendable () async throws -> HTTPHeaders) {
        (self.names, self.make) = (names, make)
    }

    /// The value of the `Trailer` field, or nil if no field is announced.
    var announcement: String? { names.isEmpty ? nil : names.joined(separator: ", ") }

    /// Checks the announced names.
    ///
    /// - Throws: `.invalidHeader` for a name that isn't a token or isn't allowed.
    func validateNames() throws(NetworkError) { try Self.check(HTTPHeaders(names.map { HTTPField($0, "") })) }

    /// Returns the fields.
    ///
    /// - Throws: `.invalidHeader` for a field that can't be sent.
    func fields() async throws -> HTTPHeaders {
        let fields = try await make()
        try Self.check(fields)
        for field in fields where !names.contains(where: { $0.equalsIgnoringASCIICase(field.name) }) {
            throw Self.invalid(field, "the trailer isn't announced")
        }
        return fields
    }

    private static func check(_ fields: HTTPHeaders) throws(NetworkError) {
        try fields.validate()
        for field in fields where forbidden.contains(where: { $0.equalsIgnoringASCIICase(field.name) }) {
            throw invalid(field, "the field isn't allowed behind a body")
        }
    }

    /// Fields for framing, routing, authentication and the reading of the body (RFC 9110, section 6.5.1), in addition to
    /// those that `validate()` rejects.
    private static let forbidden = [
        "Authorization", "Cache-Control", "Connection", "Content-Encoding", "Content-Range", "Content-Type", "Cookie",
        "Expect", "If-Match", "If-Modified-Since", "If-None-Match", "If-Range", "If-Unmodified-Since", "Keep-Alive",
        "Max-Forwards", "Proxy-Authorization", "Proxy-Connection", "Range", "TE", "Trailer", "Upgrade",
    ]

    private static func invalid(_ field: HTTPField, _ reason: String) -> NetworkError {
        var error = NetworkError(.invalidHeader, reason, phase: .send)
        error.key = HTTPSyntax.printable(field.name)
        return error
    }
}
