public import Ashlar
public import AshlarAppConfig
internal import AshlarCore
internal import AshlarLogging
internal import AshlarNetworking
internal import Foundation

/// Configuration that all processes of a fleet share, in a key-value bucket of the server.
///
/// A key of the bucket is `config.` and a path, such as `config.api.timeout`. Its value is JSON, and lies over the files of the
/// configuration. Other keys are ignored.
///
/// Pins of the files that the app ships take precedence over those of the bucket.
///
/// Assign it before the start of the app, and connect the app later. Without a server, the app starts with the last good
/// values, which are stored in a file.
///
/// ```swift
/// import Ashlar
/// import AshlarFleet
///
/// var configuration = AshlarApp.Configuration()
/// configuration.fleet = FleetSettings(cache: "/var/cache/acme/fleet.json")
/// let app = AshlarApp(configuration)
/// let fleet = try await Fleet.connect(app, to: "nats://127.0.0.1:4222")
/// try await fleet.set("api.timeout", to: 5)  // every process has it a few milliseconds later
/// ```
///
/// A value that isn't JSON is logged, and the last good value of its key remains in use. If the configuration doesn't load
/// with a changed value, this is logged, and the value from before the change remains; other keys change.
public final class FleetSettings: Sendable {
    /// A value of the bucket and its origin.
    struct Value: Codable, Sendable, Equatable {
        var bytes: [UInt8]
        var revision: Int
        /// The time at which this process received it, in seconds since 1970.
        var received: Double

        /// The value of a configuration; nil if the bytes aren't JSON.
        var json: ConfigValue? { try? JSONEntity(parsing: bytes).decode(ConfigValue.self) }
    }

    private struct State: Sendable {
        var values: [String: Value] = [:]
        /// The values with which the configuration doesn't load; they are tried again with each change.
        var rejected: [String: Value] = [:]
        /// The keys without which it doesn't load; their removal is tried again, too.
        var removed: Set<String> = []
        /// The name of the bucket; a placeholder before the first connection.
        var bucket = "settings"
    }

    private let state = Mutex(State())
    private let cache: String?
    /// The beginning of a key.
    static let prefix = "config."

    /// Creates settings, whose values are those of the file until the first connection.
    ///
    /// - Parameter cache: The path of a file for the last good values; nil stores none.
    public init(cache: String? = nil) {
        self.cache = cache
        guard let cache, let bytes = try? WholeFile.read(cache, limit: 64 << 20) else { return }
        do {
            let values = try JSONEntity(parsing: bytes).decode([String: Value].self)
            state.withLock { $0.values = values }
        } catch {
            Log("fleet").error("the stored settings '\(cache)' can't be read: \(error)")
        }
    }

    private var values: [String: Value] { state.withLock { $0.values } }

    // MARK: Changes

    /// Applies the changes of a bucket to an app, in their order, until the task is cancelled.
    func follow(_ bucket: KeyValueBucket, _ app: AshlarApp) -> Task<Void, Never> {
        let (changes, continuation) = AsyncStream.makeStream(of: ([KeyValueBucket.Entry], Bool).self)
        let watch = KeyValueWatch(bucket) { continuation.yield(($0, $1)) }
        state.withLock { $0.bucket = bucket.name }
        return Task.detached { [self, weak app] in
            for await (entries, isComplete) in changes {
                let settings = entries.filter { $0.key.hasPrefix(Self.prefix) }
                if let app, isComplete || !settings.isEmpty { apply(settings, isComplete, to: app.config) }
            }
            withExtendedLifetime(watch) {}
        }
    }

    private func apply(_ entries: [KeyValueBucket.Entry], _ isComplete: Bool, to config: ConfigStore) {
        let old = values
        let (rejected, removed) = state.withLock { ($0.rejected, $0.removed) }
        let wanted = old.merging(rejected) { $1 }.filter { !removed.contains($0.key) }
        let new = Self.values(entries, after: wanted, isComplete: isComplete)
        let changed = Set(old.keys).union(new.keys).filter { old[$0]?.bytes != new[$0]?.bytes }
        state.withLock { state in
            state.values = new
            state.rejected = [:]
            state.removed = []
        }
        if changed.isEmpty { return }
        do { try config.reload() } catch {
            Log("fleet").error("a change of \(changed.sorted()) is rejected: \(error)")
            reload(config, from: old, to: new, changed)
        }
        save()
    }

    /// Loads the configuration with those of the changed values with which it loads, the oldest first.
    private func reload(_ config: ConfigStore, from old: [String: Value], to new: [String: Value], _ keys: Set<String>)
    {
        var values = new
        for key in keys { values[key] = old[key] }
        if keys.count > 1 {
            for key in keys.sorted(by: { new[$0]?.revision ?? 0 < new[$1]?.revision ?? 0 }) {
                values[key] = new[key]
                state.withLock { [values] in $0.values = values }
                if (try? config.reload()) == nil { values[key] = old[key] }
            }
        }
        state.withLock { [values] state in
            state.values = values
            state.rejected = new.filter { values[$0.key] != $0.value }
            state.removed = Set(values.keys).subtracting(new.keys)
        }
        _ = try? config.reload()
    }

    /// Returns the values after a change.
    private static func values(
        _ entries: [KeyValueBucket.Entry], after old: [String: Value], isComplete: Bool
    ) -> [String: Value] {
        let now = Date().timeIntervalSince1970
        var values = isComplete ? [:] : old
        for entry in entries {
            let last = old[entry.key]
            let new = entry.value.map { Value(bytes: $0, revision: entry.revision, received: now) }
            let isUsable = new == nil || new?.json != nil
            if !isUsable { Log("fleet").error("the value of '\(entry.key)' isn't JSON, so it is ignored") }
            // A value that was known before keeps its time. A bucket that was created again begins with the same numbers.
            let isKnown = new?.revision == last?.revision && new?.bytes == last?.bytes
            values[entry.key] = isUsable && !isKnown ? new : last
        }
        return values
    }

    /// Stores the values for the next start.
    private func save() {
        guard let cache else { return }
        do {
            let bytes = try JSONFormat().encode(values)
            try AtomicFile.replace(cache) { bytes }
        } catch {
            Log("fleet").error("the settings can't be stored in '\(cache)': \(error)")
        }
    }
}

extension FleetSettings: ConfigSource {
    /// The name of the bucket.
    public var name: String { "bucket \(state.withLock { $0.bucket })" }

    /// The values, each with its key, revision and time as its location.
    ///
    /// - Throws: `ConfigError` for a value that isn't JSON.
    public func content() throws -> ConfigSourceContent {
        let values = values
        if values.isEmpty { return .missing }
        let name = name
        var document = ConfigDocument()
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            let path = ConfigPath(String(key.dropFirst(Self.prefix.count)))
            let received = Date(timeIntervalSince1970: value.received)
            let time = RFC3339.format(secondsSince2001: received.timeIntervalSinceReferenceDate) ?? "unknown time"
            let place = ConfigLocation(file: "\(name), key \(key), revision \(value.revision), \(time)")
            guard let read = value.json else {
                throw ConfigError(
                    .malformedSource, key: path, location: place, expected: "JSON", found: "other text")
            }
            try document.set(read, at: path, from: place)
        }
        return .document(document)
    }
}

extension FleetSettings: AppAddition, StartedAddition {
    package func started(client: NetworkClient, issues: inout [StartupIssue]) -> any StartedAddition { self }

    package var source: (any ConfigSource)? { self }
}

extension AshlarApp.Configuration {
    /// The settings that the processes of a fleet share; nil for none.
    public var fleet: FleetSettings? {
        get { additions.lazy.compactMap { $0 as? FleetSettings }.first }
        set {
            additions.removeAll { $0 is FleetSettings }
            if let newValue { additions.append(newValue) }
        }
    }
}
