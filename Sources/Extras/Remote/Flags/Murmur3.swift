/// MurmurHash3 x86 32-bit by Austin Appleby, with the seed 0.
///
/// The hash is the same on every platform and in every version, so the bucket of an ID never changes.
enum Murmur3 {
    static func hash(_ bytes: some Collection<UInt8>) -> UInt32 {
        let bytes = Array(bytes)
        var hash: UInt32 = 0
        var at = 0
        while at + 4 <= bytes.count {
            hash ^= mixed(word(bytes[at..<(at + 4)]))
            hash = rotated(hash, 13) &* 5 &+ 0xE654_6B64
            at += 4
        }
        if at < bytes.count { hash ^= mixed(word(bytes[at...])) }
        hash ^= UInt32(truncatingIfNeeded: bytes.count)
        hash = (hash ^ (hash >> 16)) &* 0x85EB_CA6B
        hash = (hash ^ (hash >> 13)) &* 0xC2B2_AE35
        return hash ^ (hash >> 16)
    }

    /// Returns up to four bytes as a little-endian word.
    private static func word(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reversed().reduce(0) { ($0 << 8) | UInt32($1) }
    }

    private static func mixed(_ word: UInt32) -> UInt32 { rotated(word &* 0xCC9E_2D51, 15) &* 0x1B87_3593 }

    private static func rotated(_ word: UInt32, _ bits: UInt32) -> UInt32 { (word << bits) | (word >> (32 - bits)) }
}
