internal import CAshlarLogging
internal import Synchronization

/// The scopes around the current code; child tasks inherit them.
struct ScopeState: Sendable {
    /// The number of scopes.
    var depth = 0
    /// The fields of the scopes and of `LogSystem.withFields`, outer ones first.
    var fields = LogFields()

    @TaskLocal static var current = ScopeState()
    /// The number of open scopes in the process; if it is 0, lines don't read the state of their task.
    static let openScopes = Atomic<Int>(0)

    /// The state of the current task.
    static var active: ScopeState? { openScopes.load(ordering: .relaxed) == 0 ? nil : current }

    /// Returns the state inside another scope.
    func entering(_ more: LogFields, depth: Int) -> ScopeState {
        ScopeState(depth: self.depth + depth, fields: fields.followed(by: more))
    }
}

/// The depth that `indent` sets on a task or thread.
enum LogIndent {
    /// The depths of tasks, by task number.
    ///
    /// An entry is removed when its depth is 0 again. The list is bounded, because a task can end without balancing it.
    private struct TaskDepths {
        static let most = 1024
        var depths: [UInt64: (depth: Int, order: UInt64)] = [:]
        var order: UInt64 = 0

        mutating func set(_ depth: Int, for task: UInt64) {
            guard depth > 0 else {
                depths[task] = nil
                return
            }
            order += 1
            depths[task] = (depth, order)
            if depths.count > Self.most, let oldest = depths.min(by: { $0.value.order < $1.value.order }) {
                depths[oldest.key] = nil
            }
        }
    }

    private static let taskDepths = Guarded(TaskDepths())
    private static let taskCount = Atomic<Int>(0)

    /// The number of the current task, if there is one.
    ///
    /// On systems without task numbers, it is the task's address. If a task ends without balancing its depth, a later
    /// task at the same address then starts with this depth.
    private static var currentTask: UInt64? {
        withUnsafeCurrentTask { task in
            guard let task else { return nil }
            let number = ashlar_log_task_number()
            return number != 0 ? number : UInt64(bitPattern: Int64(task.hashValue))
        }
    }

    /// The depth of the current task or thread.
    static var depth: Int {
        guard ashlar_log_current_thread().pointee.indent != 0 || taskCount.load(ordering: .relaxed) != 0 else {
            return 0
        }
        return exactDepth
    }

    static var exactDepth: Int {
        guard let task = currentTask else { return Int(ashlar_log_current_thread().pointee.indent) }
        guard taskCount.load(ordering: .relaxed) != 0 else { return 0 }
        return taskDepths.withLock { $0.depths[task]?.depth ?? 0 }
    }

    static func change(_ deeper: Bool, counters: Guarded<LogCounters>) {
        let depth = exactDepth
        guard deeper || depth > 0 else { return counters.withLock { $0.unbalancedIndents += 1 } }
        set(depth + (deeper ? 1 : -1))
    }

    static func set(_ depth: Int) {
        guard let task = currentTask else {
            ashlar_log_current_thread().pointee.indent = Int32(clamping: depth)
            return
        }
        taskDepths.withLock {
            $0.set(depth, for: task)
            taskCount.store($0.depths.count, ordering: .relaxed)
        }
    }
}
