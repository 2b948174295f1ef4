/// Compares the bytes of keys, eight at a time.
enum KeyBytes {
    /// Returns whether the bytes from `start` equal `key`.
    @inline(__always)
    static func areEqual(_ start: UnsafePointer<UInt8>, _ key: UnsafeBufferPointer<UInt8>) -> Bool {
        let left = Span(_unsafeStart: start, count: key.count).bytes
        let right = Span(_unsafeElements: key).bytes
        let count = key.count
        func isEqual<Word: FixedWidthInteger & BitwiseCopyable>(_ at: Int, as type: Word.Type) -> Bool {
            left.unsafeLoadUnaligned(fromByteOffset: at, as: type)
                == right.unsafeLoadUnaligned(fromByteOffset: at, as: type)
        }
        var at = 0
        while at + 8 <= count {
            if !isEqual(at, as: UInt64.self) { return false }
            at += 8
        }
        // The last eight bytes can overlap the bytes before.
        if count >= 8 { return isEqual(count - 8, as: UInt64.self) }
        while at < count {
            if !isEqual(at, as: UInt8.self) { return false }
            at += 1
        }
        return true
    }
}

extension String {
    /// Calls `body` with the UTF-8 of the string, without a copy if Swift stores it.
    @inline(__always)
    func withKeyBytes<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
        if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
        return Array(utf8).withUnsafeBufferPointer(body)
    }
}
