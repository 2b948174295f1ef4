/// A hash function that processes blocks of 16 words of 32 bits: the SHA family (FIPS 180-4).
package protocol BlockHash {
    static var initialState: [UInt32] { get }
    /// The number of words of a block with those that are derived from it.
    static var scheduleCount: Int { get }

    /// Processes one block.
    ///
    /// - Parameters:
    ///   - state: The hash of the blocks before this one.
    ///   - schedule: The 16 words of the block, followed by space for derived words.
    static func update(_ state: inout [UInt32], _ schedule: inout [UInt32])
}

extension BlockHash {
    /// Returns the hash of bytes.
    ///
    /// - Complexity: O(*n*) in the number of bytes.
    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var state = initialState
        var schedule = [UInt32](repeating: 0, count: scheduleCount)
        func process(_ block: ArraySlice<UInt8>) {
            for index in 0..<16 {
                let start = block.startIndex + 4 * index
                schedule[index] = block[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }
            }
            update(&state, &schedule)
        }
        let whole = bytes.count / 64 * 64
        for start in stride(from: 0, to: whole, by: 64) { process(bytes[start..<start + 64]) }

        // The remaining bytes, a 1 bit, zeros, and the length in bits as two words.
        var last = Array(bytes[whole...]) + [0x80]
        let lengthEnd = last.count + 8 <= 64 ? 64 : 128
        last += [UInt8](repeating: 0, count: lengthEnd - 8 - last.count)
        last += self.bytes(UInt64(bytes.count) * 8)
        for start in stride(from: 0, to: last.count, by: 64) { process(last[start..<start + 64]) }
        return state.flatMap { self.bytes($0) }
    }

    /// Returns the bytes of a number, highest first.
    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        stride(from: number.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}

extension UInt32 {
    package func rotatedLeft(_ count: Int) -> UInt32 { self << count | self >> (32 - count) }
    fileprivate func rotatedRight(_ count: Int) -> UInt32 { self >> count | self << (32 - count) }
}

/// The hash SHA-256, 32 bytes long.
package enum SHA256: BlockHash {
    /// Returns the hash as 64 lowercase hexadecimal digits.
    package static func hexadecimal(_ bytes: [UInt8]) -> String { hash(bytes).hexadecimal }

    package static let scheduleCount = 64
    package static let initialState: [UInt32] = [
        0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19,
    ]

    package static func update(_ state: inout [UInt32], _ w: inout [UInt32]) {
        for i in 16..<64 {
            let first = w[i - 15].rotatedRight(7) ^ w[i - 15].rotatedRight(18) ^ w[i - 15] >> 3
            let second = w[i - 2].rotatedRight(17) ^ w[i - 2].rotatedRight(19) ^ w[i - 2] >> 10
            w[i] = w[i - 16] &+ first &+ w[i - 7] &+ second
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for i in 0..<64 {
            let mixed = e.rotatedRight(6) ^ e.rotatedRight(11) ^ e.rotatedRight(25)
            let first = h &+ mixed &+ (e & f ^ ~e & g) &+ constants[i] &+ w[i]
            let second = (a.rotatedRight(2) ^ a.rotatedRight(13) ^ a.rotatedRight(22)) &+ (a & b ^ a & c ^ b & c)
            (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
        }
        for (i, word) in [a, b, c, d, e, f, g, h].enumerated() { state[i] &+= word }
    }

    private static let constants: [UInt32] = [
        0x428A_2F98, 0x7137_4491, 0xB5C0_FBCF, 0xE9B5_DBA5, 0x3956_C25B, 0x59F1_11F1, 0x923F_82A4, 0xAB1C_5ED5,
        0xD807_AA98, 0x1283_5B01, 0x2431_85BE, 0x550C_7DC3, 0x72BE_5D74, 0x80DE_B1FE, 0x9BDC_06A7, 0xC19B_F174,
        0xE49B_69C1, 0xEFBE_4786, 0x0FC1_9DC6, 0x240C_A1CC, 0x2DE9_2C6F, 0x4A74_84AA, 0x5CB0_A9DC, 0x76F9_88DA,
        0x983E_5152, 0xA831_C66D, 0xB003_27C8, 0xBF59_7FC7, 0xC6E0_0BF3, 0xD5A7_9147, 0x06CA_6351, 0x1429_2967,
        0x27B7_0A85, 0x2E1B_2138, 0x4D2C_6DFC, 0x5338_0D13, 0x650A_7354, 0x766A_0ABB, 0x81C2_C92E, 0x9272_2C85,
        0xA2BF_E8A1, 0xA81A_664B, 0xC24B_8B70, 0xC76C_51A3, 0xD192_E819, 0xD699_0624, 0xF40E_3585, 0x106A_A070,
        0x19A4_C116, 0x1E37_6C08, 0x2748_774C, 0x34B0_BCB5, 0x391C_0CB3, 0x4ED8_AA4A, 0x5B9C_CA4F, 0x682E_6FF3,
        0x748F_82EE, 0x78A5_636F, 0x84C8_7814, 0x8CC7_0208, 0x90BE_FFFA, 0xA450_6CEB, 0xBEF9_A3F7, 0xC671_78F2,
    ]
}
