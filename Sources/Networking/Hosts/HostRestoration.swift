/// Matches stored selections with a map, and provides the selections to store.
struct HostRestoration {
    private let map: HostMap
    private(set) var choices: [String: HostChoice] = [:]
    private(set) var typed: [String: [String: String]] = [:]
    private(set) var warnings: [HostWarning] = []
    private(set) var foreign: [(String, JSONEntity)] = []

    init(_ map: HostMap) { self.map = map }

    /// Matches an object in SquidKit's format; each invalid entry becomes a warning.
    mutating func takeUp(_ stored: JSONEntity) {
        guard stored.isValid, !stored.isNull else { return }
        guard stored.isObject else {
            return warn("expected an object of stored selections, found \(stored.kindName)", path: stored.path)
        }
        for item in stored {
            guard let configuration = map[item.key] else {
                foreign.append((item.key, item))
                continue
            }
            guard let key = item["key"].string() else {
                warn("expected a stored selection with a \"key\", found \(item["key"].kindName)", path: item.path)
                continue
            }
            guard let entry = configuration[key] else {
                warn(Self.goneMessage(key), path: item["key"].path)
                continue
            }
            let name = HostSyntax.normalized(item.key)
            let pattern = HostPattern(entry.host)
            var pair = ProtocolHostPair(scheme: entry.scheme, host: entry.host ?? "")
            if pattern.editing != .none {
                guard let host = item["host"].string(), HostSyntax.problem(host) == nil else {
                    let found = item["host"].string() == nil ? item["host"].kindName : "something else"
                    warn("expected a stored \"host\", found \(found)", path: item["host"].path)
                    continue
                }
                pair.host = host
                typed[name, default: [:]][key] = pattern.typedText(of: host)
            }
            choices[name] = HostChoice(key: key, pair: pair, origin: .restored)
        }
    }

    mutating func warn(
        _ message: String, path: String, file: String? = nil, line: Int? = nil, _ column: Int? = nil
    ) {
        warnings.append(HostWarning(message: message, path: path, file: file, line: line, column: column))
    }

    /// Returns the selections to store: the user's, and those of hosts that the map doesn't contain.
    static func stored(_ snapshot: HostSnapshot, _ foreign: [(String, JSONEntity)]) -> JSONEntity {
        JSONEntity(object: remembered(snapshot) + foreign)
    }

    /// Returns the user's selections of a snapshot, by canonical host, in the stored format.
    static func remembered(_ snapshot: HostSnapshot) -> [(String, JSONEntity)] {
        snapshot.map.configurations.compactMap { configuration in
            let name = HostSyntax.normalized(configuration.canonicalHost)
            guard let choice = snapshot.choices[name], choice.isRemembered else { return nil }
            return (
                configuration.canonicalHost,
                JSONEntity(object: [("key", JSONEntity(choice.key)), ("host", JSONEntity(choice.pair.host))])
            )
        }
    }

    static func goneMessage(_ key: String) -> String {
        "the stored environment \"\(key)\" is no longer in the host map"
    }
}

/// What a ``HostSwitch`` saved last, and whether a thread is saving.
struct HostSaving {
    /// A change of the stored selections.
    struct Step {
        let old: JSONEntity
        let new: JSONEntity
        let removesOthers: Bool

        /// Returns the stored selections with the switch's changes; those of other switches remain.
        func applied(to stored: JSONEntity) -> JSONEntity {
            if removesOthers || !stored.isObject { return new }
            let names = Set(new.map { HostSyntax.normalized($0.key) })
            let changed = new.filter { old[$0.key] != $0 }
            let gone = old.map { HostSyntax.normalized($0.key) }.filter { !names.contains($0) }
            let replaced = Set(changed.map { HostSyntax.normalized($0.key) } + gone)
            let others = stored.filter { !replaced.contains(HostSyntax.normalized($0.key)) }
            return JSONEntity(object: others.map { ($0.key, $0) } + changed.map { ($0.key, $0) })
        }
    }

    private var last: JSONEntity
    private var isActive = false
    /// Whether the next step removes the selections that other switches stored.
    var removesOthers = false

    init(last: JSONEntity) { self.last = last }

    /// Returns the next change to save, or nil if there is none or, at the first call, another thread is saving.
    mutating func next(current: JSONEntity, isFirst: Bool) -> Step? {
        if isFirst, isActive { return nil }
        isActive = current != last || removesOthers
        guard isActive else { return nil }
        let step = Step(old: last, new: current, removesOthers: removesOthers)
        last = current
        removesOthers = false
        return step
    }
}
