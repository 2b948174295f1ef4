/// A change that an ``OfflineSync`` has stored and the server hasn't accepted yet.
public struct OfflineChange: Identifiable, Sendable {
    /// The name of the change, which requests send as `Idempotency-Key`.
    public let id: String
    /// The operation.
    public let verb: ModelSyncVerb
    /// The path of the request.
    public let path: String
    /// The attributes to send; missing for a deletion.
    public let mine: JSONEntity
    /// The server's attributes when the change was made; missing if they are unknown.
    public let base: JSONEntity
    /// The server's attributes when it refused the change; missing if the server has no such record.
    public let theirs: JSONEntity
    /// The reason why the server refused the change, or nil if the change waits to be sent.
    ///
    /// The code is `.conflict`, or the status is 409 or 412, if the server has a newer version. The status is 404 or
    /// 410 if the record has been deleted on the server.
    public let failure: NetworkError?
}

/// A decision about a change that the server refused.
public enum OfflineResolution: Sendable {
    /// Sends the change again and replaces the server's version, or creates the record again.
    case mine
    /// Removes the unsent changes of the record.
    case theirs
    /// Sends these attributes instead and replaces the server's version.
    case merged(JSONEntity)
}
