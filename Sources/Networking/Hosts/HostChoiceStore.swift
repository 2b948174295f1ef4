internal import AshlarCore
import Foundation

/// Storage for the selections of a ``HostSwitch`` between runs.
///
/// The stored value is one JSON object in SquidKit's format, `{canonicalHost: {"key": k, "host": h}}`, so SquidKit's
/// caches can be loaded. The switch calls the store on the selecting thread, one call at a time and without holding a
/// lock.
public protocol HostChoiceStore: Sendable {
    /// Returns the object saved last, or a missing entity if there is none.
    func load() throws(NetworkError) -> JSONEntity
    /// Saves an object; an empty one means that nothing is selected.
    func save(_ choices: JSONEntity) throws(NetworkError)
    /// Replaces the saved object with the result of `change`, atomically among the users of the store if it supports
    /// that.
    ///
    /// If the saved object can't be loaded, `change` receives a missing entity. By default, this method loads and
    /// saves.
    func update(_ change: (JSONEntity) -> JSONEntity) throws(NetworkError)
}

extension HostChoiceStore {
    /// Loads the object, changes it and saves it.
    public func update(_ change: (JSONEntity) -> JSONEntity) throws(NetworkError) {
        try save(change((try? load()) ?? .missing))
    }
}

/// A store in memory, in a file or in the user's defaults.
public struct BuiltInHostChoiceStore: HostChoiceStore {
    /// The key of SquidKit's stored selections, in files and in the user's defaults.
    static let key: String = "com.squidkit.hostMapCachePreferenceKey"

    fileprivate enum Kind: Sendable {
        case memory(Box)
        case none
        case file(String)
        case userDefaults(suite: String?)
    }

    fileprivate final class Box: Sendable {
        let choices: Mutex<JSONEntity>
        init(_ choices: JSONEntity) { self.choices = Mutex(choices) }
    }

    fileprivate let kind: Kind

    /// Returns the object saved last, or a missing entity if the file doesn't exist.
    ///
    /// - Throws: `.fileFailed`, `.invalidJSON` or `.encodingFailed`.
    public func load() throws(NetworkError) -> JSONEntity {
        switch kind {
        case .memory(let box): return box.choices.withLock { $0 }
        case .none: return .missing
        case .file(let path):
            guard FileManager.default.fileExists(atPath: path) else { return .missing }
            return try JSONEntity(contentsOfFile: path, limits: JSONLimits(bytes: HostMap.largest))[Self.key]
        case .userDefaults(let suite):
            guard let dictionary = try Self.defaults(suite).dictionary(forKey: Self.key) else { return .missing }
            return try JSONEntity(jsonDictionary: dictionary)
        }
    }

    /// Saves an object.
    ///
    /// - Throws: `.fileFailed`; the old content is then unchanged.
    public func save(_ choices: JSONEntity) throws(NetworkError) { try update { _ in choices } }

    /// Replaces the saved object with the result of `change`.
    ///
    /// For memory and files this is atomic: no other store of the same memory or file, in this process or another,
    /// saves between the load and the save. `change` must not use the store.
    ///
    /// - Throws: `.fileFailed`; the old content is then unchanged.
    public func update(_ change: (JSONEntity) -> JSONEntity) throws(NetworkError) {
        switch kind {
        case .memory(let box):
            // The old value is released outside the lock.
            _ = box.choices.withLock { held in
                let old = held
                held = change(old)
                return old
            }
        case .none: break
        case .file(let path):
            try JSONFile.replace(path) {
                JSONEntity(object: [(Self.key, change((try? load()) ?? .missing))]).bytes(indent: 2) + [0x0A]
            }
        case .userDefaults(let suite):
            let choices = change((try? load()) ?? .missing)
            let dictionary = choices.dictionary([:]).mapValues { $0.dictionary([:]).compactMapValues { $0.string() } }
            try Self.defaults(suite).set(dictionary, forKey: Self.key)
        }
    }

    private static func defaults(_ suite: String?) throws(NetworkError) -> UserDefaults {
        guard let suite else { return .standard }
        guard let defaults = UserDefaults(suiteName: suite) else {
            throw NetworkError(.fileFailed, "no suite of user defaults named \"\(suite)\"")
        }
        return defaults
    }
}

extension HostChoiceStore where Self == BuiltInHostChoiceStore {
    /// A new store that exists as long as the process.
    public static var memory: BuiltInHostChoiceStore { memory() }

    /// Returns a new store that exists as long as the process and starts with the given selections.
    static func memory(_ choices: JSONEntity = .missing) -> BuiltInHostChoiceStore {
        BuiltInHostChoiceStore(kind: .memory(.init(choices)))
    }

    /// A store that saves nothing; every run starts with the canonical hosts.
    public static var none: BuiltInHostChoiceStore { BuiltInHostChoiceStore(kind: .none) }

    /// Returns a store in a file: a JSON object with SquidKit's key.
    ///
    /// The file need not exist, but its folder must. It is replaced atomically: after a crash it has either the old
    /// content or the new one.
    public static func file(_ path: String) -> BuiltInHostChoiceStore { BuiltInHostChoiceStore(kind: .file(path)) }

    /// Returns a store in the user's defaults under SquidKit's key, or in those of a suite.
    public static func userDefaults(suiteName: String? = nil) -> BuiltInHostChoiceStore {
        BuiltInHostChoiceStore(kind: .userDefaults(suite: suiteName))
    }
}

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
    init(_ store: any HostChoiceStore, scope: String) {
        self.store = store
        self.scope = scope
    }

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
