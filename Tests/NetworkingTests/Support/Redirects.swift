import AshlarNetworking

extension StubResponse {
    /// Returns a redirect.
    static func redirect(_ status: Int, to location: String) -> StubResponse {
        .status(status, headers: ["Location": location])
    }
}
