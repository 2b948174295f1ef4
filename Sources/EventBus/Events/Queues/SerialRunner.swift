internal import AshlarCore

/// Runs work serially, on the threads that bring it or on the main actor.
///
/// Work that arrives while other work runs is queued. A thread runs its own work and a limited part of the queue. The
/// next caller or a task runs the rest. Therefore no thread is occupied with the work of others indefinitely. On the main
/// actor, tasks run all work, so that a caller never does.
final class SerialRunner: Sendable {
    typealias Work = @Sendable () -> Void
    private let isOnMain: Bool
    private let state = Mutex(State())

    init(onMain isOnMain: Bool = false) { self.isOnMain = isOnMain }

    private struct State {
        var waiting = Fifo<Work>()
        var isRunning = false
        /// Whether a task will run the queue.
        var hasTask = false
    }

    /// The maximum number of queued closures that a caller or a task runs.
    private static let share = 64

    /// Whether no work runs or waits.
    var isIdle: Bool { state.withLock { !$0.isRunning && $0.waiting.isEmpty } }

    /// Runs the work after the work that waits, or queues it if other work is running.
    func run(_ work: @escaping Work) {
        let mustRun = state.withLock { state in
            state.waiting.append(work)
            if isOnMain || state.isRunning { return false }
            state.isRunning = true
            return true
        }
        if mustRun { runShare() } else if isOnMain { startTaskIfNeeded() }
    }

    private func runShare() {
        for _ in 0..<Self.share {
            guard let work = state.withLock({ $0.waiting.popFirst() }) else { break }
            work()
        }
        state.withLock { $0.isRunning = false }
        startTaskIfNeeded()
    }

    /// Starts a task for the rest of the queue, unless a thread that is running handles it itself.
    private func startTaskIfNeeded() {
        let isNeeded = state.withLock { state in
            if state.isRunning || state.hasTask || state.waiting.isEmpty { return false }
            state.hasTask = true
            return true
        }
        guard isNeeded else { return }
        Task.detached(priority: Task.currentPriority) { [self] in
            if isOnMain { await MainActor.run { runInTask() } } else { runInTask() }
        }
    }

    private func runInTask() {
        let mustRun = state.withLock { state in
            state.hasTask = false
            // A thread that is running handles the queue itself.
            if state.isRunning || state.waiting.isEmpty { return false }
            state.isRunning = true
            return true
        }
        if mustRun { runShare() }
    }
}

/// A queue in an array, whose removed elements are cleared in groups.
struct Fifo<Element> {
    private var elements: ContiguousArray<Element?> = []
    /// The number of removed elements at the start of the array.
    private var head = 0

    var count: Int { elements.count - head }

    var isEmpty: Bool { count == 0 }

    var all: [Element] { elements.compactMap { $0 } }

    /// - Complexity: O(1), amortized.
    mutating func append(_ element: Element) { elements.append(element) }

    /// - Complexity: O(1), amortized.
    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = elements[head].take()
        head += 1
        if isEmpty {
            elements.removeAll(keepingCapacity: true)
            head = 0
        } else if head >= 64, head > count {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    /// - Complexity: O(*n*).
    mutating func removeFirst(where isIt: (Element) -> Bool) -> Element? {
        guard let index = elements.firstIndex(where: { $0.map(isIt) ?? false }) else { return nil }
        return elements.remove(at: index)
    }

    /// - Complexity: O(*n*).
    mutating func removeAll() -> [Element] {
        defer { self = Fifo() }
        return elements.compactMap { $0 }
    }
}

extension Fifo: Sendable where Element: Sendable {}
