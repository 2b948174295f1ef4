internal import AshlarCore

/// A set of watches that end together when the bag is released or cancelled.
///
/// An owner of watches stores a bag; see ``WatchOwner``.
public final class WatchBag: Sendable {
    private let watches = Mutex<[Watch]>([])

    /// Creates an empty bag.
    public init() {}

    deinit { cancelAll() }

    /// Adds a watch.
    ///
    /// - Complexity: O(1), amortized; ended watches are removed when the bag grows.
    func insert(_ watch: Watch) {
        let full = watches.withLock { watches -> [Watch] in
            watches.append(watch)
            return watches.count == watches.capacity ? watches : []
        }
        if !full.isEmpty { _ = remove(Set(full.filter { !$0.isLive }.map(\.id))) }
    }

    /// Removes the chosen watches, and makes room for as many as remain; returns the watches before.
    ///
    /// Whether a watch is chosen is found outside the lock, because reading a watch can release its handler.
    private func remove(_ chosen: Set<UInt64>) -> [Watch] {
        watches.withLock { watches in
            let all = watches
            watches.removeAll { chosen.contains($0.id) }
            watches.reserveCapacity(watches.count * 2)
            return all
        }
    }

    /// The number of current watches in the bag.
    ///
    /// - Complexity: O(*n*) in the number of watches.
    package var count: Int { watches.withLock { $0 }.count { $0.isLive } }

    /// Ends all watches of the bag.
    ///
    /// - Returns: The number of watches that this call ended.
    @discardableResult
    public func cancelAll() -> Int { cancel { _ in true } }

    /// Ends the selected watches; the selection runs without a lock.
    @discardableResult
    func cancel(where isChosen: (Watch) -> Bool) -> Int {
        let chosen = Set(watches.withLock { $0 }.filter(isChosen).map(\.id))
        return remove(chosen).count { chosen.contains($0.id) && $0.cancel() }
    }
}

/// An object that owns watches, which end when it is released.
///
/// The bus holds an owner weakly. A handler receives the owner as an argument, so it needs no `[weak self]`:
///
/// ```swift
/// final class Badge: WatchOwner {
///     let watches = WatchBag()
///     init(_ bus: EventBus) {
///         bus.watch("network:on", owner: self) { badge, signal in badge.show(signal.name) }
///     }
///     func show(_ text: String) { print(text) }
/// }
/// let bus = EventBus()
/// var badge: Badge? = Badge(bus)
/// bus.trigger("network:on")
/// badge = nil  // the watch has ended
/// ```
public protocol WatchOwner: AnyObject, Sendable {
    /// The bag with the owner's watches, a stored `let`.
    var watches: WatchBag { get }
}
