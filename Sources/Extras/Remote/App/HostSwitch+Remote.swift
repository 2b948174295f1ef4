internal import AshlarAppConfig
public import AshlarNetworking

extension HostSwitch {
    /// Returns the document that replaces the map, and uses its stored copy.
    ///
    /// A map without hosts is rejected, and one that uses http for a host for which the app's own map doesn't. Hosts that
    /// only the fetched map names receive requests, but no credentials, signatures and secret fields, unless
    /// `NetworkAuthentication.hosts` names them.
    ///
    /// - Parameters:
    ///   - url: The URL of a host map.
    ///   - client: The client that fetches it. It should not resolve hosts with this switch, so that a wrong map can be
    ///     replaced.
    ///   - cache: The path of a file for the last good map, whose folder must exist; nil stores none.
    ///   - environment: The environment for which a map is signed.
    ///   - verify: Checks the signature of a map, which is named `hosts`; see ``RemoteDocument/signedBytes(of:name:environment:)``.
    ///     If set, maps without a signature are rejected.
    /// - Returns: The document; ``RemoteDocument/refresh()`` fetches it.
    /// - Throws: `NetworkError` if the URL is malformed.
    public func remoteMap(
        _ url: String, client: NetworkClient, cache: String? = nil, environment: String? = nil,
        verify: RemoteDocument.Verification? = nil
    ) throws(NetworkError) -> RemoteDocument {
        // `use` reports malformed maps. Without a revision, a map doesn't replace one that has a revision.
        let check: @Sendable ([UInt8]) throws -> Double? = { bytes in
            (try? ApplicationConfig.revision(of: bytes, as: nil, at: ConfigLocation(file: "hosts"))) ?? nil
        }
        let use: @Sendable ([UInt8]) throws -> Void = { bytes in
            let map = try HostMap(json: bytes)
            guard !map.configurations.isEmpty else {
                throw NetworkError(.invalidHostMap, map.warnings.first?.message ?? "the map has no hosts")
            }
            try self.update(fetched: map)
        }
        return RemoteDocument(
            "hosts", cache: cache, environment: environment, verify: verify, check: check, use: use, usesStored: true,
            fetch: try RemoteDocument.fetch(url, by: client))
    }
}
