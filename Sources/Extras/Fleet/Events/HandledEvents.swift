/// The events of a stream that a process has handled, as ranges of their sequence numbers.
///
/// A server that was killed delivers old events again. A consumer usually needs one range, whatever the number of events;
/// processes that share the events of a role need more. The oldest of 65,536 ranges is forgotten.
struct HandledEvents: Sendable {
    private(set) var ranges: [ClosedRange<Int>] = []
    /// When the event with the highest number was stored.
    private var newestTime: Int64 = 0
    private let capacity: Int

    init(capacity: Int = 65_536) { self.capacity = capacity }

    /// Returns whether an event was handled.
    ///
    /// - Complexity: O(log *n*) in the number of ranges.
    func contains(_ number: Int, time: Int64) -> Bool {
        guard let last = ranges.last, number <= last.upperBound, time <= newestTime else { return false }
        return ranges[index(endingAtOrAfter: number)].contains(number)
    }

    /// Adds an event, and the numbers directly before it that no other event of the consumer has.
    ///
    /// An event with an old number that was stored later than the newest one means that the stream was created again, or
    /// that the server has lost its end. Then everything before is forgotten, because numbers are used again.
    mutating func insert(_ numbers: ClosedRange<Int>, time: Int64) {
        if let last = ranges.last, numbers.upperBound <= last.upperBound, time > newestTime { ranges = [] }
        if numbers.upperBound > ranges.last?.upperBound ?? 0 { newestTime = time }
        let first = index(endingAtOrAfter: numbers.lowerBound - 1)
        let end = ranges[first...].firstIndex { $0.lowerBound > numbers.upperBound + 1 } ?? ranges.count
        var merged = numbers
        if first < end {
            merged =
                min(
                    numbers.lowerBound, ranges[first].lowerBound)...max(
                    numbers.upperBound, ranges[end - 1].upperBound)
        }
        ranges.replaceSubrange(first..<end, with: [merged])
        if ranges.count > capacity { ranges.removeFirst() }
    }

    private func index(endingAtOrAfter number: Int) -> Int {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
