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
    /// A transport reads them when it is created; later changes have no effect. A host whose pins can't be read can't be
    /// reached, and no host can be reached if the dictionary itself can't be read.
    ///
    /// - Parameters:
    ///   - config: The configuration.
    ///   - loadErrors: The errors of loading it: a value with an unresolved reference is missing from it.
    /// - Returns: An error for each malformed pin, except those of loading.
    package mutating func apply(_ config: ApplicationConfig, loadErrors: [ConfigError] = []) -> [ConfigError] {
        connections = config.int(forKey: "network.connections") ?? connections
        connectionsPerHost = config.int(forKey: "network.connectionsPerHost") ?? connectionsPerHost
        return applyPins(of: config, loadErrors: loadErrors)
    }

    /// Applies the pins of a configuration; returns an error for each malformed one.
    mutating func applyPins(of config: ApplicationConfig, loadErrors: [ConfigError]) -> [ConfigError] {
        let path: ConfigPath = "network.pinnedKeys"
        var errors: [ConfigError] = []
        do throws(ConfigError) {
            if config["network"] != nil { _ = try config.get("network", as: [String: ConfigValue].self) }
            let hosts = config[path] == nil ? [:] : try config.get(path, as: [String: ConfigValue].self)
            for host in hosts.keys.sorted() {
                do throws(ConfigError) {
                    pinnedKeys[host] = try config.get(path.appending(host))
                } catch {
                    errors.append(error)
                    pinnedKeys[host] = Self.keyOfNobody
                }
            }
        } catch {
            errors.append(error)
            pinnedKeys["*"] = Self.malformedPin
        }
        let omitting: Set<ConfigError.Code> = [.unresolvedReference, .referenceCycle, .limitExceeded]
        for error in loadErrors where omitting.contains(error.code) {
            // Many references are summarized as one error without a key; a source that exceeds a limit has no key, either.
            guard error.key != nil || error.code == .unresolvedReference else { continue }
            let keys = error.key?.components ?? []
            if path.components.starts(with: keys) {
                pinnedKeys["*"] = Self.malformedPin
            } else if keys.starts(with: path.components), case .key(let host) = keys[path.components.count] {
                pinnedKeys[host] = Self.keyOfNobody
            }
        }
        return errors
    }

    /// A pin with a hash that no key has.
    private static let keyOfNobody = "sha256//\(String(repeating: "A", count: 43))="
    /// A pin that no transport accepts, so that each request fails.
    private static let malformedPin = "sha256//"
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
