/// The newest lines, in a fixed number of bytes.
struct LineRing: ~Copyable {
    private let storage: UnsafeMutablePointer<UInt8>
    let capacity: Int
    private var first = 0
    private(set) var count = 0

    init(capacity: Int) {
        self.capacity = capacity
        storage = .allocate(capacity: capacity)
    }

    deinit { storage.deallocate() }

    /// Appends whole lines, each with its line end; returns how many lines had to go for them.
    mutating func append(_ lines: UnsafeRawBufferPointer) -> Int {
        var dropped = 0
        var first = 0
        while first < lines.count {
            let start = lines.baseAddress! + first
            let end = SystemCalls.offset(of: 10, in: start, lines.count - first).map { $0 + 1 } ?? lines.count - first
            dropped += append(line: UnsafeRawBufferPointer(start: start, count: end))
            first += end
        }
        return dropped
    }

    private mutating func append(line: UnsafeRawBufferPointer) -> Int {
        guard line.count <= capacity else { return 1 }
        var dropped = 0
        while count + line.count > capacity {
            removeFirstLine()
            dropped += 1
        }
        let position = (first + count) % capacity
        let tail = min(line.count, capacity - position)
        UnsafeMutableRawPointer(storage + position).copyMemory(from: line.baseAddress!, byteCount: tail)
        if tail < line.count {
            UnsafeMutableRawPointer(storage).copyMemory(from: line.baseAddress! + tail, byteCount: line.count - tail)
        }
        count += line.count
        return dropped
    }

    private mutating func removeFirstLine() {
        let tail = min(count, capacity - first)
        if let end = SystemCalls.offset(of: 10, in: storage + first, tail) { return drop(end + 1) }
        let end = SystemCalls.offset(of: 10, in: storage, count - tail)
        drop(tail + (end.map { $0 + 1 } ?? count - tail))
    }

    /// Removes the first bytes.
    mutating func drop(_ bytes: Int) {
        first = (first + bytes) % capacity
        count -= bytes
    }

    /// How many lines there are.
    ///
    /// - Complexity: O(*n*) in the number of bytes.
    var lineCount: Int { contents.count { $0 == 10 } }

    var contents: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            guard count > 0 else { return }
            let tail = min(count, capacity - first)
            buffer.baseAddress!.update(from: storage + first, count: tail)
            if tail < count { (buffer.baseAddress! + tail).update(from: storage, count: count - tail) }
            initialized = count
        }
    }
}
