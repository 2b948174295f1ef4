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
    /// A name of the change that is the same when it is sent again (`Idempotency-Key`), or nil.
    public var idempotencyKey: String?
    /// Whether the target is a collection.
    var isList = false
    /// The model, which receives an answer that arrives after the operation.
    var model = WeakModel()

    /// Creates a target.
    public init(host: EndpointHost?, path: String, body: JSONEntity? = nil, version: String? = nil) {
        (self.host, self.path, self.body, self.version) = (host, path, body, version)
    }
}

struct WeakModel: Sendable {
    weak var value: Model?
}

/// The result of an operation.
public struct ModelSyncAnswer: Sendable {
    /// The response; missing if it was empty.
    public var json: JSONEntity
    /// The version of the model (`ETag`), or nil.
    public var version: String?
    /// Whether the schema's `parse` or `parseList` has already been applied.
    var isParsed = false

    /// Creates an answer.
    public init(_ json: JSONEntity = .missing, version: String? = nil) { (self.json, self.version) = (json, version) }
}

/// Performs the operations on models: on a server, in a file, or in a test's dictionary.
public protocol ModelSync: Sendable {
    /// Performs an operation.
    ///
    /// - Throws: Any failure: `.conflict` if the version is outdated, `.validationFailed` with `messages` if attributes
    ///   were rejected.
    func perform(_ verb: ModelSyncVerb, _ target: ModelSyncTarget) async throws(NetworkError) -> ModelSyncAnswer
}

extension NetworkError.Code {
    /// The collection already contains the model, or one with its identifier.
    public static let duplicateModel = Self(rawValue: "duplicateModel")
}
