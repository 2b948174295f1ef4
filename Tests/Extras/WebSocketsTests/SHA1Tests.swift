import AshlarCore
import Testing

@testable import AshlarWebSockets

@Suite struct SHA1Tests {
    // From Python's hashlib.
    @Test(
        "Texts around the size of a block have the hashes of SHA-1",
        arguments: [
            (0, "da39a3ee5e6b4b0d3255bfef95601890afd80709"), (1, "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8"),
            (55, "c1c8bbdc22796e28c0e15163d20899b65621d65a"), (56, "c2db330f6083854c99d4b5bfb6e8f29f201be699"),
            (63, "03f09f5b158a7a8cdad920bddc29b81c18a551f5"), (64, "0098ba824b5c16427bd7a1122a5a442a25ec644d"),
            (65, "11655326c708d70319be2610e8a57d9a5b959d3b"), (119, "ee971065aaa017e0632a8ca6c77bb3bf8b1dfc56"),
            (120, "f34c1488385346a55709ba056ddd08280dd4c6d6"), (1000, "291e9a6c66994949b57ba5e650361e98fc36b1ba"),
        ])
    func sha1(count: Int, hash: String) {
        #expect(SHA1.hash([UInt8](repeating: UInt8(ascii: "a"), count: count)).hexadecimal == hash)
    }

    @Test("The text abc has the hash of FIPS 180-4")
    func published() {
        #expect(SHA1.hash(Array("abc".utf8)).hexadecimal == "a9993e364706816aba3e25717850c26c9cd0d89d")
    }
}
