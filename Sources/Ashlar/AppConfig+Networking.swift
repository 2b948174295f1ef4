public import AshlarAppConfig
internal import AshlarCore
public import AshlarNetworking

extension RemoteConfigSource {
    /// Creates a source that fetches a document over HTTP, conditional by entity tag.
    ///
    /// The version of a document is its `ETag`; the status 304 confirms the version.
    ///
    /// ```swift
    /// let client = NetworkClient(ClientConfiguration())
    /// let remote = try RemoteConfigSource(
    ///     "flags", url: "https://config.example.org/flags.json", client: client, cache: "/var/cache/acme/flags")
    /// var plan = ConfigPlan.standard
    /// plan.add(remote)
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name of the source in explanations and errors.
    ///   - url: The URL of the document.
    ///   - client: The client that fetches the document.
    ///   - cache: The path of a file for the last good document; its folder must exist.
    ///   - format: The format of documents; `nil` for a property list or JSON.
    ///   - signatureField: The name of the response's field with the signature of the document in Base64.
    ///   - verify: Checks the signature of a document; documents without a signature are then rejected.
    /// - Throws: `NetworkError` if the URL is malformed.
    public convenience init(
        _ name: String, url: String, client: NetworkClient, cache: String? = nil, format: (any ConfigFormat)? = nil,
        signatureField: String = "Content-Signature",
        verify: (@Sendable (_ document: [UInt8], _ signature: [UInt8]) throws -> Bool)? = nil
    ) throws(NetworkError) {
        var request = try NetworkRequest(.get, url)
        request.options.acceptedStatuses = .successful.union([304])
        let conditional = request
        self.init(name, cache: cache, format: format, verify: verify) { version in
            var request = conditional
            if let version { request.headers.set("If-None-Match", version) }
            let response = try await client.send(request)
            if response.status == 304 { return .notModified }
            let signature = response.headers[signatureField].flatMap { Base64.decode($0.utf8) }
            return .document(response.bytes, version: response.headers["ETag"], signature: signature)
        }
    }
}
