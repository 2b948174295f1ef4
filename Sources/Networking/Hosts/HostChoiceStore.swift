internal import AshlarCore
import Foundation

/// Storage for the selections of a ``HostSwitch`` between runs: memory, a file, the user's defaults, or an app's own.
///
/// The stored value is one JSON object in SquidKit's format, `{canonicalHost: {"key": k, "host": h}}`, so SquidKit's
/// caches can be loaded. The switch calls the store on the selecting thread, one call at a time and without holding a
/// lock.
public struct HostChoiceStore: Sendable {
    /// The key of SquidKit's stored selections, in files and in the user's defaults.
    package static let key: String = "com.squidkit.hostMapCachePreferenceKey"

    /// Returns the object saved last, or a missing entity if there is none.
    package let load: @Sendable () throws(NetworkError) -> JSONEntity
    /// Replaces the saved object with the result of a closure, which must not use the store.
    ///
    /// If the saved object can't be loaded, the closure receives a missing entity. For memory and files this is atomic:
    /// no other store of the same memory or file, in this process or another, saves between the load and the save.
    package let update: @Sendable (_ change: (JSONEntity) -> JSONEntity) throws(NetworkError) -> Void
}

extension HostChoiceStore {
    /// Creates a store from an app's own functions.
    ///
    /// - Parameters:
    ///   - load: Returns the object saved last, or a missing entity if there is none.
    ///   - save: Saves an object; an empty one means that nothing is selected.
    public init(
        load: @escaping @Sendable () throws(NetworkError) -> JSONEntity,
        save: @escaping @Sendable (JSONEntity) throws(NetworkError) -> Void
    ) {
        self.init(
            load: load, update: { change throws(NetworkError) in try save(change((try? load()) ?? .missing)) })
    }

    /// A new store that exists as long as the process.
    public static var memory: HostChoiceStore { memory() }

    /// Returns a new store that exists as long as the process and starts with the given selections.
    package static func memory(_ choices: JSONEntity = .missing) -> HostChoiceStore {
        let held = Mutex(choices)
        return HostChoiceStore(
            load: { held.withLock { $0 } },
            update: { change in
                // The old value is released outside the lock.
                _ = held.withLock { value in
                    let old = value
                    value = change(old)
                    return old
                }
            })
    }

    /// A store that saves nothing; every run starts with the canonical hosts.
    public static var none: HostChoiceStore { HostChoiceStore(load: { .missing }, update: { _ in }) }

    /// Returns a store in a file: a JSON object with SquidKit's key.
    ///
    /// The file need not exist, but its folder must. It is replaced atomically: after a crash it has either the old
    /// content or the new one.
    public static func file(_ path: String) -> HostChoiceStore { file(path, createsFolder: false) }

    /// Returns a store in a file, whose folder is created when a selection is saved.
    package static func file(_ path: String, createsFolder: Bool) -> HostChoiceStore {
        let load = { @Sendable () throws(NetworkError) -> JSONEntity in
            guard FileManager.default.fileExists(atPath: path) else { return .missing }
            let bytes = try JSONFile.read(path, limit: HostMap.largest, as: .jsonLimit, isOwn: true)
            do throws(NetworkError) {
                return try JSONEntity(parsing: bytes)[key]
            } catch {
                var error = error
                error.file = path
                throw error
            }
        }
        return HostChoiceStore(
            load: load,
            update: { change throws(NetworkError) in
                if createsFolder, let slash = path.lastIndex(of: "/") {
                    do throws(FileFailure) {
                        try FolderListing.create(String(path[..<slash]), permissions: 0o700)
                    } catch { throw NetworkError(error) }
                }
                try JSONFile.replace(path) {
                    let choices = change((try? load()) ?? .missing)
                    return JSONEntity(object: [(key, choices)]).bytes(indent: 2) + [UInt8(ascii: "\n")]
                }
            })
    }

    /// Returns a store in the user's defaults under SquidKit's key, or in those of a suite.
    public static func userDefaults(suiteName: String? = nil) -> HostChoiceStore {
        @Sendable func defaults() throws(NetworkError) -> UserDefaults {
            guard let suiteName else { return .standard }
            guard let defaults = UserDefaults(suiteName: suiteName) else {
                throw NetworkError(.fileFailed, "no suite of user defaults named \"\(suiteName)\"")
            }
            return defaults
        }
        return HostChoiceStore(
            load: { () throws(NetworkError) in
                guard let dictionary = try defaults().dictionary(forKey: key) else { return .missing }
                return try JSONEntity(jsonDictionary: dictionary)
            },
            save: { choices throws(NetworkError) in
                let entries = choices.dictionary([:])
                try defaults().set(
                    entries.mapValues { $0.dictionary([:]).compactMapValues { $0.string() } }, forKey: key)
            })
    }

    /// Returns a scope of the store, so that the selections of a debug build don't apply to a release build.
    ///
    /// The selections of the scope `debug` are stored next to the others under the key `@debug`, which is not a host
    /// name. Those of the empty scope are the ones that SquidKit reads and writes. Saving a scope doesn't change the
    /// others, even if other processes save them.
    package func scoped(_ scope: String) -> HostChoiceStore {
        @Sendable func isScope(_ key: String) -> Bool { key.hasPrefix("@") }
        @Sendable func part(_ all: JSONEntity) -> JSONEntity {
            guard scope.isEmpty else { return all["@" + scope] }
            guard all.isObject else { return all }
            return JSONEntity(object: all.filter { !isScope($0.key) }.map { ($0.key, $0) })
        }
        let (load, update) = (load, update)
        return HostChoiceStore(
            load: { () throws(NetworkError) in part(try load()) },
            update: { change throws(NetworkError) in
                try update { all in
                    let choices = change(part(all))
                    let items = (all.isObject ? Array(all) : []).map { ($0.key, $0) }
                    if scope.isEmpty {
                        return JSONEntity(object: choices.map { ($0.key, $0) } + items.filter { isScope($0.0) })
                    }
                    let others = items.filter { $0.0 != "@" + scope }
                    let isEmpty = !choices.isObject || choices.isEmpty
                    return JSONEntity(object: others + (isEmpty ? [] : [("@" + scope, choices)]))
                }
            })
    }
}
