import Foundation
import Synchronization

/// Where the choices of a ``HostSwitch`` are kept between runs.
///
/// What is kept is one JSON object in SquidKit's shape, `{canonicalHost: {"key": k, "host": h}}`, so its caches can be
/// loaded. The switch calls a store on the thread that chooses, never two calls at once and never under a lock.
public protocol HostChoiceStore: Sendable {
    /// Returns the object that was saved last; a missing entity if there is none.
    func load() throws(NetworkError) -> JSONEntity
    /// Keeps an object; an empty one means that nothing is chosen.
    func save(_ choices: JSONEntity) throws(NetworkError)
}

/// The key under which SquidKit kept its choices.
public let hostChoiceStoreKey: String = "com.squidkit.hostMapCachePreferenceKey"

/// Keeps choices as long as the process lives.
public final class HostMemoryStore: HostChoiceStore {
    private let choices: Mutex<JSONEntity>

    /// Creates a store, with choices in it if some are given.
    public init(_ choices: JSONEntity = .missing) { self.choices = Mutex(choices) }

    /// Returns what was saved last.
    public func load() throws(NetworkError) -> JSONEntity { choices.withLock { $0 } }
    /// Keeps the choices.
    public func save(_ choices: JSONEntity) throws(NetworkError) {
        // The old value is released outside the lock.
        _ = self.choices.withLock { held in
            let old = held
            held = choices
            return old
        }
    }
}

/// Keeps nothing: every run begins with the canonical hosts.
public struct HostNoStore: HostChoiceStore {
    /// Creates the store.
    public init() {}
    /// Returns nothing.
    public func load() throws(NetworkError) -> JSONEntity { .missing }
    /// Does nothing.
    public func save(_ choices: JSONEntity) throws(NetworkError) {}
}

/// Keeps choices in a file, as a JSON object with one key: ``hostChoiceStoreKey``.
///
/// The file is replaced as a whole: after a crash in the middle of a save the old choices are there, or the new ones.
public struct HostFileStore: HostChoiceStore {
    /// The file.
    public let path: String

    /// Creates a store over a file, which need not exist; its folder must.
    public init(_ path: String) { self.path = path }

    /// Reads the file; one that does not exist holds nothing.
    ///
    /// - Throws: `.fileFailed` or `.invalidJSON`, with `file`.
    public func load() throws(NetworkError) -> JSONEntity {
        guard FileManager.default.fileExists(atPath: path) else { return .missing }
        return try JSONEntity(contentsOfFile: path, limits: JSONLimits(bytes: HostMap.largest))[hostChoiceStoreKey]
    }

    /// Replaces the file.
    ///
    /// - Throws: `.fileFailed` with `file`; the old content is still there.
    public func save(_ choices: JSONEntity) throws(NetworkError) {
        let text = JSONEntity(object: [(hostChoiceStoreKey, choices)]).bytes(.pretty)
        try WholeFile.replace(path, with: text + [0x0A])
    }
}

/// Keeps choices in the user's defaults, under SquidKit's key and in its shape.
public struct HostUserDefaultsStore: HostChoiceStore {
    /// The suite, or nil for the standard one.
    public let suiteName: String?

    /// Creates a store over a suite; one shared with an extension is named here.
    public init(suiteName: String? = nil) { self.suiteName = suiteName }

    private func defaults() throws(NetworkError) -> UserDefaults {
        guard let suiteName else { return .standard }
        guard let defaults = UserDefaults(suiteName: suiteName) else {
            throw NetworkError(.fileFailed, "there is no suite of user defaults named \"\(suiteName)\"")
        }
        return defaults
    }

    /// Reads the dictionary.
    ///
    /// - Throws: `.fileFailed` for a suite that cannot be opened, `.encodingFailed` for values that JSON has no form for.
    public func load() throws(NetworkError) -> JSONEntity {
        guard let dictionary = try defaults().dictionary(forKey: hostChoiceStoreKey) else { return .missing }
        return try JSONEntity(jsonDictionary: dictionary)
    }

    /// Writes the dictionary.
    ///
    /// - Throws: `.fileFailed` for a suite that cannot be opened.
    public func save(_ choices: JSONEntity) throws(NetworkError) {
        let dictionary = choices.object([:]).mapValues { $0.object([:]).compactMapValues { $0.string() } }
        try defaults().set(dictionary, forKey: hostChoiceStoreKey)
    }
}

extension HostChoiceStore where Self == HostMemoryStore {
    /// A new store that keeps choices as long as the process lives.
    public static var memory: HostMemoryStore { HostMemoryStore() }
}

extension HostChoiceStore where Self == HostNoStore {
    /// A store that keeps nothing.
    public static var none: HostNoStore { HostNoStore() }
}

extension HostChoiceStore where Self == HostFileStore {
    /// A store over a file, which need not exist; its folder must.
    public static func file(_ path: String) -> HostFileStore { HostFileStore(path) }
}

extension HostChoiceStore where Self == HostUserDefaultsStore {
    /// A store over the user's standard defaults.
    public static var userDefaults: HostUserDefaultsStore { HostUserDefaultsStore() }
}
