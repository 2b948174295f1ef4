internal import AshlarBase

/// The sizes of a run's segments, with which the run stays within its limit.
struct SegmentLedger {
    private var firstSize: Int64?
    private var middle: [(number: Int, size: Int64)] = []

    /// The numbers of the finished segments that still exist.
    var numbers: [Int] { (firstSize == nil ? [] : [0]) + middle.map(\.number) }

    /// Records the size of a finished segment.
    mutating func finish(_ number: Int, size: Int64) {
        middle.removeAll { $0.number == number }
        if number == 0 { firstSize = size } else { middle.append((number, size)) }
    }

    /// Removes the oldest segments except the first until the next one fits; returns their number.
    mutating func removeSurplus(of run: RunIdentity, _ rotation: LogRotation) -> Int {
        var total = (firstSize ?? 0) + middle.reduce(0) { $0 + $1.size } + Int64(rotation.segmentBytes)
        var removed = 0
        while total > Int64(rotation.runBytes), removed < middle.count {
            FileSystem.remove(run.path(.segment(middle[removed].number)))
            total -= middle[removed].size
            removed += 1
        }
        middle.removeFirst(removed)
        return removed
    }
}
