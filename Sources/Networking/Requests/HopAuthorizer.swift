/// Adds credentials that depend on the actual URL of a hop.
protocol HopAuthorizer: AnyObject, Sendable {
    /// Sets the credentials of a hop before it is sent.
    func authorize(_ hop: inout NetworkRequest) async throws(NetworkError)
}
