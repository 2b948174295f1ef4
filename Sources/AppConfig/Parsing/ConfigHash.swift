/// A fast hash of bytes with a seed of its own in each process, so that nobody can write files of colliding keys.
///
/// Eight bytes at a time are folded by a 64 × 64 → 128 bit multiplication, the construction of wyhash by Wang Yi.
enum ConfigHash {
    static let seed: UInt64 = UInt64.random(in: .min ... .max) | 1

    private static let k0: UInt64 = 0xa076_1d64_78bd_642f
    private static let k1: UInt64 = 0xe703_7ed1_a0b4_28db

    @inline(__always)
    private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }

    @inline(__always)
    static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
        hash(bytes, seed: seed)
    }

    @inline(__always)
    static func hash(_ bytes: UnsafeBufferPointer<UInt8>, seed: UInt64) -> UInt32 {
        guard let base = bytes.baseAddress, !bytes.isEmpty else { return UInt32(truncatingIfNeeded: seed) }
        return hash(UnsafeRawPointer(base), bytes.count, seed)
    }

    @inline(__always)
    private static func hash(_ base: UnsafeRawPointer, _ count: Int, _ seed: UInt64) -> UInt32 {
        var state = seed ^ (UInt64(truncatingIfNeeded: count) &* k1)
        var at = 0
        while count - at > 16 {
            let low = (base + at).loadUnaligned(as: UInt64.self)
            let high = (base + at + 8).loadUnaligned(as: UInt64.self)
            state = fold(low ^ k0, high ^ state)
            at += 16
        }
        let rest = count - at
        var (low, high): (UInt64, UInt64) = (0, 0)
        if rest >= 8 {
            low = (base + at).loadUnaligned(as: UInt64.self)
            high = (base + count - 8).loadUnaligned(as: UInt64.self)
        } else if rest >= 4 {
            low = UInt64((base + at).loadUnaligned(as: UInt32.self))
            high = UInt64((base + count - 4).loadUnaligned(as: UInt32.self))
        } else if rest > 0 {
            let first = UInt64((base + at).load(as: UInt8.self))
            let middle = UInt64((base + at + rest / 2).load(as: UInt8.self))
            let last = UInt64((base + count - 1).load(as: UInt8.self))
            low = first << 16 | middle << 8 | last
        }
        return finish(low, high, state)
    }

    @inline(__always)
    private static func finish(_ low: UInt64, _ high: UInt64, _ state: UInt64) -> UInt32 {
        let folded = fold(low ^ k0 ^ state, high ^ k1 ^ state)
        return UInt32(truncatingIfNeeded: fold(folded ^ k0, state ^ k1))
    }

    /// The hash of 8 to 15 bytes that are held in two words, first byte lowest, whatever stands behind them.
    @inline(__always)
    static func hash(_ low: UInt64, _ high: UInt64, count: Int, seed: UInt64) -> UInt32 {
        let state = seed ^ (UInt64(truncatingIfNeeded: count) &* k1)
        let shift = UInt64(truncatingIfNeeded: count &- 8) &* 8
        return finish(low, low &>> shift | (high &<< 1) &<< (63 &- shift), state)
    }
}

/// A reusable open-addressing table from hashes to small numbers.
struct ConfigKeyTable {
    private var slots: ContiguousArray<UInt64> = []
    private var mask = 0

    /// Empties the table and makes room.
    mutating func reset(expecting count: Int) {
        var capacity = 8
        while capacity < count * 2 { capacity *= 2 }
        if capacity <= slots.count {
            slots.withUnsafeMutableBufferPointer { $0[0..<capacity].update(repeating: 0) }
        } else {
            slots = ContiguousArray(repeating: 0, count: capacity)
        }
        mask = capacity - 1
    }

    /// Puts a number under a hash and returns the number that stood for the same key already, if there is one;
    /// `replaces` tells which of the two stays.
    mutating func insert(_ number: Int, hash: UInt32, replaces: Bool = false, isSame: (Int) -> Bool) -> Int? {
        var at = Int(hash) & mask
        while slots[at] != 0 {
            if UInt32(truncatingIfNeeded: slots[at] >> 32) == hash {
                let other = Int(UInt32(truncatingIfNeeded: slots[at])) - 1
                if isSame(other) {
                    if replaces { slots[at] = UInt64(hash) << 32 | UInt64(number + 1) }
                    return other
                }
            }
            at = (at + 1) & mask
        }
        slots[at] = UInt64(hash) << 32 | UInt64(number + 1)
        return nil
    }

    func find(hash: UInt32, isSame: (Int) -> Bool) -> Int? {
        if slots.isEmpty { return nil }
        var at = Int(hash) & mask
        while slots[at] != 0 {
            if UInt32(truncatingIfNeeded: slots[at] >> 32) == hash {
                let other = Int(UInt32(truncatingIfNeeded: slots[at])) - 1
                if isSame(other) { return other }
            }
            at = (at + 1) & mask
        }
        return nil
    }
}
