/// The events of a stream that a process has handled, as ranges of their sequence numbers.
///
/// A server that was killed delivers old events again. A consumer usually needs one range, whatever the number of events;
/// processes that share the events of a role need more. The oldest of 65,536 ranges is forgotten.
struct HandledEvents: Sendable {
    private var numbers = RangeSet<Int>()
    /// When the event with the highest number was stored.
    private var newestTime: Int64 = 0
    private let capacity: Int

    init(capacity: Int = 65_536) { self.capacity = capacity }

    var ranges: RangeSet<Int>.Ranges { numbers.ranges }
    /// The highest number.
    private var newest: Int { (ranges.last?.upperBound ?? 1) - 1 }

    /// Returns whether an event was handled.
    ///
    /// - Complexity: O(log *n*) in the number of ranges.
    func contains(_ number: Int, time: Int64) -> Bool { time <= newestTime && numbers.contains(number) }

    /// Adds an event, and the numbers directly before it that no other event of the consumer has.
    ///
    /// An event with an old number that was stored later than the newest one means that the stream was created again, or
    /// that the server has lost its end. Then everything before is forgotten, because numbers are used again.
    mutating func insert(_ added: ClosedRange<Int>, time: Int64) {
        if added.upperBound <= newest, time > newestTime { numbers = RangeSet() }
        if added.upperBound > newest { newestTime = time }
        numbers.insert(contentsOf: added.lowerBound..<added.upperBound + 1)
        if ranges.count > capacity { numbers.remove(contentsOf: ranges[0]) }
    }
}
