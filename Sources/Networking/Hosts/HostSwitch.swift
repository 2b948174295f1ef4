internal import AshlarCore
internal import AshlarTrees

/// The current selection among the environments of a host map, stored between runs.
///
/// A switch is thread-safe; each lookup returns the scheme and host of one selection. Selections made by
/// ``select(_:for:userHost:)`` are stored and restored by the next switch with the same store. Several switches, also in
/// several processes, can use one store: each stores only the selections that it changes. A client created with the
/// switch sends requests to the selected hosts.
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
    struct State: Sendable {
        var snapshot: HostSnapshot
        var warnings: [HostWarning] = []
        /// The stored selections of hosts missing from the map, saved unchanged.
        var foreign: [(String, JSONEntity)] = []

        /// The selections to store.
        var stored: JSONEntity { HostRestoration.stored(snapshot, foreign) }
    }

    private let state: Broadcast<State>
    private let store: HostChoiceStore
    /// The selections saved last, and whether a thread is saving.
    private let saving: Mutex<HostSaving>

    /// Creates a switch and restores the stored selections.
    ///
    /// Invalid stored selections are ignored and listed in ``warnings``, as is a failure to load.
    ///
    /// - Parameters:
    ///   - map: The environments.
    ///   - store: The store of selections; in memory by default.
    ///   - defaults: The environments of hosts without a selection; the canonical hosts by default.
    public init(_ map: HostMap, store: HostChoiceStore = .memory, defaults: HostDefault = .canonical) {
        self.store = store
        var restored = HostRestoration(map)
        do {
            restored.takeUp(try store.load())
        } catch {
            restored.warn(error.message, path: error.path ?? "$", file: error.file, line: error.line, error.column)
        }
        let snapshot = HostSnapshot(map: map, choices: restored.choices, typed: restored.typed, defaults: defaults)
        let first = State(snapshot: snapshot, warnings: restored.warnings, foreign: restored.foreign)
        state = Broadcast(first)
        saving = Mutex(HostSaving(last: first.stored))
    }

    // MARK: Lookup

    /// The current map and selections.
    package var current: HostSnapshot { state.read(\.snapshot) }

    /// Returns the selected pair of a canonical host, or nil if none is selected or the host is unknown.
    ///
    /// - Parameters:
    ///   - canonicalHost: The name, with its port if the map's name has one; case and a trailing dot are ignored.
    ///   - scheme: The scheme of the endpoint. The environment's scheme takes precedence over it; the configuration's
    ///     `canonical_protocol` applies if both are nil.
    /// - Returns: The pair, or nil.
    /// - Complexity: O(1).
    public func resolve(_ canonicalHost: String, scheme: String? = nil) -> ProtocolHostPair? {
        state.read { $0.snapshot.resolve(canonicalHost, scheme: scheme) }
    }

    /// The rows for a list, menu or table: a section for each canonical host, a row for each environment.
    ///
    /// - Complexity: O(*n*) in the number of environments.
    public var rows: [HostSection] { current.rows }

    /// Explains the result of ``resolve(_:scheme:)`` in one line: the environment, the origin of the selection, its line
    /// in the map's file, and the environments that aren't selected.
    public func explain(_ canonicalHost: String) -> String { current.explain(canonicalHost) }

    /// Problems with the store, oldest first; the map's own warnings aren't repeated.
    public var warnings: [HostWarning] { state.read(\.warnings) }

    /// The lookup for a client.
    ///
    /// A known host without a selection gets its `canonical_protocol` if the endpoint has no scheme.
    package var resolver: HostResolver {
        { [state] host, scheme in state.read { $0.snapshot.resolveForClient(host, scheme) } }
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
        try change { state throws(NetworkError) in
            let snapshot = state.snapshot
            guard let configuration = snapshot.map[canonicalHost] else {
                throw NetworkError(
                    .unknownHost,
                    "the host map has no \"\(canonicalHost)\", only "
                        + snapshot.map.configurations.map { "\"\($0.canonicalHost)\"" }.joined(separator: ", "),
                    file: snapshot.map.file)
            }
            guard let entry = configuration[key] else {
                throw NetworkError(
                    .unknownEnvironment,
                    "\"\(configuration.canonicalHost)\" has no environment \"\(key)\", only "
                        + configuration.hosts.map { "\"\($0.key)\"" }.joined(separator: ", "),
                    key: key, file: snapshot.map.file, line: configuration.line)
            }
            let pattern = HostPattern(entry.host)
            var choices = snapshot.choices
            var typed = snapshot.typed
            if pattern.editing == .none {
                guard userHost == nil else {
                    throw NetworkError(
                        .invalidUserHost, "the host of \"\(key)\" is fixed; none can be typed for it", key: key)
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
            state.snapshot = snapshot.with(choices, typed: typed)
        }
    }

    /// Selects the release environment of every canonical host and removes the user's selections.
    ///
    /// A host without a release environment has its default environment, or else resolves to itself. The selection isn't
    /// stored: the next run starts without one.
    public func selectRelease() { chooseAll(.release, .release) }

    /// Selects the prerelease environment of every canonical host and removes the user's selections.
    ///
    /// A host without a prerelease environment has its default environment, or else resolves to itself. The selection
    /// isn't stored: the next run starts without one.
    public func selectPrerelease() { chooseAll(.prerelease, .prerelease) }

    private func chooseAll(_ environments: HostDefault, _ origin: HostChoice.Origin) {
        try? change(removesOthers: true) { state in
            state.snapshot = state.snapshot.with(environments.choices(in: state.snapshot.map, origin))
        }
    }

    /// Changes the environments for hosts without a selection; selections remain.
    package func setDefaults(_ defaults: HostDefault) {
        try? change { state in
            let old = state.snapshot
            state.snapshot = HostSnapshot(
                map: old.map, choices: old.choices, typed: old.typed, defaults: defaults)
        }
    }

    /// Removes the selection of a canonical host, even if the map doesn't contain the host.
    ///
    /// A failure to store is listed in ``warnings``.
    ///
    /// - Parameter canonicalHost: The canonical host, or nil for all, including those that other switches stored.
    public func reset(_ canonicalHost: String? = nil) {
        try? change(removesOthers: canonicalHost == nil) { state in
            var choices = state.snapshot.choices
            if let canonicalHost {
                let name = HostSyntax.normalized(canonicalHost)
                choices[name] = nil
                state.foreign.removeAll { HostSyntax.normalized($0.0) == name }
            } else {
                choices = [:]
                state.foreign = []
            }
            state.snapshot = state.snapshot.with(choices)
        }
    }

    // MARK: The map

    /// Replaces the map by another map, whose hosts receive the client's credentials.
    ///
    /// Selections remain if the new map has their environments, and use its hosts and schemes; release and prerelease
    /// environments are those of the new map. Selections of hosts in only one of the maps are stored, and restored with
    /// the map that contains the host. Other selections are removed, with a warning if they were stored.
    public func update(_ map: HostMap) {
        try? change { state in
            let snapshot = state.snapshot
            // Selections of hosts missing from the new map remain stored; those of hosts only in the new map are
            // restored.
            state.foreign += HostRestoration.remembered(snapshot).filter { map[$0.0] == nil }
            var restored = HostRestoration(map)
            restored.takeUp(JSONEntity(object: state.foreign))
            state.foreign = restored.foreign
            state.warnings += restored.warnings
            var choices = restored.choices
            let typed = snapshot.typed.merging(restored.typed) { present, _ in present }
            for configuration in map.configurations {
                let name = HostSyntax.normalized(configuration.canonicalHost)
                guard var choice = snapshot.choices[name], choice.origin != .defaulted else { continue }
                if choice.origin == .release { choice.key = configuration.releaseKey ?? "" }
                if choice.origin == .prerelease { choice.key = configuration.prereleaseKey ?? "" }
                guard let entry = configuration[choice.key] else {
                    if choice.isRemembered {
                        state.warnings.append(
                            HostWarning(
                                message: HostRestoration.goneMessage(choice.key),
                                path: "$" + JSONText.pathStep(configuration.canonicalHost) + ".key"))
                    }
                    continue
                }
                let pattern = HostPattern(entry.host)
                choice.pair.scheme = entry.scheme
                if pattern.editing == .none {
                    choice.pair.host = entry.host ?? ""
                } else if let text = snapshot.typed[name]?[choice.key], let host = try? pattern.fill(text) {
                    choice.pair.host = host
                } else {
                    if choice.isRemembered {
                        state.warnings.append(
                            HostWarning(
                                message: "the stored text doesn't fit the host of \"\(choice.key)\"",
                                path: "$" + JSONText.pathStep(configuration.canonicalHost) + ".host"))
                    }
                    continue
                }
                choices[name] = choice
            }
            state.snapshot = HostSnapshot(
                map: map, choices: choices, typed: typed, defaults: snapshot.defaults)
        }
    }

    // MARK: Changes

    /// Returns the current snapshot, and then each new one; a slow reader receives only the newest.
    ///
    /// Selecting the current environment is no change. The stream ends when the switch is released or its task is
    /// cancelled.
    public func changes() -> AsyncStream<HostSnapshot> {
        state.changes(of: \.snapshot, unless: { $0.hasSameSelections(as: $1) })
    }

    /// Replaces the state, notifies its readers, and saves the selections if they differ.
    ///
    /// - Parameters:
    ///   - removesOthers: Whether the selections that other switches stored are removed, too.
    ///   - body: Changes the state.
    /// - Throws: The error of `body`, or of the store.
    private func change(
        removesOthers: Bool = false, _ body: (inout State) throws(NetworkError) -> Void
    ) throws(NetworkError) {
        do {
            try state.update { old in
                var new = old
                try body(&new)
                return new
            }
        } catch {
            throw NetworkError(wrapping: error)
        }
        if removesOthers { saving.withLock { $0.removesOthers = true } }
        try save()
    }

    /// Saves the selections until those saved are the current ones, unless another thread is saving.
    private func save() throws(NetworkError) {
        var failure: NetworkError?
        var isFirst = true
        while let step = saving.withLock({ $0.next(current: state.current.stored, isFirst: isFirst) }) {
            do throws(NetworkError) {
                try store.update { step.applied(to: $0) }
            } catch {
                if isFirst { failure = error }
                let warning = HostWarning(
                    message: "the selection applies but can't be stored: \(error.message)", path: "$", file: error.file)
                state.update { old in
                    var new = old
                    new.warnings.append(warning)
                    return new
                }
            }
            isFirst = false
        }
        if let failure { throw failure }
    }
}
