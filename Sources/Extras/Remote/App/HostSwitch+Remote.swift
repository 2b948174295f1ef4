public import AshlarNetworking

extension HostSwitch {
    /// Returns the document that replaces the map, and uses its stored copy.
    ///
    /// A map without hosts is rejected.
    ///
    /// - Parameters:
    ///   - url: The URL of a host map.
    ///   - client: The client that fetches it. It should not resolve hosts with this switch, so that a wrong map can be
    ///     replaced.
    ///   - cache: The path of a file for the last good map, whose folder must exist; nil stores none.
    /// - Returns: The document; ``RemoteDocument/refresh()`` fetches it.
    /// - Throws: `NetworkError` if the URL is malformed.
    public func remoteMap(
        _ url: String, client: NetworkClient, cache: String? = nil
    ) throws(NetworkError) -> RemoteDocument {
        try RemoteDocument("host map", url: url, client: client, cache: cache) { bytes in
            let map = try HostMap(json: bytes)
            guard !map.configurations.isEmpty else {
                throw NetworkError(.invalidHostMap, map.warnings.first?.message ?? "the map has no hosts")
            }
            self.update(map)
        }
    }
}
