/// An object with locks that must be held during a fork.
///
/// Otherwise the child could inherit a lock that is held by a thread of the parent.
protocol ForkAware {
    /// The locks, in the order in which other code acquires them.
    var forkLocks: [any ForkLock] { get }
    /// Discards the state that belongs to the parent; called in the child before the locks are released.
    func becomeForkedChild()
}
