/// The hashes of the SHA-2 family (FIPS 180-4), which differ in their words, constants and rotations.
package protocol SHA2: BlockHash {
    /// One for each round.
    static var constants: [Word] { get }
    /// The distances of the functions σ0 and σ1: two rotations and a shift.
    static var scheduleRotations: ((Int, Int, Int), (Int, Int, Int)) { get }
    /// The distances of the functions Σ0 and Σ1: three rotations.
    static var stateRotations: ((Int, Int, Int), (Int, Int, Int)) { get }
}

extension SHA2 {
    package static var scheduleCount: Int { constants.count }

    package static func update(_ state: inout [Word], _ w: inout [Word]) {
        func mixed(_ word: Word, _ by: (Int, Int, Int)) -> Word {
            word.rotatedRight(by.0) ^ word.rotatedRight(by.1) ^ word.rotatedRight(by.2)
        }
        func spread(_ word: Word, _ by: (Int, Int, Int)) -> Word {
            word.rotatedRight(by.0) ^ word.rotatedRight(by.1) ^ word >> by.2
        }
        let (constants, small, large) = (constants, scheduleRotations, stateRotations)
        for i in 16..<w.count {
            w[i] = w[i - 16] &+ spread(w[i - 15], small.0) &+ w[i - 7] &+ spread(w[i - 2], small.1)
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for i in 0..<w.count {
            let first = h &+ mixed(e, large.1) &+ (e & f ^ ~e & g) &+ constants[i] &+ w[i]
            let second = mixed(a, large.0) &+ (a & b ^ a & c ^ b & c)
            (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
        }
        for (i, word) in [a, b, c, d, e, f, g, h].enumerated() { state[i] &+= word }
    }
}
