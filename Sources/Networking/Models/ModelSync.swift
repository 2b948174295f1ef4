/// What is done to a model on the server.
public enum ModelSyncVerb: String, Hashable, Sendable {
    /// Reads a model or a list of models: GET.
    case read
    /// Makes a model: POST.
    case create
    /// Replaces a model: PUT.
    case update
    /// Removes a model: DELETE.
    case delete
}

/// Where a model or a collection lives, and what is sent there.
public struct ModelSyncTarget: Sendable {
    /// The host, or nil if the path is an absolute URL.
    public var host: EndpointHost?
    /// The path, encoded, or an absolute URL.
    public var path: String
    /// What is sent, or nil.
    public var body: JSONEntity?
    /// The version of the model that the server gave last (`ETag`), or nil.
    public var version: String?

    /// Creates a target.
    public init(host: EndpointHost?, path: String, body: JSONEntity? = nil, version: String? = nil) {
        (self.host, self.path, self.body, self.version) = (host, path, body, version)
    }
}

/// What came back.
public struct ModelSyncAnswer: Sendable {
    /// The answer; missing if it was empty.
    public var json: JSONEntity
    /// The version of the model (`ETag`), or nil.
    public var version: String?

    /// Creates an answer.
    public init(_ json: JSONEntity = .missing, version: String? = nil) { (self.json, self.version) = (json, version) }
}

/// Carries what happens to models to where they are kept: a server, a file, a test's dictionary.
public protocol ModelSync: Sendable {
    /// Does what the verb says.
    ///
    /// - Throws: Anything but success must throw: `.conflict` if the version is not the newest, `.validationFailed` with
    ///   `messages` if attributes were refused.
    func perform(_ verb: ModelSyncVerb, _ target: ModelSyncTarget) async throws(NetworkError) -> ModelSyncAnswer
}

extension NetworkError.Code {
    /// A collection has the model, or one with its id, already.
    public static let duplicateModel = Self(rawValue: "duplicateModel")
}
