internal import AshlarCore
public import AshlarNetworking

/// An operation on a model on the server.
public enum ModelSyncVerb: String, Hashable, Sendable {
    /// Reads a model or a list of models: GET.
    case read
    /// Creates a model: POST.
    case create
    /// Replaces a model: PUT.
    case update
    /// Deletes a model: DELETE.
    case delete
}

/// The location of a model or collection, and the value to send.
public struct ModelSyncTarget: Sendable {
    /// The host, or nil if the path is an absolute URL.
    public var host: EndpointHost?
    /// The encoded path, or an absolute URL.
    public var path: String
    /// The value to send, or nil.
    public var body: JSONEntity?
    /// The latest version of the model from the server (`ETag`), or nil.
    public var version: String?

    /// Creates a target.
    public init(host: EndpointHost?, path: String, body: JSONEntity? = nil, version: String? = nil) {
        self.host = host
        self.path = path
        self.body = body
        self.version = version
    }
}

/// The result of an operation.
public struct ModelSyncAnswer: Sendable {
    /// The response; missing if it was empty.
    public var json: JSONEntity
    /// The version of the model (`ETag`), or nil.
    public var version: String?

    /// Creates an answer.
    public init(_ json: JSONEntity = .missing, version: String? = nil) {
        self.json = json
        self.version = version
    }
}

/// Performs the operations on models: on a server, in a file, or in a test's dictionary.
public protocol ModelSync: Sendable {
    /// The format of dates and keys in attributes; the default is `JSONFormat()`.
    var json: JSONFormat { get }
    /// Performs an operation.
    ///
    /// - Throws: Any failure: `.conflict` if the version is outdated, `.validationFailed` with `messages` if attributes
    ///   were rejected.
    func perform(_ verb: ModelSyncVerb, _ target: ModelSyncTarget) async throws(NetworkError) -> ModelSyncAnswer
}

extension ModelSync {
    /// The default format.
    public var json: JSONFormat { .init() }
}

extension NetworkError.Code {
    /// The collection already contains the model, or one with its identifier.
    public static let duplicateModel = Self(rawValue: "duplicateModel")
    /// A different operation is running on the model.
    public static let busy = Self("busy", userMessage: "This is still being worked on.")
    /// The server has a newer version of the model (412).
    public static let conflict = Self("conflict", userMessage: "Someone else has changed this in the meantime.")
    /// The model or the server (422) rejected attributes; `messages` lists the reasons.
    public static let validationFailed = Self(rawValue: "validationFailed")
    /// The model has no location to fetch from or save to.
    public static let missingLocation = Self(rawValue: "missingLocation")
}

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
        self.client = client
        self.prepare = prepare
    }

    /// The format of the client.
    public var json: JSONFormat { client.configuration.json }

    /// Sends a request.
    ///
    /// - Throws: Any error of the client; see ``RESTSync`` for statuses.
    public func perform(
        _ verb: ModelSyncVerb, _ target: ModelSyncTarget
    ) async throws(NetworkError) -> ModelSyncAnswer {
        var request = try Call(verb: verb, target: target).makeRequest(options: client.configuration.requestOptions)
        request.options.totalTimeout = .seconds(300)
        // Their responses explain the failure; other statuses are the client's to repeat or to throw.
        request.options.acceptedStatuses = Set(200...299).union([412, 422])
        prepare(verb, &request)
        let answer = try await client.send(request)
        guard (200...299).contains(answer.status) else { throw failure(answer, request) }
        let json = answer.bytes.isEmpty ? JSONEntity.missing : try answer.json()
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
            return headers
        }
    }
}

/// A task with several waiting tasks; it is cancelled when all of them are cancelled.
final class SharedTask: Sendable {
    private let task: Task<Void, any Error>
    /// The number of waiting tasks; −1 after the end or the cancellation.
    private let waiting: Waiting

    private final class Waiting: Sendable {
        let count = Mutex(1)
    }

    init(_ operation: @escaping @Sendable () async throws -> Void) {
        let waiting = Waiting()
        self.waiting = waiting
        task = Task {
            defer { waiting.count.withLock { $0 = -1 } }
            try await operation()
        }
    }

    /// Counts another waiting task; returns false after the end or the cancellation.
    func join() -> Bool {
        waiting.count.withLock { count in
            guard count >= 0 else { return false }
            count += 1
            return true
        }
    }

    private func leave() {
        let isLast = waiting.count.withLock { count in
            guard count >= 0 else { return false }
            count = count == 1 ? -1 : count - 1
            return count < 0
        }
        if isLast { task.cancel() }
    }

    /// Waits for the end of the task, as one of the counted waiting tasks.
    func wait() async throws(NetworkError) {
        let result = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            leave()
        }
        if case .failure(let error) = result { throw NetworkError(wrapping: error) }
    }
}
