// Public because the compiler doesn't inline `package` declarations into other modules. The target isn't a product.

/// A fast 64-bit hash of bytes, seeded per process.
///
/// The hash folds 16 bytes at a time with a 64 × 64 → 128-bit multiplication, as Wang Yi's wyhash does. Because of the
/// seed, it is impractical to write a file whose keys all collide.
public enum ByteHash {
    /// The seed of this process.
    public static let seed: UInt64 = .random(in: .min ... .max) | 1

    @usableFromInline static let k0: UInt64 = 0xA076_1D64_78BD_642F
    @usableFromInline static let k1: UInt64 = 0xE703_7ED1_A0B4_28DB

    @inlinable @inline(__always)
    static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }

    /// Returns the hash of the bytes; equal bytes have equal hashes for equal seeds.
    ///
    /// - Complexity: O(*n*) in the number of bytes.
    @inlinable
    public static func hash(_ bytes: RawSpan, seed: UInt64 = seed) -> UInt64 {
        let count = bytes.byteCount
        func word(_ at: Int) -> UInt64 { bytes.unsafeLoadUnaligned(fromByteOffset: at, as: UInt64.self) }
        func half(_ at: Int) -> UInt64 { UInt64(bytes.unsafeLoadUnaligned(fromByteOffset: at, as: UInt32.self)) }
        func byte(_ at: Int) -> UInt64 { UInt64(bytes.unsafeLoad(fromByteOffset: at, as: UInt8.self)) }
        var state = seed ^ (UInt64(truncatingIfNeeded: count) &* k1)
        var at = 0
        while count - at > 16 {
            state = fold(word(at) ^ k0, word(at + 8) ^ state)
            at += 16
        }
        // The last 0...16 bytes; the two loads may overlap.
        let rest = count - at
        var (low, high): (UInt64, UInt64) = (0, 0)
        if rest >= 8 {
            (low, high) = (word(at), word(count - 8))
        } else if rest >= 4 {
            (low, high) = (half(at), half(count - 4))
        } else if rest > 0 {
            low = byte(at) << 16 | byte(at + rest / 2) << 8 | byte(count - 1)
        }
        return fold(fold(low ^ k0 ^ state, high ^ k1 ^ state) ^ k0, state ^ k1)
    }

    /// Returns the hash of a buffer.
    @inlinable
    public static func hash(_ bytes: UnsafeBufferPointer<UInt8>, seed: UInt64 = seed) -> UInt64 {
        hash(Span(_unsafeElements: bytes).bytes, seed: seed)
    }

    /// Returns the hash of a string's UTF-8.
    @inlinable
    public static func hash(_ text: String, seed: UInt64 = seed) -> UInt64 {
        var text = text
        return text.withUTF8 { hash($0, seed: seed) }
    }
}
