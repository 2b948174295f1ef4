import AshlarCore
import Testing

@Suite struct RawSpanEqualityTests {
    private func areEqual(_ left: ContiguousArray<UInt8>, _ right: ContiguousArray<UInt8>) -> Bool {
        left.span.bytes.hasSameBytes(as: right.span.bytes)
    }

    @Test("Spans are equal if every byte is", arguments: 0...40)
    func equality(length: Int) {
        let bytes = ContiguousArray((0..<UInt8(length)).map { $0 &* 7 })
        #expect(areEqual(bytes, bytes))
        #expect(!areEqual(bytes, bytes + [0]))
        for at in bytes.indices {
            var other = bytes
            other[at] ^= 1
            #expect(!areEqual(bytes, other))
        }
    }
}
