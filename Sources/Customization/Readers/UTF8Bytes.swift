/// Writes Unicode scalars as UTF-8.
enum UTF8Bytes {
    /// Writes one scalar and returns its length; there must be room for three bytes, or four above U+FFFF.
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

/// Checks that bytes are well-formed UTF-8 (Unicode 15, table 3-7), eight at a time where they are ASCII.
enum UTF8Validation {
    /// Returns the offset of the first byte of the first ill-formed sequence, or nil if there is none.
    ///
    /// - Complexity: O(*n*) in the number of bytes.
    static func firstInvalid(in bytes: UnsafeBufferPointer<UInt8>, from start: Int = 0) -> Int? {
        let raw = UnsafeRawBufferPointer(bytes)
        let count = bytes.count
        var i = start
        func isContinuation(_ at: Int, _ range: ClosedRange<UInt8> = 0x80...0xBF) -> Bool {
            at < count && range ~= bytes[at]
        }
        while i < count {
            if i + 8 <= count, raw.loadUnaligned(fromByteOffset: i, as: UInt64.self) & 0x8080_8080_8080_8080 == 0 {
                i += 8
                continue
            }
            switch bytes[i] {
            case 0..<0x80: i += 1
            case 0xC2...0xDF:
                guard isContinuation(i + 1) else { return i }
                i += 2
            case 0xE0...0xEF:
                let second: ClosedRange<UInt8> =
                    bytes[i] == 0xE0 ? 0xA0...0xBF : bytes[i] == 0xED ? 0x80...0x9F : 0x80...0xBF
                guard isContinuation(i + 1, second), isContinuation(i + 2) else { return i }
                i += 3
            case 0xF0...0xF4:
                let second: ClosedRange<UInt8> =
                    bytes[i] == 0xF0 ? 0x90...0xBF : bytes[i] == 0xF4 ? 0x80...0x8F : 0x80...0xBF
                guard isContinuation(i + 1, second), isContinuation(i + 2), isContinuation(i + 3) else { return i }
                i += 4
            default: return i
            }
        }
        return nil
    }
}
