extension HostChoiceStore {
    /// Returns a scope of the store, so that the selections of a debug build don't apply to a release build.
    ///
    /// The selections of the scope `debug` are stored next to the others under the key `@debug`, which is not a host
    /// name. Those of the empty scope are the ones that SquidKit reads and writes.
    public func scoped(_ scope: String) -> any HostChoiceStore { ScopedHostChoiceStore(self, scope: scope) }
}

/// A scope of another store; see ``HostChoiceStore/scoped(_:)``.
struct ScopedHostChoiceStore: HostChoiceStore {
    private let store: any HostChoiceStore
    private let scope: String

    /// Creates a store for one scope of another store.
    init(_ store: any HostChoiceStore, scope: String) { (self.store, self.scope) = (store, scope) }

    /// Returns the scope's object saved last, or a missing entity if there is none.
    func load() throws(NetworkError) -> JSONEntity {
        let all = try store.load()
        guard scope.isEmpty else { return all["@" + scope] }
        guard all.isObject else { return all }
        return JSONEntity(object: all.filter { !Self.isScope($0.key) }.map { ($0.key, $0) })
    }

    /// Saves the scope's object without changing other scopes, even if other processes save them.
    ///
    /// If the other store can't be loaded, its content is replaced.
    func save(_ choices: JSONEntity) throws(NetworkError) {
        try store.update { all in
            var items = (all.isObject ? Array(all) : []).map { ($0.key, $0) }
            if scope.isEmpty {
                items.removeAll { !Self.isScope($0.0) }
                items = choices.map { ($0.key, $0) } + items
            } else {
                items.removeAll { $0.0 == "@" + scope }
                if choices.isObject, !choices.isEmpty { items.append(("@" + scope, choices)) }
            }
            return JSONEntity(object: items)
        }
    }

    private static func isScope(_ key: String) -> Bool { key.hasPrefix("@") }
}
