internal import AshlarCore

extension String {
    /// Calls `body` with the UTF-8 of the string, without a copy if Swift stores it.
    @inline(__always)
    func withKeyBytes<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
        if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
        return Array(utf8).withUnsafeBufferPointer(body)
    }

    /// Returns the text without ASCII whitespace at its edges.
    package func trimmingSpace() -> String { trimming(\.isSpace) }
}
