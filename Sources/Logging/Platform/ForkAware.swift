/// An object with locks that must be held during a fork.
///
/// Otherwise the child could find a lock taken by a thread that exists in the parent only.
protocol ForkAware {
    /// The locks, in the order in which other code takes them.
    var forkLocks: [any ForkLock] { get }
    /// Drops what belongs to the parent. Called in the child, before the locks are free again.
    func becomeForkedChild()
}
