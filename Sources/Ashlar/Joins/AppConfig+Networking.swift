package import AshlarAppConfig
package import AshlarNetworking

extension RequestOptions {
    /// Applies the timeouts and attempts of a configuration; an absent key changes nothing.
    ///
    /// | key | value |
    /// |---|---|
    /// | `network.connectTimeout` | a duration such as `5` (seconds) or `"500 ms"`, or 0 for the transport's own |
    /// | `network.idleTimeout` | the same, for a period without bytes; 0 for none |
    /// | `network.totalTimeout` | the same, for the whole request; 0 for none |
    /// | `network.attempts` | the maximum number of times that a failed request is sent; 1 for no retries |
    package mutating func apply(_ config: ApplicationConfig) {
        func read(_ key: String, _ current: Duration?) -> Duration? {
            guard let value = config.value(forKey: key, as: Duration.self) else { return current }
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
    package mutating func apply(_ config: ApplicationConfig) -> [ConfigError] {
        connections = config.int(forKey: "network.connections") ?? connections
        connectionsPerHost = config.int(forKey: "network.connectionsPerHost") ?? connectionsPerHost
        return applyPins(of: config)
    }

    /// Applies the pins of a configuration; returns an error for each malformed one.
    mutating func applyPins(of config: ApplicationConfig) -> [ConfigError] {
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

extension HostSwitch {
    /// Applies `app.host` of a store's configuration now and after each change; without the key, `base` applies.
    ///
    /// The value is `canonical`, `release`, `prerelease`, or the key of an environment.
    ///
    /// - Returns: The task that follows the store until it is cancelled.
    func follow(_ store: ConfigStore, from base: HostDefault) -> Task<Void, Never> {
        @Sendable func apply() {
            setDefaults(store.current.string(forKey: "app.host").map { HostDefault(name: $0) } ?? base)
        }
        apply()
        return Task { for await _ in store.changes(of: "app.host") { apply() } }
    }
}
