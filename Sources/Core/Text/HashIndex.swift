// Public because the compiler doesn't inline `package` declarations into other modules. The target isn't a product.

/// An open-addressing index from the 64-bit hash of a key to the number of its record.
///
/// The index doesn't store keys; callers compare them. A cell contains the upper half of a hash and a record's number,
/// so a probe compares keys only if the upper halves are equal. Numbers are less than 2^32 − 1.
public struct HashIndex: Sendable {
    @usableFromInline var cells: [UInt64] = []
    @usableFromInline var mask = 0

    /// Creates an index with room for `count` keys.
    @inlinable
    public init(expecting count: Int = 0) { reset(expecting: count) }

    /// Removes every key and reserves room for a load of at most one half.
    @inlinable
    public mutating func reset(expecting count: Int) {
        var capacity = 8
        while capacity < count * 2 { capacity *= 2 }
        cells.removeAll(keepingCapacity: true)
        cells.append(contentsOf: repeatElement(0, count: capacity))
        mask = capacity - 1
    }

    @inlinable @inline(__always)
    static func cell(_ hash: UInt64, _ number: Int) -> UInt64 {
        hash & 0xFFFF_FFFF_0000_0000 | UInt64(truncatingIfNeeded: number + 1)
    }

    @inlinable @inline(__always)
    static func number(_ cell: UInt64) -> Int { Int(truncatingIfNeeded: cell & 0xFFFF_FFFF) - 1 }

    /// Returns the number of a key, or nil.
    @inlinable @inline(__always)
    public func find(_ hash: UInt64, isKey: (Int) -> Bool) -> Int? {
        var at = Int(truncatingIfNeeded: hash) & mask
        while cells[at] != 0 {
            let cell = cells[at]
            if (cell ^ hash) >> 32 == 0, isKey(Self.number(cell)) { return Self.number(cell) }
            at = (at + 1) & mask
        }
        return nil
    }

    /// Stores a number for a key.
    ///
    /// - Parameters:
    ///   - number: The number of the key's record.
    ///   - hash: The hash of the key.
    ///   - replaces: Whether the new number replaces one that is already stored.
    ///   - isKey: Whether the record with a number has this key.
    /// - Returns: The number already stored for the key, if any.
    /// - Precondition: The index contains the key, or fewer keys than it has room for.
    @inlinable @inline(__always)
    public mutating func insert(
        _ number: Int, hash: UInt64, replaces: Bool = false, isKey: (Int) -> Bool
    ) -> Int? {
        var at = Int(truncatingIfNeeded: hash) & mask
        while cells[at] != 0 {
            let cell = cells[at]
            if (cell ^ hash) >> 32 == 0, isKey(Self.number(cell)) {
                if replaces { cells[at] = Self.cell(hash, number) }
                return Self.number(cell)
            }
            at = (at + 1) & mask
        }
        cells[at] = Self.cell(hash, number)
        return nil
    }
}

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
        /// Up to 8 bytes as a word; loads may overlap.
        func last(_ at: Int, _ count: Int) -> UInt64 {
            if count >= 8 { return word(at) }
            if count >= 4 { return half(at) | half(at + count - 4) << 32 }
            return count > 0 ? byte(at) << 16 | byte(at + count / 2) << 8 | byte(at + count - 1) : 0
        }
        // The bytes of a short string were just stored as two words. A load across both would wait until they are in
        // the cache.
        let (low, high) = (last(at, count - at), last(at + 8, count - at - 8))
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
