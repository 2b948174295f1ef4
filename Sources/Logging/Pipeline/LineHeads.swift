/// The beginnings of lines that a thread has printed lately, such as `[DEBUG] Upload - `.
///
/// What stands before the message is the same for all lines of a logger, a level, a depth and a format, so it is printed
/// once and copied from then on. Belongs to one thread; emptied when the settings change.
struct LineHeads {
    private struct Slot {
        var key: UInt64
        var count: Int
    }

    private static let slots = 8
    /// Longer beginnings are printed each time.
    static let longest = 112
    /// So are deeper ones.
    static let deepest = 15
    private static let stride = MemoryLayout<Slot>.stride + longest

    private let memory: UnsafeMutableRawPointer

    init() {
        memory = .allocate(byteCount: Self.slots * Self.stride, alignment: 64)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: Self.slots * Self.stride)
        removeAll()
    }

    func deallocate() { memory.deallocate() }

    func removeAll() {
        for index in 0..<Self.slots {
            memory.storeBytes(of: Slot(key: 0, count: 0), toByteOffset: index * Self.stride, as: Slot.self)
        }
    }

    @inline(__always)
    private static func key(_ context: UInt64, _ level: LogLevel, _ depth: Int) -> UInt64 {
        context << 8 | UInt64(truncatingIfNeeded: depth) << 4 | UInt64(level.rawValue)
    }

    @inline(__always)
    private func slot(_ key: UInt64) -> UnsafeMutableRawPointer {
        memory + Int(truncatingIfNeeded: (key ^ key >> 4 ^ key >> 8) % UInt64(Self.slots)) * Self.stride
    }

    /// Appends the beginning of a line, if it is known.
    @inline(__always)
    func append(_ context: UInt64, _ level: LogLevel, _ depth: Int, to line: ByteBuffer) -> Bool {
        guard let known = known(context, level, depth) else { return false }
        let bytes = (known.end - known.count).assumingMemoryBound(to: UInt8.self)
        line.append(UnsafePointer(bytes), known.count)
        return true
    }

    /// The end and the length of the beginning of a line, if it is known.
    ///
    /// Up to 15 bytes before the beginning may be read too.
    @inline(__always)
    func known(_ context: UInt64, _ level: LogLevel, _ depth: Int) -> (end: UnsafeMutableRawPointer, count: Int)? {
        let key = Self.key(context, level, depth)
        let slot = slot(key)
        let known = slot.load(as: Slot.self)
        return known.key == key ? (slot + Self.stride, known.count) : nil
    }

    /// Keeps a beginning in place of another one.
    func keep(_ context: UInt64, _ level: LogLevel, _ depth: Int, _ bytes: UnsafeRawBufferPointer) {
        guard bytes.count <= Self.longest, let start = bytes.baseAddress else { return }
        let key = Self.key(context, level, depth)
        let slot = slot(key)
        slot.storeBytes(of: Slot(key: key, count: bytes.count), as: Slot.self)
        (slot + Self.stride - bytes.count).copyMemory(from: start, byteCount: bytes.count)
    }
}
