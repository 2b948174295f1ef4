/// Growing bytes that a thread reuses from line to line.
///
/// The header lies in memory of its own, so that reading a field needs no exclusivity check at run time.
final class ByteBuffer {
    struct Header {
        var start: UnsafeMutablePointer<UInt8>
        var count: Int
        var capacity: Int
        /// Bytes that were not taken in because `limit` was reached.
        var omitted: Int
        var limit: Int
    }

    /// A buffer that grew past this size is given back to the system instead of being kept for the next line.
    static let largestKept = 2048

    let header: UnsafeMutablePointer<Header>

    init(capacity: Int = 256, limit: Int = .max) {
        header = .allocate(capacity: 1)
        header.initialize(
            to: Header(start: .allocate(capacity: capacity), count: 0, capacity: capacity, omitted: 0, limit: limit))
    }

    deinit {
        header.pointee.start.deallocate()
        header.deallocate()
    }

    @inline(__always) var count: Int { header.pointee.count }
    @inline(__always) var start: UnsafeMutablePointer<UInt8> { header.pointee.start }
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    func reset(limit: Int = .max) {
        header.pointee.count = 0
        header.pointee.omitted = 0
        header.pointee.limit = limit
    }

    /// Gives back what a very long line took.
    func shrink() {
        guard header.pointee.capacity > Self.largestKept else { return }
        header.pointee.start.deallocate()
        header.pointee.start = .allocate(capacity: 256)
        header.pointee.capacity = 256
        header.pointee.count = 0
    }

    /// Makes room for `more` bytes and returns where they go.
    @inline(__always)
    func reserve(_ more: Int) -> UnsafeMutablePointer<UInt8> {
        if header.pointee.capacity - header.pointee.count < more { grow(more) }
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
    }

    @inline(__always)
    func advance(_ count: Int) { header.pointee.count += count }

    /// Appends bytes, up to the limit; what is over is counted.
    @inline(__always)
    func append(_ source: UnsafePointer<UInt8>, _ count: Int) {
        guard header.pointee.count + count <= header.pointee.limit else { return appendCut(source, count) }
        reserve(count).update(from: source, count: count)
        advance(count)
    }

    @inline(never)
    private func appendCut(_ source: UnsafePointer<UInt8>, _ count: Int) {
        let fitting = max(0, header.pointee.limit - header.pointee.count)
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

    /// Appends a number in decimal digits.
    func append(decimal value: UInt64) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var (rest, index) = (value, 20)
            repeat {
                index -= 1
                let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
                digits[index] = UInt8(truncatingIfNeeded: 48 + digit)
                rest = quotient
            } while rest != 0
            append(digits.baseAddress! + index, 20 - index)
        }
    }

    func append(decimal value: Int64) {
        if value < 0 { appendSign() }
        append(decimal: value.magnitude)
    }

    private func appendSign() { withUnsafePointer(to: 45) { append($0, 1) } }

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
