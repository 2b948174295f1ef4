import AshlarCore
import Testing

@Suite struct ChecksummedFileTests {
    @Test(
        "A payload returns from its file",
        arguments: [[], [10], Array("a\n\nb\n".utf8), Array(0...255)] as [[UInt8]])
    func payload(payload: [UInt8]) {
        let file = ChecksummedFile.encode(payload, mark: "ASHLAR test 1")
        #expect(ChecksummedFile.decode(file, mark: "ASHLAR test 1") == payload)
        #expect(ChecksummedFile.decode(file, mark: "ASHLAR test 2") == nil)
    }

    @Test("A file that is cut off, longer or changed isn't read")
    func damage() {
        let file = ChecksummedFile.encode(Array("payload".utf8), mark: "m")
        for count in file.indices { #expect(ChecksummedFile.decode(Array(file[..<count]), mark: "m") == nil) }
        for index in file.indices {
            var damaged = file
            damaged[index] ^= 1
            #expect(ChecksummedFile.decode(damaged, mark: "m") == nil, "\(index)")
        }
        #expect(ChecksummedFile.decode(file + [0], mark: "m") == nil)
    }
}
