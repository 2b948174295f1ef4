/// A growing byte buffer that a thread reuses for each line.
///
/// The handle is copied without reference counting. Its creator frees it with ``deallocate()``.
struct ByteBuffer {
    private struct Header {
        var start: UnsafeMutablePointer<UInt8>
        var count = 0
        var capacity: Int
        var limit = Int.max
        var omitted = 0
    }

    /// The maximum size of a buffer that is reused for the next line.
    static let largestKept = 2048

    private let header: UnsafeMutablePointer<Header>

    init(capacity: Int = 512) {
        header = .allocate(capacity: 1)
        header.initialize(to: Header(start: .allocate(capacity: capacity), capacity: capacity))
    }

    func deallocate() {
        header.pointee.start.deallocate()
        header.deallocate()
    }

    /// Runs `body` with a buffer and frees it afterwards.
    static func temporary<Result>(capacity: Int = 512, _ body: (ByteBuffer) -> Result) -> Result {
        let buffer = ByteBuffer(capacity: capacity)
        defer { buffer.deallocate() }
        return body(buffer)
    }

    @inline(__always) var count: Int { header.pointee.count }
    @inline(__always) var capacity: Int { header.pointee.capacity }
    /// The number of bytes that were not appended because of the limit.
    @inline(__always) var omitted: Int { header.pointee.omitted }
    @inline(__always) var text: LogText { LogText(start: header.pointee.start, count: header.pointee.count) }
    var string: String { text.string }

    @inline(__always)
    subscript(index: Int) -> UInt8 {
        get { header.pointee.start[index] }
        nonmutating set { header.pointee.start[index] = newValue }
    }

    /// Empties the buffer; text beyond `limit` bytes is truncated.
    @inline(__always)
    func reset(limit: Int = .max) {
        header.pointee.count = 0
        header.pointee.omitted = 0
        header.pointee.limit = limit
    }

    /// Frees the memory of a very long line.
    @inline(__always)
    func shrink() {
        if header.pointee.capacity > Self.largestKept { resize(512) }
    }

    /// Removes everything after the first `count` bytes.
    func rewind(to count: Int) { header.pointee.count = count }

    @inline(never)
    private func resize(_ capacity: Int) {
        let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        header.pointee.count = min(header.pointee.count, capacity)
        moved.update(from: header.pointee.start, count: header.pointee.count)
        header.pointee.start.deallocate()
        header.pointee.start = moved
        header.pointee.capacity = capacity
    }

    /// Reserves room for `count` bytes and returns their address.
    @inline(__always)
    private func extend(_ count: Int) -> UnsafeMutablePointer<UInt8> {
        let before = header.pointee.count
        if before &+ count > header.pointee.capacity { resize(max(header.pointee.capacity * 2, before + count)) }
        header.pointee.count = before &+ count
        return header.pointee.start + before
    }

    /// Appends bytes up to the limit and counts the rest.
    @inline(__always)
    func append(_ text: LogText) {
        let fitting = text.count <= header.pointee.limit - header.pointee.count ? text.count : cut(text.count)
        Self.copy(text.start, to: extend(fitting), fitting)
    }

    /// Copies bytes; the short ones of which a line consists without a call of memmove.
    ///
    /// The last bytes of a short text are copied twice.
    @inline(__always)
    private static func copy(_ source: UnsafePointer<UInt8>, to target: UnsafeMutablePointer<UInt8>, _ count: Int) {
        let (source, target) = (UnsafeRawPointer(source), UnsafeMutableRawPointer(target))
        switch count {
        case 0: return
        case 1..<4:
            let (middle, last) = (count / 2, count &- 1)
            target.storeBytes(of: source.load(as: UInt8.self), as: UInt8.self)
            target.storeBytes(
                of: source.load(fromByteOffset: middle, as: UInt8.self), toByteOffset: middle, as: UInt8.self)
            target.storeBytes(of: source.load(fromByteOffset: last, as: UInt8.self), toByteOffset: last, as: UInt8.self)
        case 4..<8: copyEnds(UInt32.self, source, to: target, count)
        case 8...16: copyEnds(UInt64.self, source, to: target, count)
        case 17...32: copyEnds(SIMD16<UInt8>.self, source, to: target, count)
        default: target.copyMemory(from: source, byteCount: count)
        }
    }

    @inline(__always)
    private static func copyEnds<Word: BitwiseCopyable>(
        _ word: Word.Type, _ source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, _ count: Int
    ) {
        let end = count &- MemoryLayout<Word>.size
        let (first, last) = (source.loadUnaligned(as: word), source.loadUnaligned(fromByteOffset: end, as: word))
        target.storeBytes(of: first, as: word)
        target.storeBytes(of: last, toByteOffset: end, as: word)
    }

    @inline(never)
    private func cut(_ count: Int) -> Int {
        let fitting = max(0, header.pointee.limit - header.pointee.count)
        header.pointee.omitted += count - fitting
        return fitting
    }

    @inline(__always)
    func append(byte: UInt8) { extend(1).pointee = byte }

    func append(repeating byte: UInt8, count: Int) {
        if count > 0 { extend(count).update(repeating: byte, count: count) }
    }

    @inline(__always)
    func append(_ text: StaticString) {
        if text.hasPointerRepresentation {
            append(LogText(start: text.utf8Start, count: text.utf8CodeUnitCount))
        } else {
            text.withUTF8Buffer { append(LogText(start: $0.baseAddress!, count: $0.count)) }
        }
    }

    func append(_ text: some StringProtocol) {
        let direct: Void? = text.utf8.withContiguousStorageIfAvailable {
            if let start = $0.baseAddress { append(LogText(start: start, count: $0.count)) }
        }
        if direct == nil { append(String(text)) }
    }

    func append(_ text: String) { LogText.withBytes(text) { append($0) } }

    /// Appends a number in decimal digits.
    ///
    /// A number is never truncated.
    @inline(__always)
    func append(decimal value: UInt64) {
        let length = Self.digitCount(of: value)
        guard header.pointee.count &+ length <= header.pointee.limit else {
            header.pointee.omitted += length
            return
        }
        write(value, length)
    }

    /// Returns the number of decimal digits, four for each division.
    @inline(__always)
    private static func digitCount(of value: UInt64) -> Int {
        var (rest, count) = (value, 1)
        while rest >= 10_000 {
            rest /= 10_000
            count &+= 4
        }
        return rest < 100 ? count &+ (rest < 10 ? 0 : 1) : count &+ (rest < 1000 ? 2 : 3)
    }

    /// Appends a number below 10^`digits` with leading zeros.
    func append(_ value: Int, digits: Int) { write(UInt64(value.magnitude), digits) }

    /// Replaces digits by those of a number below 10^`digits`.
    @inline(__always)
    func overwrite(_ value: Int, digits: Int, at offset: Int) {
        Self.write(UInt64(value.magnitude), digits, to: header.pointee.start + offset)
    }

    @inline(__always)
    private func write(_ value: UInt64, _ length: Int) { Self.write(value, length, to: extend(length)) }

    /// Writes digits from the last to the first, two for each division.
    @inline(__always)
    private static func write(_ value: UInt64, _ length: Int, to place: UnsafeMutablePointer<UInt8>) {
        var (rest, index) = (value, length)
        while index >= 2 {
            let quotient = rest / 100
            let pair = rest &- quotient &* 100
            let tens = pair / 10
            index &-= 2
            place[index] = UInt8(truncatingIfNeeded: 48 &+ tens)
            place[index &+ 1] = UInt8(truncatingIfNeeded: 48 &+ pair &- tens &* 10)
            rest = quotient
        }
        if index == 1 { place[0] = UInt8(truncatingIfNeeded: 48 &+ rest % 10) }
    }

    @inline(__always)
    func append(decimal value: Int64) {
        if value < 0 { append("-" as StaticString) }
        append(decimal: value.magnitude)
    }
}

/// The buffer of a message, which is freed with its last reference.
final class MessageBuffer {
    let buffer = ByteBuffer()

    deinit { buffer.deallocate() }
}

/// A text stream that appends to a buffer.
struct ByteStream: TextOutputStream {
    let buffer: ByteBuffer

    mutating func write(_ string: String) { buffer.append(string) }

    /// The standard library prints numbers with this requirement, without an intermediate string.
    mutating func _writeASCII(_ bytes: UnsafeBufferPointer<UInt8>) {
        if let start = bytes.baseAddress { buffer.append(LogText(start: start, count: bytes.count)) }
    }
}
