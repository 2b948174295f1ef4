/// Writes Unicode scalars as UTF-8.
enum UTF8Bytes {
    /// Writes one scalar and returns its length; the buffer must have room for it.
    @inline(__always)
    static func write(_ scalar: UInt32, to out: UnsafeMutableBufferPointer<UInt8>, at o: Int) -> Int {
        func byte(_ value: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: value) }
        if scalar < 0x80 {
            out[o] = byte(scalar)
            return 1
        }
        if scalar < 0x800 {
            out[o] = byte(0xC0 | scalar >> 6)
            out[o + 1] = byte(0x80 | scalar & 0x3F)
            return 2
        }
        if scalar < 0x10000 {
            out[o] = byte(0xE0 | scalar >> 12)
            out[o + 1] = byte(0x80 | scalar >> 6 & 0x3F)
            out[o + 2] = byte(0x80 | scalar & 0x3F)
            return 3
        }
        out[o] = byte(0xF0 | scalar >> 18)
        out[o + 1] = byte(0x80 | scalar >> 12 & 0x3F)
        out[o + 2] = byte(0x80 | scalar >> 6 & 0x3F)
        out[o + 3] = byte(0x80 | scalar & 0x3F)
        return 4
    }

    static func append(_ scalar: UInt32, to bytes: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 4) { buffer in
            let length = write(scalar, to: buffer, at: 0)
            bytes.append(contentsOf: buffer[..<length])
        }
    }
}
