/// Writes gzip files (RFC 1952) whose deflate blocks are stored, not compressed.
enum Gzip {
    static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
        var rest = bytes[...]
        repeat {
            let block = rest.prefix(65_535)
            rest = rest.dropFirst(block.count)
            output.append(rest.isEmpty ? 1 : 0)
            output += little(UInt32(block.count)).prefix(2) + little(~UInt32(block.count)).prefix(2) + block
        } while !rest.isEmpty
        return output + little(crc(bytes)) + little(UInt32(bytes.count))
    }

    private static func little(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private static func crc(_ bytes: [UInt8]) -> UInt32 {
        var crc = ~UInt32(0)
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? (crc >> 1) ^ 0xEDB8_8320 : crc >> 1 }
        }
        return ~crc
    }
}
