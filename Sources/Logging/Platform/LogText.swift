/// UTF-8 bytes whose memory the caller manages.
struct LogText {
    let start: UnsafePointer<UInt8>
    let count: Int

    @inline(__always)
    init(start: UnsafePointer<UInt8>, count: Int) { (self.start, self.count) = (start, count) }

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

    /// Returns the eight bytes at an offset.
    @inline(__always)
    func word(at index: Int) -> UInt64 { UnsafeRawPointer(start).loadUnaligned(fromByteOffset: index, as: UInt64.self) }

    @inline(__always) func prefix(_ count: Int) -> LogText { LogText(start: start, count: min(count, self.count)) }

    @inline(__always)
    func dropFirst(_ count: Int) -> LogText { LogText(start: start + count, count: self.count - count) }

    private var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: count) }
    var string: String { String(decoding: bytes, as: UTF8.self) }
    var array: [UInt8] { Array(bytes) }

    /// Returns the offset of the first occurrence of a byte.
    func firstIndex(of byte: UInt8) -> Int? { SystemCalls.offset(of: byte, in: start, count) }

    func contains(_ byte: UInt8) -> Bool { firstIndex(of: byte) != nil }

    /// Returns the offset of the last occurrence of a byte.
    func lastIndex(of byte: UInt8) -> Int? {
        var index = count - 1
        while index >= 0, start[index] != byte { index -= 1 }
        return index >= 0 ? index : nil
    }
}

extension LogText: Hashable {
    static func == (left: LogText, right: LogText) -> Bool {
        left.bytes.elementsEqual(right.bytes)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(bytes: .init(bytes))
    }
}
