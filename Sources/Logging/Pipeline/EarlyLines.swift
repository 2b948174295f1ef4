/// The newest lines before the start, up to 64 KiB.
struct EarlyLines {
    static let capacity = 64 * 1024

    private(set) var copies: [LogRecord.Copy] = []
    private var bytes = 0
    private var isClosed = false

    enum Verdict {
        case stored(dropped: Int)
        case tooLate
    }

    mutating func append(_ copy: LogRecord.Copy) -> Verdict {
        guard !isClosed else { return .tooLate }
        copies.append(copy)
        bytes += copy.footprint
        var surplus = 0
        while bytes > Self.capacity, surplus < copies.count {
            bytes -= copies[surplus].footprint
            surplus += 1
        }
        copies.removeFirst(surplus)
        return .stored(dropped: surplus)
    }

    mutating func take() -> [LogRecord.Copy] {
        defer { (copies, bytes) = ([], 0) }
        return copies
    }

    mutating func close() -> [LogRecord.Copy] {
        isClosed = true
        return take()
    }
}
