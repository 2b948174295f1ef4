public import AshlarAppConfig
internal import AshlarCore
public import AshlarNetworking

extension RequestOptions {
    /// Applies the timeouts and attempts of a configuration; an absent key changes nothing.
    ///
    /// | key | value |
    /// |---|---|
    /// | `network.connectTimeout` | a duration such as `5` (seconds) or `"500 ms"`, or 0 for none |
    /// | `network.idleTimeout` | the same, for a period without bytes |
    /// | `network.totalTimeout` | the same, for the whole request |
    /// | `network.attempts` | the maximum number of times that a failed request is sent; 1 for no retries |
    public mutating func apply(_ config: ApplicationConfig) {
        func read(_ key: String, _ current: Duration?) -> Duration? {
            guard let value = config.duration(forKey: key) else { return current }
            return value > .zero ? value : nil
        }
        connectTimeout = read("network.connectTimeout", connectTimeout)
        idleTimeout = read("network.idleTimeout", idleTimeout)
        totalTimeout = read("network.totalTimeout", totalTimeout)
        attempts = config.int(forKey: "network.attempts") ?? attempts
    }
}

extension TransportConfiguration {
    /// Applies the limits and pins of a configuration; an absent key changes nothing.
    ///
    /// | key | value |
    /// |---|---|
    /// | `network.connections` | the maximum number of connections |
    /// | `network.connectionsPerHost` | the maximum number for one host |
    /// | `network.pinnedKeys` | a dictionary of hosts and keys, as in `pinnedKeys` |
    ///
    /// A transport reads them when it is created; later changes have no effect.
    ///
    /// - Returns: An error for each malformed pin, without which an app must not connect.
    public mutating func apply(_ config: ApplicationConfig) -> [ConfigError] {
        connections = config.int(forKey: "network.connections", default: connections)
        connectionsPerHost = config.int(forKey: "network.connectionsPerHost", default: connectionsPerHost)
        guard let hosts = config["network.pinnedKeys"] else { return [] }
        var errors: [ConfigError] = []
        let path: ConfigPath = "network.pinnedKeys"
        for host in hosts.dictionary?.keys.sorted() ?? [] {
            do throws(ConfigError) {
                pinnedKeys[host] = try config.get(path.appending(host), as: String.self)
            } catch {
                errors.append(error)
                // No key has this value, so requests to the host fail instead of being sent without a pin.
                pinnedKeys[host] = "sha256//"
            }
        }
        return errors
    }
}

extension HostDefault {
    /// The default of `app.host`: `canonical`, `release`, `prerelease`, or the key of an environment; nil if absent.
    public init?(_ config: ApplicationConfig) {
        guard let name = config.string(forKey: "app.host") else { return nil }
        self.init(name: name)
    }
}

extension HostSwitch {
    /// Applies `app.host` of a store's configuration now and after each change; without the key, `base` applies.
    ///
    /// - Returns: The task that follows the store until it is cancelled.
    @discardableResult
    public func follow(_ store: ConfigStore, from base: HostDefault) -> Task<Void, Never> {
        setDefaults(HostDefault(store.current) ?? base)
        return Task { for await config in store.changes() { setDefaults(HostDefault(config) ?? base) } }
    }
}

extension RemoteConfigSource {
    /// Creates a source that fetches a document over HTTP with conditional requests.
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
    ///   - signatureField: The name of the response field that contains the signature of the document in Base64.
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
            let response: NetworkResponse
            do {
                response = try await client.send(request)
            } catch {
                // The client hides secrets in the text of its errors.
                var failure = ConfigError(.unreadableSource, reason: "\(error)")
                failure.underlying = error
                throw failure
            }
            if response.status == 304 { return .notModified }
            let signature = response.headers[signatureField].flatMap { Base64.decode($0.utf8) }
            return .document(response.bytes, version: response.headers["ETag"], signature: signature)
        }
    }
}
