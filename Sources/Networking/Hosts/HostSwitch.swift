internal import AshlarCore
import Synchronization

/// The live choice among the environments of a host map, remembered between runs.
///
/// Choose from any thread; every lookup sees one whole choice, never the scheme of one and the host of another. Choices
/// made by ``choose(_:for:userHost:)`` are kept in the store and come back when a switch is made with the same store.
/// Hand the switch to a client, and its endpoints follow.
///
/// ```swift
/// let map = try HostMap(json: Array(#"""
///     {"configurations": [{"canonical_host": "api.example.com", "canonical_protocol": "https", "release_key": "PROD",
///       "hosts": [{"key": "PROD", "host": "api.example.com"}, {"key": "QA", "host": "qa.example.com"}, {"key": "USER"}]}]}
///     """#.utf8))
/// let hosts = HostSwitch(map)
/// try hosts.choose("QA", for: "api.example.com")
/// assert(hosts.resolve("api.example.com") == ProtocolHostPair(scheme: "https", host: "qa.example.com"))
/// try hosts.choose("USER", for: "api.example.com", userHost: "localhost:8080")
/// assert(hosts.rows[0].rows[2].isChosen)
/// hosts.clear()
/// assert(hosts.resolve("api.example.com") == nil)
/// ```
///
/// The idea, the file and the remembered choice are SquidKit's; its switch is `HostMapManager`.
public final class HostSwitch: Sendable {
    struct State {
        var snapshot: HostSnapshot
        var warnings: [HostWarning] = []
        /// Remembered choices of hosts that the map does not know; kept as they are.
        var foreign: [(String, JSONEntity)] = []
        var watchers: [Int: AsyncStream<HostChange>.Continuation] = [:]
        var nextWatcher = 0
        var effects: [Effect] = []
        var isDraining = false
    }

    /// What is to be done after a change, in the order of changes and outside the lock.
    enum Effect {
        case save(JSONEntity, ticket: UInt64)
        case announce(HostChange, [AsyncStream<HostChange>.Continuation])
    }

    let state: Mutex<State>
    private let store: any HostChoiceStore
    private let tickets = Atomic<UInt64>(0)

    /// Creates a switch and takes up what the store remembers.
    ///
    /// What the store holds and the map does not allow any more is left out and named in ``warnings``, as is a store
    /// that cannot be read.
    ///
    /// - Parameters:
    ///   - map: The environments.
    ///   - store: Where choices are kept; in memory unless given.
    public init(_ map: HostMap, store: any HostChoiceStore = .memory) {
        self.store = store
        var restored = HostRestoration(map)
        do {
            restored.takeUp(try store.load())
        } catch {
            restored.warn(error.message, path: error.path ?? "$", file: error.file, line: error.line, error.column)
        }
        state = Mutex(
            State(
                snapshot: HostSnapshot(map: map, choices: restored.choices, typed: restored.typed),
                warnings: restored.warnings, foreign: restored.foreign))
    }

    deinit {
        for watcher in state.withLock({ $0.watchers.values }) { watcher.finish() }
    }

    // MARK: Looking

    /// The map and the choice at this moment, as a value that does not change.
    public var current: HostSnapshot { state.withLock { $0.snapshot } }

    /// Returns the pair that is chosen for a canonical host, or nil if none is chosen or the host is unknown.
    ///
    /// - Parameters:
    ///   - canonicalHost: The name, with its port if the map's has one; case and a dot at the end do not count.
    ///   - scheme: The scheme that the endpoint names. It yields to the chosen environment's and beats the
    ///     configuration's `canonical_protocol`.
    /// - Returns: The pair, or nil.
    /// - Complexity: O(1).
    public func resolve(_ canonicalHost: String, scheme: String? = nil) -> ProtocolHostPair? {
        state.withLock { $0.snapshot.resolve(canonicalHost, scheme: scheme) }
    }

    /// What a list, a menu or a table shows: a section for each canonical host, a row for each environment.
    ///
    /// - Complexity: O(*n*) in the number of environments.
    public var rows: [HostSection] { current.rows }

    /// Explains what ``resolve(_:scheme:)`` gives for a canonical host.
    public func explain(_ canonicalHost: String) -> HostExplanation { current.explain(canonicalHost) }

    /// What could not be taken up from the store or kept in it, oldest first; the map's own warnings are not repeated.
    public var warnings: [HostWarning] { state.withLock { $0.warnings } }

    /// The choice as a client asks for it: `NetworkClient(transport: transport, hosts: hosts.resolver)`.
    ///
    /// A host that the map knows but for which nothing is chosen gets its `canonical_protocol` if the endpoint names no
    /// scheme.
    public var resolver: HostResolver {
        { host, scheme in self.state.withLock { $0.snapshot.resolveForClient(host, scheme) } }
    }

    // MARK: Choosing

    /// Chooses an environment for a canonical host and remembers it.
    ///
    /// - Parameters:
    ///   - key: The key of the environment.
    ///   - canonicalHost: The canonical host.
    ///   - userHost: What the user typed, for an environment that is typed: a host with an optional port, or what fills
    ///     the placeholder. Nil takes what was typed for it last. Empty, or nil if nothing was, clears the choice.
    /// - Throws: `.unknownHost`, `.unknownEnvironment` or `.invalidUserHost`, and nothing is changed; `.fileFailed` or
    ///   what else the store throws, and the choice is in force but will not be remembered.
    public func choose(_ key: String, for canonicalHost: String, userHost: String? = nil) throws(NetworkError) {
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
            return HostSnapshot(map: snapshot.map, choices: choices, typed: typed)
        }
    }

    /// Puts every canonical host to its release environment; what the user chose is forgotten.
    ///
    /// A host without one goes back to the canonical host. The choice is not remembered: the next run begins without
    /// any.
    public func chooseRelease() { chooseAll(.release) { $0.releaseKey } }

    /// Puts every canonical host to its prerelease environment; what the user chose is forgotten.
    ///
    /// A host without one goes back to the canonical host. The choice is not remembered: the next run begins without
    /// any.
    public func choosePrerelease() { chooseAll(.prerelease) { $0.prereleaseKey } }

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
            return HostSnapshot(map: snapshot.map, choices: choices, typed: snapshot.typed)
        }
    }

    /// Goes back to the canonical host and forgets the choice, also one of a host that the map does not know.
    ///
    /// A store that fails is named in ``warnings``.
    ///
    /// - Parameter canonicalHost: The canonical host, or nil for all of them.
    public func clear(_ canonicalHost: String? = nil) {
        try? change { snapshot, foreign, _ in
            var choices = snapshot.choices
            if let canonicalHost {
                let name = HostSyntax.normalized(canonicalHost)
                choices[name] = nil
                foreign.removeAll { HostSyntax.normalized($0.0) == name }
            } else {
                (choices, foreign) = ([:], [])
            }
            return HostSnapshot(map: snapshot.map, choices: choices, typed: snapshot.typed)
        }
    }

    /// Replaces the map.
    ///
    /// Choices whose environments are still there stay, with the host and scheme of the new map; release and prerelease
    /// are those of the new map. Choices of hosts that
    /// only one of the maps knows are remembered and taken up again with the map that knows them, as at the start. A
    /// choice whose environment is gone is dropped, with a warning if it was remembered.
    public func update(_ map: HostMap) {
        try? change { snapshot, foreign, warnings in
            // What the new map does not know stays remembered; what only the new one knows is taken up.
            foreign += HostRestoration.remembered(snapshot).filter { map[$0.0] == nil }
            var restored = HostRestoration(map)
            restored.takeUp(JSONEntity(object: foreign))
            foreign = restored.foreign
            warnings += restored.warnings
            var choices = restored.choices
            let typed = snapshot.typed.merging(restored.typed) { present, _ in present }
            for configuration in map.configurations {
                let name = HostSyntax.normalized(configuration.canonicalHost)
                guard var choice = snapshot.choices[name] else { continue }
                if choice.origin == .release { choice.key = configuration.releaseKey ?? "" }
                if choice.origin == .prerelease { choice.key = configuration.prereleaseKey ?? "" }
                guard let entry = configuration[choice.key] else {
                    if choice.isRemembered {
                        warnings.append(
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
                    continue
                }
                choices[name] = choice
            }
            return HostSnapshot(map: map, choices: choices, typed: typed)
        }
    }

    /// Reads a map from a file and replaces the present one.
    ///
    /// - Throws: `.fileFailed` or `.invalidHostMap`; the present map stays in force.
    public func reload(contentsOfFile path: String, strict: Bool = false) throws(NetworkError) {
        update(try HostMap(contentsOfFile: path, strict: strict))
    }

    // MARK: Changing

    /// Replaces the snapshot and then, outside the lock and in the order of changes, tells the store and the watchers.
    private func change(
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
                canonicalHost: host, key: new.chosenKey(host), previous: old.resolve(host), current: new.resolve(host))
            if old.chosenKey(host) != change.key || change.previous != change.current {
                effects.append(.announce(change, Array(state.watchers.values)))
            }
        }
        return effects
    }

    /// Carries out what is to be done; if another thread is at it already, that one does.
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
                            message: "the choice is in force but cannot be remembered: \(error.message)", path: "$",
                            file: error.file)
                        state.withLock { $0.warnings.append(warning) }
                    }
                }
            }
        }
        if let own { throw own }
    }
}
