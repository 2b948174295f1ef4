public import AshlarAppConfig
public import AshlarNetworking

extension RequestOptions {
    /// Applies the timeouts of a configuration; an absent key changes nothing.
    ///
    /// | key | value |
    /// |---|---|
    /// | `network.connectTimeout` | a duration such as `5` (seconds) or `"500 ms"`, or 0 for none |
    /// | `network.idleTimeout` | the same, for a pause without bytes |
    /// | `network.totalTimeout` | the same, for the whole request |
    public mutating func apply(_ config: ApplicationConfig) {
        func read(_ key: String, _ current: Duration?) -> Duration? {
            guard let value = config.duration(forKey: key) else { return current }
            return value > .zero ? value : nil
        }
        connectTimeout = read("network.connectTimeout", connectTimeout)
        idleTimeout = read("network.idleTimeout", idleTimeout)
        totalTimeout = read("network.totalTimeout", totalTimeout)
    }
}

extension TransportConfiguration {
    /// Applies the limits and pins of a configuration; an absent key changes nothing.
    ///
    /// | key | value |
    /// |---|---|
    /// | `network.connections` | the maximum number of connections |
    /// | `network.connectionsPerHost` | the maximum number for one host |
    /// | `network.pinnedKeys` | a dictionary of hosts and keys, as in ``pinnedKeys`` |
    ///
    /// A transport reads them when it is created; later changes have no effect.
    ///
    /// - Returns: An error for each malformed pin: an app must not connect without it.
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
                // No key has this value, so that the host can't be reached without the intended pin.
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
