/// UTF-8 bytes whose memory the caller manages.
struct LogText {
    let start: UnsafePointer<UInt8>
    let count: Int

    @inline(__always)
    init(start: UnsafePointer<UInt8>, count: Int) {
        self.start = start
        self.count = count
    }

    /// Creates static text.
    ///
    /// File and function names from the compiler always have an address.
    @inline(__always)
    init(_ text: StaticString) {
        let addressed: StaticString = text.hasPointerRepresentation ? text : "unknown"
        self.init(start: addressed.utf8Start, count: addressed.utf8CodeUnitCount)
    }

    /// Runs `body` with the bytes of a string.
    @inline(__always)
    static func withBytes<Result>(_ string: String, _ body: (LogText) -> Result) -> Result {
        var string = string
        return string.withUTF8 { bytes in
            withUnsafePointer(to: 0 as UInt8) { body(LogText(start: bytes.baseAddress ?? $0, count: bytes.count)) }
        }
    }

    /// Runs `body` with the elements of an array.
    static func withBytes<Result>(_ bytes: [UInt8], _ body: (LogText) -> Result) -> Result {
        bytes.withUnsafeBufferPointer { bytes in
            withUnsafePointer(to: 0 as UInt8) { body(LogText(start: bytes.baseAddress ?? $0, count: bytes.count)) }
        }
    }

    @inline(__always) subscript(index: Int) -> UInt8 { start[index] }

    @inline(__always) func prefix(_ count: Int) -> LogText { LogText(start: start, count: min(count, self.count)) }

    @inline(__always)
    func dropFirst(_ count: Int) -> LogText { LogText(start: start + count, count: self.count - count) }

    var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: count) }
    var string: String { String(decoding: bytes, as: UTF8.self) }
    var array: [UInt8] { Array(bytes) }

    /// Returns the offset of the first occurrence of a byte.
    func firstIndex(of byte: UInt8) -> Int? { SystemCalls.offset(of: byte, in: start, count) }

    func contains(_ byte: UInt8) -> Bool { firstIndex(of: byte) != nil }

    /// Returns the offset of the last occurrence of a byte.
    func lastIndex(of byte: UInt8) -> Int? { bytes.lastIndex(of: byte) }
}

extension LogText: Hashable {
    static func == (left: LogText, right: LogText) -> Bool { left.bytes.elementsEqual(right.bytes) }

    func hash(into hasher: inout Hasher) { hasher.combine(bytes: .init(bytes)) }
}

extension UInt8 {
    package static var newline: UInt8 { UInt8(ascii: "\n") }
    package static var space: UInt8 { UInt8(ascii: " ") }
    package static var quote: UInt8 { UInt8(ascii: "\"") }
    static var backslash: UInt8 { UInt8(ascii: "\\") }
    static var equals: UInt8 { UInt8(ascii: "=") }
    static var zero: UInt8 { UInt8(ascii: "0") }
}

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
        extend(fitting).update(from: text.start, count: fitting)
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

    func append(_ text: some StringProtocol) { LogText.withBytes(String(text)) { append($0) } }

    /// Appends a number in decimal digits.
    ///
    /// A number is never truncated.
    func append(decimal value: UInt64) {
        var length = 1
        var rest = value / 10
        while rest > 0 {
            length += 1
            rest /= 10
        }
        guard header.pointee.count + length <= header.pointee.limit else {
            header.pointee.omitted += length
            return
        }
        write(value, length)
    }

    /// Appends a number below 10^`digits` with leading zeros.
    func append(_ value: Int, digits: Int) { write(UInt64(value.magnitude), digits) }

    /// Writes digits from the last to the first.
    private func write(_ value: UInt64, _ length: Int) {
        let start = extend(length)
        var rest = value
        for index in stride(from: length - 1, through: 0, by: -1) {
            start[index] = .zero + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }

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
