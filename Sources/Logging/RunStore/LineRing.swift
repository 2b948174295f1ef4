/// The newest lines in a fixed number of bytes.
struct LineRing {
    private var storage: [UInt8]
    private var first = 0
    private(set) var count = 0

    init(capacity: Int) { storage = [UInt8](repeating: 0, count: capacity) }

    private var capacity: Int { storage.count }

    /// Appends whole lines, each with its line end; returns the number of dropped lines.
    mutating func append(_ lines: LogText) -> Int {
        var dropped = 0
        var rest = lines
        while rest.count > 0 {
            let end = rest.firstIndex(of: 10).map { $0 + 1 } ?? rest.count
            dropped += append(line: rest.prefix(end))
            rest = rest.dropFirst(end)
        }
        return dropped
    }

    /// Appends one line; returns the number of lines that were dropped for it.
    mutating func append(line: LogText) -> Int {
        guard line.count <= capacity else { return 1 }
        var dropped = 0
        while count + line.count > capacity {
            removeFirstLine()
            dropped += 1
        }
        // Less than twice the capacity, and a division takes longer than the copy of a line.
        let position = first + count < capacity ? first + count : first + count - capacity
        let tail = min(line.count, capacity - position)
        storage.withUnsafeMutableBufferPointer {
            ($0.baseAddress! + position).update(from: line.start, count: tail)
            if tail < line.count { $0.baseAddress!.update(from: line.start + tail, count: line.count - tail) }
        }
        count += line.count
        return dropped
    }

    private mutating func removeFirstLine() {
        let tail = min(count, capacity - first)
        if let end = offsetOfLineEnd(from: first, tail) { return drop(end + 1) }
        drop(tail + (offsetOfLineEnd(from: 0, count - tail).map { $0 + 1 } ?? count - tail))
    }

    private func offsetOfLineEnd(from start: Int, _ count: Int) -> Int? {
        LogText.withBytes(storage) { $0.prefix(start + count).dropFirst(start).firstIndex(of: 10) }
    }

    /// Removes the first bytes.
    mutating func drop(_ bytes: Int) {
        guard bytes > 0 else { return }
        first += bytes
        if first >= capacity { first -= capacity }
        count -= bytes
    }

    /// The number of lines.
    ///
    /// - Complexity: O(*n*) in the number of bytes.
    var lineCount: Int { contents.count { $0 == 10 } }

    var contents: [UInt8] {
        let tail = min(count, capacity - first)
        return Array(storage[first..<(first + tail)]) + storage[..<(count - tail)]
    }
}
