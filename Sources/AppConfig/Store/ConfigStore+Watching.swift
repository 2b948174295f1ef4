internal import AshlarCore

/// The way in which a store detects changes of its files.
public enum ConfigWatchMode: Sendable, Hashable {
    /// By events of the system, or by polling once a second, with a diagnostic, where there are none.
    case automatic
    /// By comparing the files at an interval, for file systems without events, such as network shares.
    case polling(every: Duration)
}

/// A watch on a store's files, which ends when it is cancelled or released.
public final class ConfigWatch: Sendable {
    private let watch: PathWatch?

    init(_ watch: PathWatch?) { self.watch = watch }

    /// Whether the files are compared at an interval.
    public var isPolling: Bool { watch?.isPolling ?? false }

    /// Ends the watch; a reload that has begun is completed.
    public func cancel() { watch?.cancel() }
}

extension ConfigStore {
    /// Reloads whenever a file of the plan changes, appears or vanishes, until the result is cancelled or released.
    ///
    /// In-place writes, atomic renames, deletion and re-creation are noticed, and so are replaced symbolic links and
    /// directories anywhere on the way to a file, and changes since the files were read last. Events are gathered for
    /// 20 ms. A writer that keeps a file open is noticed when it pauses for 100 ms, or after one second. A file that
    /// vanishes has 200 ms to come back before it counts as missing. Every five seconds the files are compared without an
    /// event, as not every file system reports all of them.
    ///
    /// A reload that fails keeps the last good values and goes to ``errors`` and ``events()``; watching goes on. A file
    /// that was touched without a change of values notifies nobody. Reloads run on a thread of the library; on Linux one
    /// thread and one inotify descriptor serve all stores of the process.
    ///
    /// On Apple systems, files in a bundle never change; watch a directory outside of it.
    ///
    /// - Parameter mode: The way in which changes are detected.
    /// - Returns: The watch, which must be retained.
    public func watch(_ mode: ConfigWatchMode = .automatic) -> ConfigWatch {
        guard let paths = plan?.filePaths, !paths.isEmpty else { return ConfigWatch(nil) }
        let method: PathWatch.Method =
            switch mode {
            case .automatic: .events
            case .polling(let interval): .polling(every: interval)
            }
        let watch = PathWatch.start(paths, by: method) { [weak self] in _ = try? self?.reload(expecting: $0) }
        if watch.isPolling, mode == .automatic {
            current.record(
                ConfigDiagnostic(
                    .watchingByPolling,
                    message: "the system has no events for the files; polling once a second"))
        }
        // The files may have changed between the last reload and the start of the watch.
        if PathSnapshot(of: paths).mayDiffer(from: state.withLock({ $0.files })) { _ = try? reload() }
        return ConfigWatch(watch)
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
