// Public because the compiler doesn't inline `package` declarations into other modules. The target isn't a product.

extension RawSpan {
    /// Whether both spans contain the same bytes; whole words are compared if the length permits it.
    @inlinable @inline(__always)
    public func hasSameBytes(as other: RawSpan) -> Bool {
        guard byteCount == other.byteCount else { return false }
        func differ<T: FixedWidthInteger & BitwiseCopyable>(_ at: Int, _: T.Type) -> Bool {
            unsafeLoadUnaligned(fromByteOffset: at, as: T.self)
                != other.unsafeLoadUnaligned(fromByteOffset: at, as: T.self)
        }
        // The last two words can overlap.
        if byteCount >= 8 {
            var at = 0
            while at + 8 < byteCount {
                if differ(at, UInt64.self) { return false }
                at += 8
            }
            return !differ(byteCount - 8, UInt64.self)
        }
        if byteCount >= 4 { return !differ(0, UInt32.self) && !differ(byteCount - 4, UInt32.self) }
        if byteCount >= 2 { return !differ(0, UInt16.self) && !differ(byteCount - 2, UInt16.self) }
        return byteCount == 0 || !differ(0, UInt8.self)
    }
}
