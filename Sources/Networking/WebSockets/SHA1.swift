/// The hash SHA-1 (RFC 3174), only for the handshake of WebSockets.
enum SHA1 {
    /// The hash of bytes, 20 bytes long.
    static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        var padded = bytes + [0x80]
        padded += [UInt8](repeating: 0, count: (120 - padded.count % 64) % 64)
        let length = UInt64(bytes.count) * 8
        padded += stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: length >> UInt64($0)) }
        for start in stride(from: 0, to: padded.count, by: 64) { update(&state, padded[start..<start + 64]) }
        return state.flatMap { word in
            stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
        }
    }

    private static func update(_ state: inout [UInt32], _ block: ArraySlice<UInt8>) {
        var words = (0..<16).map { index in
            let start = block.startIndex + 4 * index
            return block[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }
        }
        for i in 16..<80 { words.append(rotated(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1)) }
        var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
        for i in 0..<80 {
            let (mixed, constant): (UInt32, UInt32) =
                switch i / 20 {
                case 0: (b & c | ~b & d, 0x5A82_7999)
                case 1: (b ^ c ^ d, 0x6ED9_EBA1)
                case 2: (b & c | b & d | c & d, 0x8F1B_BCDC)
                default: (b ^ c ^ d, 0xCA62_C1D6)
                }
            let sum = rotated(a, 5) &+ mixed &+ e &+ constant &+ words[i]
            (a, b, c, d, e) = (sum, a, rotated(b, 30), c, d)
        }
        for (index, word) in [a, b, c, d, e].enumerated() { state[index] &+= word }
    }

    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word << count | word >> (32 - count) }
}
