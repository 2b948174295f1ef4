/// The hash SHA-1 (FIPS 180-4), 20 bytes long; only for protocols that require it, such as WebSocket.
package enum SHA1: BlockHash {
    package static let scheduleCount = 80
    package static let initialState: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]

    package static func update(_ state: inout [UInt32], _ w: inout [UInt32]) {
        for i in 16..<80 { w[i] = (w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16]).rotatedLeft(1) }
        var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
        for i in 0..<80 {
            let (mixed, constant): (UInt32, UInt32) =
                switch i / 20 {
                case 0: (b & c | ~b & d, 0x5A82_7999)
                case 1: (b ^ c ^ d, 0x6ED9_EBA1)
                case 2: (b & c | b & d | c & d, 0x8F1B_BCDC)
                default: (b ^ c ^ d, 0xCA62_C1D6)
                }
            let sum = a.rotatedLeft(5) &+ mixed &+ e &+ constant &+ w[i]
            (a, b, c, d, e) = (sum, a, b.rotatedLeft(30), c, d)
        }
        for (i, word) in [a, b, c, d, e].enumerated() { state[i] &+= word }
    }
}
