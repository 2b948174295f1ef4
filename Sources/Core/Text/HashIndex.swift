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
