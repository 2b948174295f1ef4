internal import AshlarCore

/// Percent-encodes and -decodes path segments, query items and fragments (RFC 3986, section 2.1).
enum RoutePercent {
    /// The error of an encoded text, with the offset of its byte.
    enum Fault: Error, Equatable {
        /// A `%` without two hexadecimal digits.
        case encoding(Int)
        /// Decoded bytes that aren't UTF-8.
        case utf8(Int)
    }

    /// Decodes `bytes[range]` once and appends the result; in forms, `+` is a space.
    static func decode<Bytes: RandomAccessCollection<UInt8>>(
        _ bytes: Bytes, _ range: Range<Int>, plusIsSpace: Bool = false, into result: inout [UInt8]
    ) throws(Fault) where Bytes.Index == Int {
        let start = result.count
        var (at, escapes) = (range.lowerBound, false)
        while at < range.upperBound {
            let byte = bytes[at]
            if byte == .percent {
                guard at + 2 < range.upperBound, let high = bytes[at + 1].hexValue, let low = bytes[at + 2].hexValue
                else { throw .encoding(at) }
                result.append(high << 4 | low)
                (at, escapes) = (at + 3, true)
            } else {
                result.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
                at += 1
            }
        }
        // A Swift string is already UTF-8, so only escapes can make it invalid.
        guard escapes, let bad = UTF8Validation.firstInvalid(in: result, from: start) else { return }
        throw .utf8(offset(ofDecoded: bad - start, in: bytes, range))
    }

    /// Returns the offset in the encoded `range` of a decoded byte.
    static func offset<Bytes: RandomAccessCollection<UInt8>>(
        ofDecoded count: Int, in bytes: Bytes, _ range: Range<Int>
    ) -> Int where Bytes.Index == Int {
        var (at, left) = (range.lowerBound, count)
        while left > 0, at < range.upperBound {
            at += bytes[at] == .percent ? 3 : 1
            left -= 1
        }
        return min(at, range.upperBound)
    }

    /// The characters that aren't encoded.
    enum Part {
        case segment
        case query
        case fragment

        func keeps(_ byte: UInt8) -> Bool {
            if byte.isASCIILetter || byte.isASCIIDigit { return true }
            switch byte {
            case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): return true
            case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: ")"),
                UInt8(ascii: "*"), UInt8(ascii: ","), UInt8(ascii: ";"), .colon, UInt8(ascii: "@"):
                return true
            case UInt8(ascii: "&"), UInt8(ascii: "="), UInt8(ascii: "+"): return self != .query
            case .slash, .question: return self != .segment
            default: return false
            }
        }
    }

    /// Appends `text` to `result`; bytes that `part` can't contain are written as `%XX`.
    static func encode(_ text: some Sequence<UInt8>, as part: Part, into result: inout [UInt8]) {
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in text {
            if part.keeps(byte) {
                result.append(byte)
            } else {
                result.append(.percent)
                result.append(digits[Int(byte >> 4)])
                result.append(digits[Int(byte & 15)])
            }
        }
    }
}
