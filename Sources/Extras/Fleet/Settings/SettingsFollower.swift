internal import Ashlar
internal import AshlarCore
internal import AshlarCustomization
internal import AshlarLogging
internal import AshlarNetworking

/// Applies the changes of the bucket to an app, in their order.
final class SettingsFollower: Sendable {
    private let settings: FleetSettings
    private weak let app: AshlarApp?
    private let bucket: String
    private let changes: AsyncStream<([KeyValueBucket.Entry], Bool)>.Continuation
    private let work = Mutex<(watch: KeyValueWatch?, task: Task<Void, Never>?)>((nil, nil))

    init(_ settings: FleetSettings, _ app: AshlarApp, _ bucket: KeyValueBucket) {
        self.settings = settings
        self.app = app
        self.bucket = bucket.name
        let (stream, changes) = AsyncStream.makeStream(of: ([KeyValueBucket.Entry], Bool).self)
        self.changes = changes
        let watch = bucket.watch { changes.yield(($0, $1)) }
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
