/// A hash function that processes blocks of 16 words, such as MD5 (RFC 1321) and the SHA family (FIPS 180-4).
package protocol BlockHash {
    associatedtype Word: FixedWidthInteger & UnsignedInteger

    static var initialState: [Word] { get }
    /// Whether words and the length are written with their lowest byte first.
    static var isLittleEndian: Bool { get }
    /// The number of words of a block with those that are derived from it.
    static var scheduleCount: Int { get }

    /// The number of words of the state that are the hash.
    static var resultCount: Int { get }

    /// Processes one block.
    ///
    /// - Parameters:
    ///   - state: The hash of the blocks before this one.
    ///   - schedule: The 16 words of the block, followed by space for derived words.
    static func update(_ state: inout [Word], _ schedule: inout [Word])
}

extension BlockHash {
    package static var isLittleEndian: Bool { false }
    package static var scheduleCount: Int { 16 }
    package static var resultCount: Int { initialState.count }

    /// Returns the hash of bytes.
    ///
    /// - Complexity: O(*n*) in the number of bytes.
    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        let wordBytes = Word.bitWidth / 8
        let blockBytes = 16 * wordBytes
        var state = initialState
        var schedule = [Word](repeating: 0, count: scheduleCount)
        func process(_ block: ArraySlice<UInt8>) {
            for index in 0..<16 {
                let start = block.startIndex + wordBytes * index
                let word = block[start..<start + wordBytes].reduce(0) { $0 << 8 | Word($1) }
                schedule[index] = isLittleEndian ? word.byteSwapped : word
            }
            update(&state, &schedule)
        }
        let whole = bytes.count / blockBytes * blockBytes
        for start in stride(from: 0, to: whole, by: blockBytes) { process(bytes[start..<start + blockBytes]) }

        // The remaining bytes, a 1 bit, zeros, and the length in bits as two words.
        var last = Array(bytes[whole...]) + [0x80]
        let lengthEnd = last.count + 2 * wordBytes <= blockBytes ? blockBytes : 2 * blockBytes
        last += [UInt8](repeating: 0, count: lengthEnd - 8 - last.count)
        let length = UInt64(bytes.count) * 8
        last += self.bytes(isLittleEndian ? length.byteSwapped : length)
        for start in stride(from: 0, to: last.count, by: blockBytes) { process(last[start..<start + blockBytes]) }
        return state.prefix(resultCount).flatMap { self.bytes(isLittleEndian ? $0.byteSwapped : $0) }
    }

    /// Returns the bytes of a number, highest first.
    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        stride(from: number.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}

extension FixedWidthInteger {
    package func rotatedLeft(_ count: Int) -> Self { self << count | self >> (Self.bitWidth - count) }
    func rotatedRight(_ count: Int) -> Self { self >> count | self << (Self.bitWidth - count) }
}

/// The hash MD5 (RFC 1321), 16 bytes long; only for protocols that require it, such as digest authentication.
package enum MD5: BlockHash {
    package static let isLittleEndian = true
    package static let initialState: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476]

    package static func update(_ state: inout [UInt32], _ words: inout [UInt32]) {
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        for i in 0..<64 {
            let (mixed, index): (UInt32, Int) =
                switch i / 16 {
                case 0: (b & c | ~b & d, i)
                case 1: (d & b | ~d & c, (5 * i + 1) % 16)
                case 2: (b ^ c ^ d, (3 * i + 5) % 16)
                default: (c ^ (b | ~d), 7 * i % 16)
                }
            let sum = a &+ mixed &+ constants[i] &+ words[index]
            (a, d, c, b) = (d, c, b, b &+ sum.rotatedLeft(shifts[i / 16 * 4 + i % 4]))
        }
        for (i, word) in [a, b, c, d].enumerated() { state[i] &+= word }
    }

    private static let shifts: [Int] = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21]

    private static let constants: [UInt32] = [
        0xD76A_A478, 0xE8C7_B756, 0x2420_70DB, 0xC1BD_CEEE, 0xF57C_0FAF, 0x4787_C62A, 0xA830_4613, 0xFD46_9501,
        0x6980_98D8, 0x8B44_F7AF, 0xFFFF_5BB1, 0x895C_D7BE, 0x6B90_1122, 0xFD98_7193, 0xA679_438E, 0x49B4_0821,
        0xF61E_2562, 0xC040_B340, 0x265E_5A51, 0xE9B6_C7AA, 0xD62F_105D, 0x0244_1453, 0xD8A1_E681, 0xE7D3_FBC8,
        0x21E1_CDE6, 0xC337_07D6, 0xF4D5_0D87, 0x455A_14ED, 0xA9E3_E905, 0xFCEF_A3F8, 0x676F_02D9, 0x8D2A_4C8A,
        0xFFFA_3942, 0x8771_F681, 0x6D9D_6122, 0xFDE5_380C, 0xA4BE_EA44, 0x4BDE_CFA9, 0xF6BB_4B60, 0xBEBF_BC70,
        0x289B_7EC6, 0xEAA1_27FA, 0xD4EF_3085, 0x0488_1D05, 0xD9D4_D039, 0xE6DB_99E5, 0x1FA2_7CF8, 0xC4AC_5665,
        0xF429_2244, 0x432A_FF97, 0xAB94_23A7, 0xFC93_A039, 0x655B_59C3, 0x8F0C_CC92, 0xFFEF_F47D, 0x8584_5DD1,
        0x6FA8_7E4F, 0xFE2C_E6E0, 0xA301_4314, 0x4E08_11A1, 0xF753_7E82, 0xBD3A_F235, 0x2AD7_D2BB, 0xEB86_D391,
    ]
}
