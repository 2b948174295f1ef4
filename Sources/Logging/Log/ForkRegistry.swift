internal import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// An object with state that a forked child must discard, because it belongs to the parent.
///
/// The object adds itself to ``ForkRegistry`` when it is created.
package protocol ForkAware: AnyObject, Sendable {
    /// Discards the parent's state; called in the child while its locks are held.
    func becomeForkedChild()
}

/// All locks of the module and all objects that a fork concerns.
///
/// A child has only the thread that forked. It would wait forever for a lock that another thread of the parent held, so
/// the forking thread holds all locks during the fork. Locks and objects add themselves, so none can be forgotten.
package enum ForkRegistry {
    /// Whether the process has forked.
    static let hasForked = Atomic<Bool>(false)

    private struct Member {
        weak var object: (any ForkAware)?
    }

    /// The state of the registry, which is used under `lock` only.
    private struct State {
        var locks: [UnsafeMutablePointer<pthread_mutex_t>: (memory: LockMemory, rule: ForkSafeLock.ForkRule)] = [:]
        var members: [Member] = []
        var membersBeforePruning = 16
        var isForking = false
        /// The memory of locks that are released during a fork, which may wait for them.
        var released: [LockMemory] = []

        var heldInForks: [LockMemory] { locks.values.filter { $0.rule == .held }.map(\.memory) }
    }

    /// Acquired after all other locks.
    private static let lock = LockMemory()
    nonisolated(unsafe) private static var state = State()

    private static func withState<Result>(_ body: (inout State) -> Result) -> Result {
        pthread_mutex_lock(lock.mutex)
        defer { pthread_mutex_unlock(lock.mutex) }
        return body(&state)
    }

    static func add(_ memory: LockMemory, _ rule: ForkSafeLock.ForkRule) {
        withState { $0.locks[memory.mutex] = (memory, rule) }
    }

    /// Removes a lock, and frees its memory.
    static func remove(_ memory: LockMemory) {
        let isFree = withState { state in
            state.locks[memory.mutex] = nil
            if state.isForking { state.released.append(memory) }
            return !state.isForking
        }
        if isFree { memory.destroy() }
    }

    /// Adds an object, which the registry doesn't retain.
    package static func add(_ object: any ForkAware) {
        // Objects are released outside the lock, because their own locks remove themselves.
        let used = withState { state -> [any ForkAware] in
            state.members.append(Member(object: object))
            guard state.members.count > state.membersBeforePruning else { return [] }
            let objects = state.members.compactMap(\.object)
            state.members = objects.map { Member(object: $0) }
            state.membersBeforePruning = max(16, objects.count * 2)
            return objects
        }
        withExtendedLifetime(used) {}
    }

    /// Whether a fork holds a lock.
    static func holds(_ lock: ForkSafeLock) -> Bool {
        withState { $0.locks[lock.memory.mutex]?.rule == .held }
    }

    // MARK: Forks

    /// Held by the forking thread from ``prepare()`` on, as the two variables below.
    private static let fork = LockMemory()
    nonisolated(unsafe) private static var held: [LockMemory] = []
    nonisolated(unsafe) private static var forked: [any ForkAware] = []

    /// Acquires all locks, before a fork.
    static func prepare() {
        pthread_mutex_lock(fork.mutex)
        held = withState {
            $0.isForking = true
            forked = $0.members.compactMap(\.object)
            return $0.heldInForks
        }
        // Other threads acquire some of the locks while they hold others. Waiting for a lock without holding any other
        // one can't deadlock with them, whatever their order.
        var first = 0
        while true {
            if let busy = acquire(startingAt: first) {
                first = busy
                continue
            }
            // From here on, no lock is added or removed.
            pthread_mutex_lock(lock.mutex)
            let known = Set(held.map(\.mutex))
            let all = state.heldInForks
            if all.allSatisfy({ known.contains($0.mutex) }) { return }
            pthread_mutex_unlock(lock.mutex)
            for memory in held { pthread_mutex_unlock(memory.mutex) }
            held = all
            first = 0
        }
    }

    /// Waits for one lock and acquires the others; if one of these is busy, releases all and returns its index.
    private static func acquire(startingAt first: Int) -> Int? {
        guard !held.isEmpty else { return nil }
        pthread_mutex_lock(held[first].mutex)
        for offset in 1..<max(1, held.count) {
            let index = (first + offset) % held.count
            guard pthread_mutex_trylock(held[index].mutex) != 0 else { continue }
            for before in 0..<offset { pthread_mutex_unlock(held[(first + before) % held.count].mutex) }
            return index
        }
        return nil
    }

    /// Releases all locks, in the parent.
    static func continueParent() {
        for memory in held { pthread_mutex_unlock(memory.mutex) }
        finish()
    }

    /// Discards the parent's state and releases all locks, in the child.
    static func continueChild() {
        for object in forked { object.becomeForkedChild() }
        for memory in held + state.locks.values.map(\.memory) { memory.reset() }
        finish()
    }

    private static func finish() {
        let (released, objects) = (state.released, forked)
        state.released = []
        state.isForking = false
        held = []
        forked = []
        pthread_mutex_unlock(lock.mutex)
        for memory in released { memory.destroy() }
        pthread_mutex_unlock(fork.mutex)
        withExtendedLifetime(objects) {}
    }
}
