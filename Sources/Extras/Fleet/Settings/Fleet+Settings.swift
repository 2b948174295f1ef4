internal import Ashlar
internal import AshlarCore
internal import AshlarCustomization
internal import AshlarLogging
internal import AshlarNetworking

extension Fleet {
    /// Sets a value of the configuration in all processes.
    ///
    /// - Parameters:
    ///   - path: The path of the value: keys of letters, digits, `-` and `_`, separated by `.`.
    ///   - value: The value; nil removes it, so that the one of the files applies again.
    /// - Throws: ``FleetError``; or the error of the value's type.
    public func set<Value: Encodable & Sendable>(_ path: String, to value: Value?) async throws {
        try await settingsBucket.put(try value.map { try FleetJSON.encode($0, as: Value.self) }, for: "config." + path)
    }

    /// Removes a value of the configuration in all processes, so that the one of the files applies again.
    public func remove(_ path: String) async throws { try await settingsBucket.put(nil, for: "config." + path) }

    /// Selects an environment of a host in all processes.
    ///
    /// - Parameters:
    ///   - environment: The key of the environment in the host map; nil ends the selection for processes that start later.
    ///   - host: The canonical host.
    public func selectHost(_ environment: String?, for host: String) async throws {
        try await settingsBucket.put(environment.map { Array($0.utf8) }, for: "hosts." + host)
    }

    /// Replaces texts in all processes.
    ///
    /// - Parameter update: The bytes of an update, see `CustomizationUpdate`; nil ends the update for processes that start
    ///   later.
    public func setTexts(_ update: [UInt8]?) async throws { try await settingsBucket.put(update, for: "texts") }
}

/// Applies the changes of the bucket to an app, in their order.
final class SettingsFollower: Sendable {
    private let settings: FleetSettings
    private weak let app: AshlarApp?
    private let bucket: String
    private let changes: AsyncStream<([KeyValueBucket.Entry], Bool)>.Continuation
    private let work = Mutex<(watch: KeyValueWatch?, task: Task<Void, Never>?)>((nil, nil))

    init(_ settings: FleetSettings, _ app: AshlarApp, _ bucket: KeyValueBucket) throws(FleetError) {
        self.settings = settings
        self.app = app
        self.bucket = bucket.name
        let (stream, changes) = AsyncStream.makeStream(of: ([KeyValueBucket.Entry], Bool).self)
        self.changes = changes
        let watch = try bucket.watch { changes.yield(($0, $1)) }
        let task = Task.detached { [weak self] in
            for await (entries, isComplete) in stream { self?.apply(entries, isComplete) }
        }
        work.withLock { $0 = (watch, task) }
    }

    deinit {
        changes.finish()
        work.withLock { $0.task }?.cancel()
    }

    private func apply(_ entries: [KeyValueBucket.Entry], _ isComplete: Bool) {
        guard let app else { return }
        let log = Log("fleet")
        let old = settings.values
        let changed = settings.apply(entries, isComplete: isComplete, bucket: bucket)
        guard !changed.isEmpty else { return }
        if changed.contains(where: { $0.hasPrefix("config.") }) {
            do { try app.config.reload() } catch {
                // The rest of the change remains: only the configuration returns to its last good values.
                log.error("a change of \(changed.sorted()) is rejected: \(error)")
                var values = settings.values.filter { !$0.key.hasPrefix("config.") }
                values.merge(old.filter { $0.key.hasPrefix("config.") }) { $1 }
                settings.restore(values)
                _ = try? app.config.reload()
            }
        }
        if changed.contains(where: { !$0.hasPrefix("config.") }) {
            for (part, error) in settings.useHostsAndTexts(app.hosts, app.customization) {
                log.error("a change of the \(part) is rejected: \(error)")
            }
        }
        settings.save()
    }
}
