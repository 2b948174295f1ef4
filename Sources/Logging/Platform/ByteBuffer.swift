/// Growing bytes that a thread reuses from line to line.
///
/// A handle that can be copied without reference counting; who made the buffer frees it with ``deallocate()``.
struct ByteBuffer {
    struct Header {
        var start: UnsafeMutablePointer<UInt8>
        var count = 0
        /// Where growing begins: the capacity, or the limit if that is less.
        var end: Int
        var capacity: Int
        /// Bytes that were not taken in because `limit` was reached.
        var omitted = 0
        var limit: Int
    }

    /// A buffer that grew past this size is given back to the system instead of being kept for the next line.
    static let largestKept = 2048

    let header: UnsafeMutablePointer<Header>

    init(capacity: Int = 512) {
        header = .allocate(capacity: 1)
        header.initialize(
            to: Header(start: .allocate(capacity: capacity), end: capacity, capacity: capacity, limit: .max))
    }

    func deallocate() {
        header.pointee.start.deallocate()
        header.deallocate()
    }

    /// Runs `body` with a buffer that is freed afterwards.
    static func temporary<R>(_ body: (ByteBuffer) -> R) -> R {
        let buffer = ByteBuffer()
        defer { buffer.deallocate() }
        return body(buffer)
    }

    @inline(__always) var count: Int { header.pointee.count }
    @inline(__always) var start: UnsafeMutablePointer<UInt8> { header.pointee.start }
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    @inline(__always)
    func reset(limit: Int = .max) {
        header.pointee.count = 0
        header.pointee.omitted = 0
        header.pointee.limit = limit
        header.pointee.end = min(header.pointee.capacity, limit)
    }

    /// Gives back what a very long line took.
    @inline(__always)
    func shrink() {
        if header.pointee.capacity > Self.largestKept { replace(capacity: 512) }
    }

    @inline(never)
    private func replace(capacity: Int) {
        header.pointee.start.deallocate()
        header.pointee.start = .allocate(capacity: capacity)
        header.pointee.capacity = capacity
        reset(limit: header.pointee.limit)
    }

    /// Makes room for `more` bytes, whatever the limit, and returns where they go.
    @inline(__always)
    func reserve(_ more: Int) -> UnsafeMutablePointer<UInt8> {
        if header.pointee.count + more > header.pointee.capacity { grow(more) }
        return header.pointee.start + header.pointee.count
    }

    @inline(never)
    private func grow(_ more: Int) {
        let capacity = max(header.pointee.capacity * 2, header.pointee.count + more)
        let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        moved.update(from: header.pointee.start, count: header.pointee.count)
        header.pointee.start.deallocate()
        header.pointee.start = moved
        header.pointee.capacity = capacity
        header.pointee.end = min(capacity, header.pointee.limit)
    }

    @inline(__always)
    func advance(_ count: Int) { header.pointee.count &+= count }

    /// Appends bytes, up to the limit; what is over is counted.
    @inline(__always)
    func append(_ source: UnsafePointer<UInt8>, _ count: Int) {
        let before = header.pointee.count
        if before &+ count <= header.pointee.end {
            Self.copy(source, count, to: header.pointee.start + before)
            header.pointee.count = before &+ count
        } else {
            appendGrowing(source, count)
        }
    }

    /// Copies bytes that do not overlap; short pieces, which most are, without a call of the C library.
    @inline(never)
    private static func copy(_ source: UnsafePointer<UInt8>, _ count: Int, to target: UnsafeMutablePointer<UInt8>) {
        let (from, to) = (UnsafeRawPointer(source), UnsafeMutableRawPointer(target))
        // The first and the last bytes, which may be partly the same.
        func ends<Word: BitwiseCopyable>(_ word: Word.Type) {
            let rest = count &- MemoryLayout<Word>.size
            let last = from.loadUnaligned(fromByteOffset: rest, as: word)
            to.storeBytes(of: from.loadUnaligned(as: word), as: word)
            to.storeBytes(of: last, toByteOffset: rest, as: word)
        }
        switch count {
        case ..<1: break
        case ..<4:
            target[0] = source[0]
            target[count >> 1] = source[count >> 1]
            target[count &- 1] = source[count &- 1]
        case ..<8: ends(UInt32.self)
        case ...16: ends(UInt64.self)
        case ...32: ends(SIMD16<UInt8>.self)
        default: to.copyMemory(from: from, byteCount: count)
        }
    }

    @inline(never)
    private func appendGrowing(_ source: UnsafePointer<UInt8>, _ count: Int) {
        let fitting = min(count, max(0, header.pointee.limit - header.pointee.count))
        reserve(fitting).update(from: source, count: fitting)
        advance(fitting)
        header.pointee.omitted += count - fitting
    }

    @inline(__always)
    func append(byte: UInt8) {
        reserve(1).pointee = byte
        advance(1)
    }

    func append(repeating byte: UInt8, count: Int) {
        guard count > 0 else { return }
        reserve(count).update(repeating: byte, count: count)
        advance(count)
    }

    @inline(__always)
    func append(_ text: StaticString) {
        if text.hasPointerRepresentation {
            append(text.utf8Start, text.utf8CodeUnitCount)
        } else {
            text.withUTF8Buffer { append($0.baseAddress!, $0.count) }
        }
    }

    func append(_ text: some StringProtocol) {
        let direct: Void? = text.utf8.withContiguousStorageIfAvailable {
            if let start = $0.baseAddress { append(start, $0.count) }
        }
        guard direct == nil else { return }
        var copy = String(text)
        copy.withUTF8 { if let start = $0.baseAddress { append(start, $0.count) } }
    }

    func append(_ text: String) {
        var text = text
        text.withUTF8 { if let start = $0.baseAddress { append(start, $0.count) } }
    }

    /// Appends a number in decimal digits.
    @inline(__always)
    func append(decimal value: UInt64) {
        let before = header.pointee.count
        guard value < 100_000_000, before &+ 8 <= header.pointee.end else {
            appendLong(decimal: value)
            return
        }
        let digits = Self.eightDigits(of: value)
        let zeros = min(7, digits.trailingZeroBitCount >> 3)
        let text = (digits | 0x3030_3030_3030_3030) >> UInt64(truncatingIfNeeded: zeros &* 8)
        UnsafeMutableRawPointer(header.pointee.start + before).storeBytes(of: text.littleEndian, as: UInt64.self)
        header.pointee.count = before &+ 8 &- zeros
    }

    /// The eight decimal digits of a number below 10^8, one a byte, the first in the lowest byte.
    ///
    /// Divides both halves, then all pairs, then all digits at once by multiplying with reciprocals.
    @inline(__always)
    private static func eightDigits(of value: UInt64) -> UInt64 {
        let high = value / 10_000
        let halves = high | (value &- high &* 10_000) << 32
        let hundreds = (halves &* 10_486) >> 20 & 0x0000_007F_0000_007F
        let pairs = hundreds | (halves &- hundreds &* 100) << 16
        let tens = (pairs &* 103) >> 10 & 0x000F_000F_000F_000F
        return tens | (pairs &- tens &* 10) << 8
    }

    @inline(never)
    private func appendLong(decimal value: UInt64) {
        let length = Self.digits(of: value)
        let before = header.pointee.count
        if before &+ length > header.pointee.end {
            appendDecimalGrowing(value, length)
        } else {
            Self.write(value, length, to: header.pointee.start + before)
            header.pointee.count = before &+ length
        }
    }

    @inline(never)
    private func appendDecimalGrowing(_ value: UInt64, _ length: Int) {
        // A number is not divided at the limit.
        guard header.pointee.count &+ length <= header.pointee.limit else {
            header.pointee.omitted += length
            return
        }
        Self.write(value, length, to: reserve(length))
        advance(length)
    }

    /// How many decimal digits a number has.
    private static func digits(of value: UInt64) -> Int {
        var length = 1
        var rest = value / 10
        while rest != 0 {
            rest /= 10
            length += 1
        }
        return length
    }

    private static func write(_ value: UInt64, _ length: Int, to start: UnsafeMutablePointer<UInt8>) {
        var rest = value
        var place = start + length
        repeat {
            let quotient = rest / 10
            place -= 1
            place.pointee = UInt8(truncatingIfNeeded: 48 &+ rest &- quotient &* 10)
            rest = quotient
        } while rest != 0
    }

    @inline(__always)
    func append(decimal value: Int64) {
        if value < 0 { append("-" as StaticString) }
        append(decimal: value.magnitude)
    }

    /// Appends a number below 10^`digits` with leading zeros.
    func append(_ value: Int, digits: Int) {
        let place = reserve(digits)
        var rest = value
        for index in stride(from: digits - 1, through: 0, by: -1) {
            place[index] = UInt8(truncatingIfNeeded: 48 + rest % 10)
            rest /= 10
        }
        advance(digits)
    }

    /// Takes back what was appended after `count`.
    func rewind(to count: Int) { header.pointee.count = count }
}

/// The buffer of a message, which lives as long as someone keeps the message.
///
/// The message stands behind room for the beginning of its line, so that a line can be made around it in place.
final class MessageBuffer {
    static let room = 128

    let buffer = ByteBuffer()

    deinit { buffer.deallocate() }

    /// Empties the buffer for a message of up to `limit` bytes.
    @inline(__always)
    func reset(limit: Int) {
        buffer.reset(limit: limit &+ Self.room)
        buffer.header.pointee.count = Self.room
    }

    @inline(__always) var start: UnsafeMutablePointer<UInt8> { buffer.start + Self.room }
    @inline(__always) var count: Int { buffer.count &- Self.room }
}
