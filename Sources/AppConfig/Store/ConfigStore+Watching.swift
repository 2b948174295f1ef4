import Synchronization

/// How changes of files are noticed.
public enum ConfigWatchMode: Sendable, Hashable {
    /// By events of the system; where it has none to give, by polling once a second, with a remark in `diagnostics`.
    case automatic
    /// By looking at the files on a timer, for file systems without events, such as network shares.
    case polling(every: Duration)
}

/// A running watch over a store's files; it ends when it is cancelled or released.
public final class ConfigWatch: Sendable {
    /// Whether the files are looked at on a timer.
    public let isPolling: Bool
    private let end: @Sendable () -> Void

    init(isPolling: Bool, end: @escaping @Sendable () -> Void) {
        self.isPolling = isPolling
        self.end = end
    }

    /// Ends the watch; a reload that has begun is carried out.
    public func cancel() { end() }

    deinit { end() }
}

extension ConfigStore {
    /// Reloads whenever a file of the plan changes, appears or vanishes, as long as the result is held.
    ///
    /// In-place writes, atomic renames, deletion and re-creation, and swaps of symbolic links or whole directories on the way
    /// to a file are seen, and so is what changed since the files were read last. Events are gathered for 20 ms; a file that
    /// vanishes has 200 ms to come back before it counts as missing. A reload that fails keeps the last good values and goes to
    /// ``errors`` and ``events()``; watching goes on. A file that was touched without change wakes nobody. Reloads run on a
    /// thread of the library; on Linux one thread and one inotify descriptor serve all stores of the process, and a file
    /// that comes to lie where the system refuses to watch is looked at every second.
    ///
    /// On Apple systems files inside of a bundle never change; watch a directory outside of it.
    public func watch(_ mode: ConfigWatchMode = .automatic) -> ConfigWatch {
        let (files, reload) = (plan?.filePaths ?? [], reloading)
        if files.isEmpty { return ConfigWatch(isPolling: false) {} }
        if case .polling(let interval) = mode { return poll(files, every: interval, reload) }
        #if os(Linux)
            return watch(files, by: .shared)
        #elseif canImport(Darwin)
            let watch = DispatchWatch(files) { reload(files.map { FileSignature($0) }) }
            reloadIfChanged(files)
            return ConfigWatch(isPolling: false) { watch.cancel() }
        #else
            return pollInstead(files, reload)
        #endif
    }

    private var reloading: @Sendable ([FileSignature?]) -> Void {
        { [weak self] signatures in _ = try? self?.reload(whatWasThere: signatures) }
    }

    #if os(Linux)
        func watch(_ files: [String], by hub: InotifyHub) -> ConfigWatch {
            guard let number = hub.add(files, reloading) else { return pollInstead(files, reloading) }
            reloadIfChanged(files)
            return ConfigWatch(isPolling: false) { hub.remove(number) }
        }
    #endif

    /// Reads files that were changed after they were read last and before they were watched.
    private func reloadIfChanged(_ files: [String]) {
        if files.map({ FileSignature($0) }) != state.withLock({ $0.signatures }) { _ = try? reload() }
    }

    private func pollInstead(_ files: [String], _ reload: @escaping @Sendable ([FileSignature?]) -> Void) -> ConfigWatch
    {
        current.remark(
            ConfigDiagnostic(
                .watchingByPolling, message: "the system has no file events to give; files are looked at every second"))
        return poll(files, every: .seconds(1), reload)
    }

    private func poll(
        _ files: [String], every interval: Duration, _ reload: @escaping @Sendable ([FileSignature?]) -> Void
    ) -> ConfigWatch {
        let watch = PollingWatch(files, every: interval, reload)
        watch.start()
        reloadIfChanged(files)
        return ConfigWatch(isPolling: true) { watch.cancel() }
    }
}

extension ConfigPlan {
    /// The paths of all files the plan may read, whether they are there or not.
    var filePaths: [String] {
        var paths: [String] = []
        if case .directory(let directory) = location.kind {
            for stem in [name] + environments.map({ "\(name).\($0.name)" }) {
                paths += ["\(directory)/\(stem).plist", "\(directory)/\(stem).json"]
            }
        }
        return paths + [localFile].compactMap { $0 }
    }
}
