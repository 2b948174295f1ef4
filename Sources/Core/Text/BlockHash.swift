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
    func rotatedLeft(_ count: Int) -> Self { self << count | self >> (Self.bitWidth - count) }
    func rotatedRight(_ count: Int) -> Self { self >> count | self << (Self.bitWidth - count) }
}
