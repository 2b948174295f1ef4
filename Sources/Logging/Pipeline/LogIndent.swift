internal import CAshlarLogging
import Synchronization

/// How deep a line is: the scopes around it, and what `indent` added on this task or thread.
enum LogIndent {
    /// How many scopes are around the present code; child tasks inherit it.
    @TaskLocal static var scopeDepth = 0
    /// How many scopes are open in the process; while there are none, no line has to look at its task.
    static let openScopes = Atomic<Int>(0)

    /// Depths that `indent` brought about in tasks, by the number of the task.
    ///
    /// An entry goes when its depth is back at 0. That of a task which ended out of balance stays and means nothing, for
    /// numbers are not used twice; the list is bounded, and the oldest entries go first.
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
    static var forkLock: ForkSafeLock { taskDepths.lock }
    private static let taskCount = Atomic<Int>(0)

    /// The number of the current task, if the code runs in one.
    ///
    /// Systems without task numbers use the task's address. A task that ends out of balance can then pass its depth to
    /// a later task at the same address.
    private static var currentTask: UInt64? {
        withUnsafeCurrentTask { task in
            guard let task else { return nil }
            let number = ashlar_log_task_number()
            return number != 0 ? number : UInt64(bitPattern: Int64(task.hashValue))
        }
    }

    /// The depth of a line on this thread now.
    @inline(__always)
    static func depth(on thread: ThreadContext) -> Int {
        var depth = 0
        if openScopes.load(ordering: .relaxed) != 0 { depth = scopeDepth }
        if thread.state.pointee.indent != 0 || taskCount.load(ordering: .relaxed) != 0 {
            depth += imperativeDepth(on: thread)
        }
        return depth
    }

    @inline(never)
    static func imperativeDepth(on thread: ThreadContext) -> Int {
        guard let task = currentTask else { return thread.state.pointee.indent }
        guard taskCount.load(ordering: .relaxed) != 0 else { return 0 }
        return taskDepths.withLock { $0.depths[task]?.depth ?? 0 }
    }

    static func change(_ deeper: Bool, counters: Guarded<LogCounters>) {
        let thread = ThreadContext.current
        let depth = imperativeDepth(on: thread)
        guard deeper || depth > 0 else {
            counters.withLock { $0.unbalancedIndents += 1 }
            return
        }
        setImperativeDepth(depth + (deeper ? 1 : -1), on: thread)
    }

    static func setImperativeDepth(_ depth: Int, on thread: ThreadContext) {
        guard let task = currentTask else {
            thread.state.pointee.indent = depth
            return
        }
        taskDepths.withLock {
            $0.set(depth, for: task)
            taskCount.store($0.depths.count, ordering: .relaxed)
        }
    }
}
