/// An open-addressed index from a key's hash to the number of its record.
///
/// Each cell holds the upper half of a hash and a record's number, so a probe touches a record only when the halves
/// agree.
struct KeyIndex: Sendable {
    private(set) var cells: [UInt64]
    private let mask: Int

    /// Creates an index with room for `count` keys, at most half full.
    init(count: Int) {
        var capacity = 8
        while capacity < count * 2 { capacity *= 2 }
        cells = Array(repeating: 0, count: capacity)
        mask = capacity - 1
    }

    private static func cell(_ hash: UInt64, _ number: Int) -> UInt64 {
        hash & 0xFFFF_FFFF_0000_0000 | UInt64(truncatingIfNeeded: number + 1)
    }

    /// The number stored for a key, or nil.
    @inline(__always)
    func find(_ hash: UInt64, hashOf: (Int) -> UInt64, isKey: (Int) -> Bool) -> Int? {
        cells.withUnsafeBufferPointer { cells in
            var at = Int(truncatingIfNeeded: hash) & mask
            while true {
                let cell = cells[at]
                if cell == 0 { return nil }
                if (cell ^ hash) >> 32 == 0 {
                    let number = Int(cell & 0xFFFF_FFFF) - 1
                    if hashOf(number) == hash, isKey(number) { return number }
                }
                at = (at + 1) & mask
            }
        }
    }

    /// Stores a number for a key and returns the number it replaces, or nil.
    @inline(__always)
    mutating func replace(
        _ hash: UInt64, with number: Int, hashOf: (Int) -> UInt64, isKey: (Int) -> Bool
    ) -> Int? {
        var at = Int(truncatingIfNeeded: hash) & mask
        while true {
            let cell = cells[at]
            if cell == 0 {
                cells[at] = Self.cell(hash, number)
                return nil
            }
            if (cell ^ hash) >> 32 == 0 {
                let old = Int(cell & 0xFFFF_FFFF) - 1
                if hashOf(old) == hash, isKey(old) {
                    cells[at] = Self.cell(hash, number)
                    return old
                }
            }
            at = (at + 1) & mask
        }
    }
}
