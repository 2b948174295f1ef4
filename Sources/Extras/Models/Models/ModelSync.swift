/// A sync over HTTP with JSON: read, create, update and delete are GET, POST, PUT and DELETE.
///
/// A status outside 200–299 throws: 422 as `.validationFailed` with the response's messages, 412 as `.conflict`, others
/// as `.unacceptableStatus`. Updating or deleting a model of a known version (a strong `ETag`) sends `If-Match`. The
/// total timeout is 300 s.
///
/// These are the conventions of iStructure's `ISBasicSync`, except that it treats other 4xx and 5xx as successes.
public struct RESTSync: ModelSync {
    private let client: NetworkClient
    private let prepare: @Sendable (ModelSyncVerb, inout NetworkRequest) -> Void

    /// Creates a sync with a client.
    ///
    /// - Parameters:
    ///   - client: The client that sends the requests.
    ///   - prepare: Changes a request before it is sent.
    public init(
        _ client: NetworkClient,
        prepare: @escaping @Sendable (ModelSyncVerb, inout NetworkRequest) -> Void = { _, _ in }
    ) {
        (self.client, self.prepare) = (client, prepare)
    }

    /// Sends a request.
    ///
    /// - Throws: Any error of the client; see ``RESTSync`` for statuses.
    public func perform(
        _ verb: ModelSyncVerb, _ target: ModelSyncTarget
    ) async throws(NetworkError) -> ModelSyncAnswer {
        var request = try Call(verb: verb, target: target).makeRequest(options: client.configuration.requestOptions)
        request.options.totalTimeout = .seconds(300)
        // Their responses explain the failure; other statuses are the client's to repeat or to throw.
        request.options.acceptedStatuses = .successful.union([412, 422])
        prepare(verb, &request)
        let answer = try await client.send(request)
        guard (200...299).contains(answer.status) else { throw failure(answer, request) }
        let json = answer.bytes.isEmpty ? JSONEntity.missing : try JSONEntity(parsing: answer.bytes)
        // `If-Match` compares strongly, so a weak version never matches (RFC 9110, section 13.1.1).
        let version = answer.headers["ETag"].flatMap { $0.hasPrefix("W/") ? nil : $0 }
        return ModelSyncAnswer(json, version: version)
    }

    private func failure(_ answer: NetworkResponse, _ request: NetworkRequest) -> NetworkError {
        var error: NetworkError
        switch answer.status {
        case 412: error = NetworkError(.conflict, "the server has a newer version")
        case 422:
            error = NetworkError(.validationFailed, "the server rejected attributes")
            error.messages = Self.messages(answer.bytes)
        default: error = NetworkError(.unacceptableStatus, "expected a status from 200 to 299")
        }
        error.status = answer.status
        error.phase = .decode
        error.request = client.configuration.redaction.redact(request)
        error.headers = client.configuration.redaction.redact(answer.headers)
        error.bodyPrefix = Array(answer.bytes.prefix(NetworkError.bodyPrefixLimit))
        return error
    }

    /// Reads `{"title": ["is empty", "is short"]}`, optionally inside `{"errors": …}`, as "title is empty" and "title
    /// is short".
    private static func messages(_ bytes: [UInt8]) -> [String] {
        guard let root = try? JSONEntity(parsing: bytes) else { return [] }
        let fields = root["errors"].isObject ? root["errors"] : root
        return fields.flatMap { field in
            field.isArray
                ? field.compactMap { $0.string() }.map { field.key + " " + $0 }
                : field.string().map { [field.key + " " + $0] } ?? []
        }
    }

    private struct Call: Endpoint {
        typealias Output = Void
        let verb: ModelSyncVerb
        let target: ModelSyncTarget

        var isAbsolute: Bool { target.path.contains("://") }
        var host: EndpointHost { isAbsolute ? .url(target.path) : target.host ?? .url(target.path) }
        var path: EndpointPath { isAbsolute ? "" : EndpointPath(target.path) }
        var body: RequestBody {
            target.body.map { .bytes($0.bytes(), contentType: "application/json") } ?? .empty
        }
        var method: HTTPMethod {
            switch verb {
            case .read: .get
            case .create: .post
            case .update: .put
            case .delete: .delete
            }
        }
        var headers: HTTPHeaders {
            var headers: HTTPHeaders = ["Accept": "application/json", "Cache-Control": "no-cache"]
            if verb == .update || verb == .delete, let version = target.version { headers["If-Match"] = version }
            if let key = target.idempotencyKey { headers["Idempotency-Key"] = key }
            return headers
        }
    }
}
