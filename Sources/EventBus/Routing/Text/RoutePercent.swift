internal import AshlarCore

extension EventBusError {
    /// The error of a malformed escape in a URL or query.
    init(_ fault: PercentCoding.Fault, in text: String) {
        switch fault {
        case .escape(let offset):
            self.init(
                .invalidPercentEncoding, subject: text, offset: offset, expected: "two hexadecimal digits after %")
        case .utf8(let offset):
            self.init(.invalidUTF8, subject: text, offset: offset, expected: "escapes that spell UTF-8")
        }
    }
}

/// Percent-encodes and -decodes path segments, query items and fragments (RFC 3986, section 2.1).
enum RoutePercent {
    /// Decodes `bytes[range]` once and appends the result; in forms, `+` is a space.
    ///
    /// - Throws: The fault with its offset in `bytes`.
    static func decode<Bytes: RandomAccessCollection<UInt8>>(
        _ bytes: Bytes, _ range: Range<Int>, plusIsSpace: Bool = false, into result: inout [UInt8]
    ) throws(PercentCoding.Fault) where Bytes.Index == Int {
        do throws(PercentCoding.Fault) {
            try PercentCoding.decode(bytes[range], plusIsSpace: plusIsSpace, into: &result)
        } catch {
            switch error {
            case .escape(let offset): throw .escape(range.lowerBound + offset)
            case .utf8(let offset): throw .utf8(range.lowerBound + offset)
            }
        }
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
            switch byte {
            case UInt8(ascii: "&"), UInt8(ascii: "="), UInt8(ascii: "+"): self != .query
            case .slash, .question: self != .segment
            default: PercentCoding.isSegmentByte(byte)
            }
        }
    }

    /// Appends `text` to `result`; bytes that `part` can't contain are written as `%XX`.
    static func encode(_ text: some Sequence<UInt8>, as part: Part, into result: inout [UInt8]) {
        PercentCoding.append(text, to: &result) { part.keeps($0) }
    }
}
