/// Converts UTF-16 to UTF-8.
package enum UTF16Text {
    /// Returns UTF-16 as UTF-8, with U+FFFD for each unpaired surrogate, and the offsets of these in the result.
    ///
    /// An incomplete unit at the end is omitted.
    ///
    /// - Complexity: O(*n*) in the number of bytes.
    package static func utf8(
        from bytes: [UInt8], startingAt start: Int, isBigEndian: Bool
    ) -> (utf8: [UInt8], unpaired: [Int]) {
        let units = (bytes.count - start) / 2
        var unpaired: [Int] = []
        // At least one: with a capacity of 0, the closure would write the count of the shared empty array.
        let utf8 = [UInt8](unsafeUninitializedCapacity: max(units * 3, 1)) { out, written in
            bytes.withUnsafeBytes { raw in
                func unit(_ i: Int) -> UInt16 {
                    let value = raw.loadUnaligned(fromByteOffset: start + 2 * i, as: UInt16.self)
                    return isBigEndian ? UInt16(bigEndian: value) : UInt16(littleEndian: value)
                }
                var (i, o) = (0, 0)
                while i < units {
                    let a = unit(i)
                    i += 1
                    if a < 0x80 {
                        out[o] = UInt8(truncatingIfNeeded: a)
                        o += 1
                        continue
                    }
                    var scalar = UInt32(a)
                    if a & 0xF800 == 0xD800 {
                        let b = i < units ? unit(i) : 0
                        if a < 0xDC00, b & 0xFC00 == 0xDC00 {
                            scalar = 0x10000 + (UInt32(a & 0x3FF) << 10 | UInt32(b & 0x3FF))
                            i += 1
                        } else {
                            unpaired.append(o)
                            scalar = 0xFFFD
                        }
                    }
                    for byte in Self.utf8(of: scalar) {
                        out[o] = byte
                        o += 1
                    }
                }
                written = o
            }
        }
        return (utf8, unpaired)
    }

    /// Returns a scalar as UTF-8; U+FFFD for a surrogate.
    package static func utf8(of scalar: UInt32) -> UTF8.EncodedScalar {
        UTF8.encode(Unicode.Scalar(scalar) ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter
    }
}
