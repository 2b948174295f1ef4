internal import AshlarCore

/// A watch of a store's files, which ends when it is cancelled or released.
public final class ConfigWatch: Sendable {
    private struct State {
        var paths: [String] = []
        var watch: PathWatch?
        var tasks: [Task<Void, Never>] = []
        var isCancelled = false
    }

    private let state = Mutex(State())

    init() {}

    deinit { cancel() }

    /// Ends the watch; a reload that has begun completes.
    public func cancel() {
        let tasks = state.withLock { state in
            defer { state = State(isCancelled: true) }
            return state.tasks
        }
        for task in tasks { task.cancel() }
    }

    /// Watches other paths; returns `false` if these are already watched, or if the watch has ended.
    func watch(_ paths: [String], start: ([String]) -> PathWatch) -> Bool {
        guard state.withLock({ !$0.isCancelled && $0.paths != paths }) else { return false }
        let watch = start(paths)
        state.withLock { state in
            if state.isCancelled { return }
            state.paths = paths
            // The previous watch ends with its last reference.
            state.watch = watch
        }
        return true
    }

    /// Ends a task together with the watch.
    func add(_ task: Task<Void, Never>) {
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.tasks.append(task) }
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }
}

extension ConfigStore {
    /// Reloads when a file of the plan changes, appears or disappears, until the result is cancelled or released.
    ///
    /// A thread of the library compares the status of the files at an interval, within about a second by default, also
    /// those of a network's file system and of bind mounts. It detects writes in place, atomic renames, deletion and
    /// re-creation, replaced symbolic links and directories anywhere on the path to a file, and changes since the files
    /// were last read. The store reloads when the files stay the same for 200 ms, or a second after the change was
    /// noticed. A deleted file is missing if it isn't created again within 200 ms.
    ///
    /// If a reload fails, the last good values stay current, the error goes to ``errors`` and ``events()``, and
    /// watching continues. A file that was written without a change of values causes no notification. Reloads run on the
    /// thread of the watch.
    ///
    /// On Apple systems, files in a bundle never change; watch a directory outside of the bundle.
    ///
    /// - Parameter interval: The time between two comparisons.
    /// - Returns: The watch, which must be retained.
    public func watch(every interval: Duration = .seconds(1)) -> ConfigWatch {
        let result = ConfigWatch()
        guard let plan else { return result }
        followFiles(of: plan, interval, result)
        var followsSources = false
        for source in plan.sources.map(\.source) {
            guard let changes = source.changes() else { continue }
            followsSources = true
            result.add(
                Task.detached { [weak self, weak result] in
                    for await _ in changes {
                        _ = try? self?.reload()
                        if let self, let result { self.followFiles(of: plan, interval, result) }
                    }
                })
        }
        // A source can change between the last load and the start of its stream.
        if followsSources {
            _ = try? reload()
            followFiles(of: plan, interval, result)
        }
        return result
    }

    /// Watches the files of a plan, whose sources can name other files after each load.
    ///
    /// The files can change between the last load and the start of a watch, so they are then loaded again.
    private func followFiles(of plan: ConfigPlan, _ interval: Duration, _ result: ConfigWatch) {
        while true {
            let paths = plan.filePaths
            if paths.isEmpty { return }
            let isStarted = result.watch(paths) { paths in
                PathWatch.start(paths, every: interval) { [weak self, weak result] snapshot in
                    _ = try? self?.reload(expecting: snapshot, of: paths)
                    if let self, let result, !plan.sources.isEmpty { self.followFiles(of: plan, interval, result) }
                }
            }
            guard isStarted, mayHaveChangedFiles(plan) else { return }
            _ = try? reload()
        }
    }

    /// Refreshes every source, then loads the plan again.
    ///
    /// Sources refresh concurrently. If one fails, its content doesn't change, and the others still apply.
    ///
    /// - Returns: The changes of values since the call.
    /// - Throws: ``ConfigError`` with every problem of the sources and of the load.
    @discardableResult
    public func refresh() async throws(ConfigError) -> ConfigDiff {
        let old = published.read { $0.config }
        let sources = plan?.sources.map(\.source) ?? []
        let outcomes = await withTaskGroup(of: RefreshOutcome.self) { group in
            for (index, source) in sources.enumerated() {
                group.addTask {
                    do {
                        try await source.refresh()
                        return RefreshOutcome(source: index)
                    } catch {
                        return RefreshOutcome(source: index, error: error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        var problems = outcomes.sorted { $0.source < $1.source }.compactMap { outcome -> ConfigError? in
            guard let error = outcome.error else { return nil }
            return .reading(error, of: ConfigLocation(file: sources[outcome.source].shownName), .unreadableSource)
        }
        do throws(ConfigError) { try reload() } catch {
            problems += error.problems.isEmpty ? [error] : error.problems
        }
        if !problems.isEmpty { throw .joining(problems) }
        // A watch of the store can have loaded a changed source first.
        return ConfigDiff(from: old, to: published.read { $0.config })
    }
}

/// The result of a source's refresh.
///
/// The result of a child task isn't a tuple with an existential inside: Swift 6.3 destroys it wrongly in optimized builds.
private struct RefreshOutcome: Sendable {
    /// The position of the source in the plan.
    let source: Int
    var error: (any Error)?
}

extension ConfigPlan {
    /// The paths of all files that the plan can read, including missing files.
    var filePaths: [String] {
        var paths: [String] = []
        for stem in [name] + environments.map({ "\(name).\($0.name)" }) {
            paths += extensions.compactMap { path(of: "\(stem).\($0)") }
        }
        paths += variableFiles + sources.flatMap(\.source.watchedPaths)
        return paths + [localFile].compactMap { $0 }
    }
}
