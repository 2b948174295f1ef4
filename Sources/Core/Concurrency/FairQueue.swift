/// Waiting elements by priority, each priority in order of arrival.
///
/// ```swift
/// var order = FairOrder()
/// var queue = FairQueue<Request>(priorities: 3)
/// queue.add(request, priority: 2, arrival: order.nextArrival())
/// if let place = queue.next(oldest: order.takesOldest) {
///     order.countStart()
///     start(queue.remove(place))
/// }
/// ```
package struct FairQueue<Element> {
    /// The place of the next element of a queue, comparable with those of other queues of the same ``FairOrder``.
    package struct Place {
        fileprivate let priority: Int
        fileprivate let arrival: UInt64

        /// Whether the element starts before one of another queue.
        package func precedes(_ other: Place, oldest: Bool) -> Bool {
            if oldest || priority == other.priority { return arrival < other.arrival }
            return priority > other.priority
        }
    }

    /// The elements of one priority; those before `head` have left.
    fileprivate struct Level {
        var entries: [(arrival: UInt64, element: Element)] = []
        var head = 0

        var isEmpty: Bool { head == entries.count }
        var waiting: ArraySlice<(arrival: UInt64, element: Element)> { entries[head...] }

        mutating func removeFirst() -> Element {
            let element = entries[head].element
            head += 1
            // Removing each first element at once would take O(n) time.
            if head == entries.count || head >= 1024 && head * 2 > entries.count {
                entries.removeFirst(head)
                head = 0
            }
            return element
        }
    }

    private var levels: [Level]

    /// Creates an empty queue.
    package init(priorities: Int) { levels = [Level](repeating: Level(), count: priorities) }

    // A key path instead of the closure would be evaluated at run time, for each request.
    /// Whether nothing waits.
    package var isEmpty: Bool { levels.allSatisfy { $0.isEmpty } }

    /// The number of waiting elements.
    package var count: Int { levels.reduce(0) { $0 + $1.waiting.count } }

    /// The waiting elements, without an order.
    package var elements: [Element] { levels.flatMap { $0.waiting.map(\.element) } }

    /// Adds an element behind those of its priority, which is at least 0.
    package mutating func add(_ element: Element, priority: Int, arrival: UInt64) {
        levels[priority].entries.append((arrival, element))
    }

    /// Returns the place of the next element: the first of the highest priority, or the oldest of all.
    package func next(oldest: Bool) -> Place? {
        var best: Place?
        for (priority, level) in levels.enumerated() {
            guard !level.isEmpty else { continue }
            let place = Place(priority: priority, arrival: level.entries[level.head].arrival)
            if let best, !place.precedes(best, oldest: oldest) { continue }
            best = place
        }
        return best
    }

    /// Removes and returns the element at a place that ``next(oldest:)`` has just returned.
    package mutating func remove(_ place: Place) -> Element { levels[place.priority].removeFirst() }

    /// Removes the elements that satisfy a condition, such as cancelled ones.
    ///
    /// - Complexity: O(*n*). To cancel many elements, skip them when they leave, and call this when they are the majority.
    package mutating func removeAll(where isRemoved: (Element) -> Bool) {
        for index in levels.indices {
            levels[index].entries.removeFirst(levels[index].head)
            levels[index].head = 0
            levels[index].entries.removeAll { isRemoved($0.element) }
        }
    }
}

extension FairQueue: Sendable where Element: Sendable {}
extension FairQueue.Level: Sendable where Element: Sendable {}

/// The rule of one or several fair queues: every eighth start takes the oldest element instead of the one of the
/// highest priority, so that a low priority never waits forever.
package struct FairOrder: Sendable {
    /// The number of starts of which one takes the oldest element.
    private static let cycle: UInt64 = 8

    private var arrivals: UInt64 = 0
    private var starts: UInt64 = 0

    package init() {}

    /// Whether the next start takes the oldest element.
    package var takesOldest: Bool { (starts + 1).isMultiple(of: Self.cycle) }

    /// Returns the number of an arriving element.
    package mutating func nextArrival() -> UInt64 {
        arrivals += 1
        return arrivals
    }

    /// Counts a start; an element that was cancelled while it waited doesn't count.
    package mutating func countStart() { starts += 1 }
}
