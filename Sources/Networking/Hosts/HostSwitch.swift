internal import AshlarCore

import struct Synchronization.Atomic

/// The current selection among the environments of a host map, stored between runs.
///
/// A switch is thread-safe; each lookup returns the scheme and host of one selection. Selections made by
/// ``select(_:for:userHost:)`` are stored and restored by the next switch with the same store. A client created with
/// the switch sends requests to the selected hosts.
///
/// ```swift
/// let map = try HostMap(json: Array(#"""
///     {"configurations": [{"canonical_host": "api.example.com", "canonical_protocol": "https", "release_key": "PROD",
///       "hosts": [{"key": "PROD", "host": "api.example.com"}, {"key": "QA", "host": "qa.example.com"}, {"key": "USER"}]}]}
///     """#.utf8))
/// let hosts = HostSwitch(map)
/// try hosts.select("QA", for: "api.example.com")
/// assert(hosts.resolve("api.example.com") == ProtocolHostPair(scheme: "https", host: "qa.example.com"))
/// try hosts.select("USER", for: "api.example.com", userHost: "localhost:8080")
/// assert(hosts.rows[0].rows[2].isSelected)
/// hosts.reset()
/// assert(hosts.resolve("api.example.com") == nil)
/// ```
///
/// The design and the formats are those of SquidKit's `HostMapManager`.
public final class HostSwitch: Sendable {
    struct State {
        var snapshot: HostSnapshot
        var warnings: [HostWarning] = []
        /// The stored selections of hosts missing from the map, saved unchanged.
        var foreign: [(String, JSONEntity)] = []
        var watchers: [Int: AsyncStream<HostChange>.Continuation] = [:]
        var nextWatcher = 0
        var effects: [Effect] = []
        var isDraining = false
    }

    /// The effects of a change, performed in order outside the lock.
    enum Effect {
        case save(JSONEntity, ticket: UInt64)
        case announce(HostChange, [AsyncStream<HostChange>.Continuation])
    }

    let state: Mutex<State>
    private let store: any HostChoiceStore
    private let tickets = Atomic<UInt64>(0)

    /// Creates a switch and restores the stored selections.
    ///
    /// Invalid stored selections are ignored and listed in ``warnings``, as is a failure to load.
    ///
    /// - Parameters:
    ///   - map: The environments.
    ///   - store: The store of selections; in memory by default.
    ///   - defaults: The environments of hosts without a selection; the canonical hosts by default.
    public init(_ map: HostMap, store: any HostChoiceStore = .memory, defaults: HostDefault = .canonical) {
        self.store = store
        var restored = HostRestoration(map)
        do {
            restored.takeUp(try store.load())
        } catch {
            restored.warn(error.message, path: error.path ?? "$", file: error.file, line: error.line, error.column)
        }
        state = Mutex(
            State(
                snapshot: HostSnapshot(
                    map: map, choices: restored.choices, typed: restored.typed, defaults: defaults),
                warnings: restored.warnings, foreign: restored.foreign))
    }

    deinit {
        for watcher in state.withLock({ $0.watchers.values }) { watcher.finish() }
    }

    // MARK: Lookup

    /// The current map and selections.
    public var current: HostSnapshot { state.withLock { $0.snapshot } }

    /// Returns the selected pair of a canonical host, or nil if none is selected or the host is unknown.
    ///
    /// - Parameters:
    ///   - canonicalHost: The name, with its port if the map's name has one; case and a trailing dot are ignored.
    ///   - scheme: The scheme of the endpoint. The environment's scheme takes precedence over it; the configuration's
    ///     `canonical_protocol` applies if both are nil.
    /// - Returns: The pair, or nil.
    /// - Complexity: O(1).
    public func resolve(_ canonicalHost: String, scheme: String? = nil) -> ProtocolHostPair? {
        state.withLock { $0.snapshot.resolve(canonicalHost, scheme: scheme) }
    }

    /// The rows for a list, menu or table: a section for each canonical host, a row for each environment.
    ///
    /// - Complexity: O(*n*) in the number of environments.
    public var rows: [HostSection] { current.rows }

    /// Explains the result of ``resolve(_:scheme:)`` for a canonical host.
    public func explain(_ canonicalHost: String) -> HostExplanation { current.explain(canonicalHost) }

    /// Problems with the store, oldest first; the map's own warnings aren't repeated.
    public var warnings: [HostWarning] { state.withLock { $0.warnings } }

    /// The lookup for a client, as in `NetworkClient(transport: transport, hosts: hosts.resolver)`.
    ///
    /// A known host without a selection gets its `canonical_protocol` if the endpoint has no scheme.
    public var resolver: HostResolver {
        { host, scheme in self.state.withLock { $0.snapshot.resolveForClient(host, scheme) } }
    }

    // MARK: Selection

    /// Selects an environment for a canonical host and stores the selection.
    ///
    /// - Parameters:
    ///   - key: The key of the environment.
    ///   - canonicalHost: The canonical host.
    ///   - userHost: The typed text, for an environment that is typed: a host with an optional port, or the text for
    ///     the placeholder. Nil means the last typed text. An empty string, or nil without a last text, removes the
    ///     selection.
    /// - Throws: `.unknownHost`, `.unknownEnvironment` or `.invalidUserHost` without changing anything; or an error of
    ///   the store after changing the selection, which is then not stored.
    public func select(_ key: String, for canonicalHost: String, userHost: String? = nil) throws(NetworkError) {
        let name = HostSyntax.normalized(canonicalHost)
        try change { snapshot, _, _ throws(NetworkError) in
            guard let configuration = snapshot.map[canonicalHost] else {
                var error = NetworkError(
                    .unknownHost,
                    "the host map has no \"\(canonicalHost)\", only "
                        + snapshot.map.configurations.map { "\"\($0.canonicalHost)\"" }.joined(separator: ", "))
                error.file = snapshot.map.file
                throw error
            }
            guard let entry = configuration[key] else {
                var error = NetworkError(
                    .unknownEnvironment,
                    "\"\(configuration.canonicalHost)\" has no environment \"\(key)\", only "
                        + configuration.hosts.map { "\"\($0.key)\"" }.joined(separator: ", "))
                (error.key, error.file, error.line) = (key, snapshot.map.file, configuration.line)
                throw error
            }
            let pattern = HostPattern(entry.host)
            var (choices, typed) = (snapshot.choices, snapshot.typed)
            if pattern.editing == .none {
                guard userHost == nil else {
                    var error = NetworkError(
                        .invalidUserHost, "the host of \"\(key)\" is fixed; none can be typed for it")
                    error.key = key
                    throw error
                }
                choices[name] = HostChoice(
                    key: key, pair: ProtocolHostPair(scheme: entry.scheme, host: entry.host ?? ""), origin: .chosen)
            } else if let text = userHost ?? typed[name]?[key], !text.isEmpty {
                var host = ""
                do throws(NetworkError) { host = try pattern.fill(text) } catch {
                    var error = error
                    error.key = key
                    throw error
                }
                typed[name, default: [:]][key] = text
                choices[name] = HostChoice(
                    key: key, pair: ProtocolHostPair(scheme: entry.scheme, host: host), origin: .chosen)
            } else {
                typed[name]?[key] = nil
                choices[name] = nil
            }
            return snapshot.with(choices, typed: typed)
        }
    }

    /// Selects the release environment of every canonical host and removes the user's selections.
    ///
    /// A host without a release environment resolves to itself. The selection isn't stored: the next run starts without
    /// one.
    public func selectRelease() { chooseAll(.release) { $0.releaseKey } }

    /// Selects the prerelease environment of every canonical host and removes the user's selections.
    ///
    /// A host without a prerelease environment resolves to itself. The selection isn't stored: the next run starts
    /// without one.
    public func selectPrerelease() { chooseAll(.prerelease) { $0.prereleaseKey } }

    private func chooseAll(_ origin: HostChoice.Origin, _ key: (HostConfiguration) -> String?) {
        try? change { snapshot, _, _ in
            var choices: [String: HostChoice] = [:]
            for configuration in snapshot.map.configurations {
                guard let entry = key(configuration).flatMap({ configuration[$0] }), let host = entry.host else {
                    continue
                }
                choices[HostSyntax.normalized(configuration.canonicalHost)] = HostChoice(
                    key: entry.key, pair: ProtocolHostPair(scheme: entry.scheme, host: host), origin: origin)
            }
            return snapshot.with(choices)
        }
    }

    /// Changes the environments for hosts without a selection; selections remain.
    public func setDefaults(_ defaults: HostDefault) {
        try? change { snapshot, _, _ in
            HostSnapshot(map: snapshot.map, choices: snapshot.choices, typed: snapshot.typed, defaults: defaults)
        }
    }

    /// Removes the selection of a canonical host, even if the map doesn't contain the host.
    ///
    /// A failure to store is listed in ``warnings``.
    ///
    /// - Parameter canonicalHost: The canonical host, or nil for all.
    public func reset(_ canonicalHost: String? = nil) {
        try? change { snapshot, foreign, _ in
            var choices = snapshot.choices
            if let canonicalHost {
                let name = HostSyntax.normalized(canonicalHost)
                choices[name] = nil
                foreign.removeAll { HostSyntax.normalized($0.0) == name }
            } else {
                (choices, foreign) = ([:], [])
            }
            return snapshot.with(choices)
        }
    }

    // MARK: Changes

    /// Replaces the snapshot, then saves and notifies outside the lock, in the order of the changes.
    func change(
        _ make: (HostSnapshot, inout [(String, JSONEntity)], inout [HostWarning]) throws(NetworkError) -> HostSnapshot
    ) throws(NetworkError) {
        let ticket = tickets.add(1, ordering: .relaxed).newValue
        let outcome = state.withLock { state -> Result<HostSnapshot, NetworkError> in
            Result { () throws(NetworkError) in
                let (old, kept) = (state.snapshot, HostRestoration.stored(state.snapshot, state.foreign))
                let new = try make(old, &state.foreign, &state.warnings)
                state.snapshot = new
                state.effects += Self.effects(from: old, kept, to: new, state, ticket)
                return old
            }
        }
        _ = try outcome.get()
        try drain(ticket)
    }

    private static func effects(
        from old: HostSnapshot, _ oldKept: JSONEntity, to new: HostSnapshot, _ state: State, _ ticket: UInt64
    ) -> [Effect] {
        var effects: [Effect] = []
        let kept = HostRestoration.stored(new, state.foreign)
        if kept != oldKept { effects.append(.save(kept, ticket: ticket)) }
        let names = old.map.configurations.map(\.canonicalHost)
        let added = new.map.configurations.map(\.canonicalHost).filter { old.map[$0] == nil }
        for host in names + added {
            let change = HostChange(
                canonicalHost: host, key: new.selectedKey(host), previous: old.resolve(host), current: new.resolve(host)
            )
            if old.selectedKey(host) != change.key || change.previous != change.current {
                effects.append(.announce(change, Array(state.watchers.values)))
            }
        }
        return effects
    }

    /// Performs pending effects, unless another thread is performing them.
    private func drain(_ ticket: UInt64) throws(NetworkError) {
        var own: NetworkError?
        var isFirst = true
        while true {
            let begins = isFirst
            let effects = state.withLock { state -> [Effect]? in
                if begins, state.isDraining { return nil }
                state.isDraining = !state.effects.isEmpty
                defer { state.effects = [] }
                return state.isDraining ? state.effects : nil
            }
            isFirst = false
            guard let effects else { break }
            for effect in effects {
                switch effect {
                case .announce(let change, let watchers):
                    for watcher in watchers { watcher.yield(change) }
                case .save(let choices, let saved):
                    do throws(NetworkError) {
                        try store.save(choices)
                    } catch {
                        if saved == ticket { own = error }
                        let warning = HostWarning(
                            message: "the selection applies but can't be stored: \(error.message)", path: "$",
                            file: error.file)
                        state.withLock { $0.warnings.append(warning) }
                    }
                }
            }
        }
        if let own { throw own }
    }
}
