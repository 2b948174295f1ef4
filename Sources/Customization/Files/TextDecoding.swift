internal import AshlarCore

/// A problem of decoding.
struct DecodingProblem: Sendable {
    /// The offset in the decoded text.
    var offset: Int
    var severity: CustomizationDiagnostic.Severity
    var code: CustomizationDiagnostic.Code
    var message: String
    /// The line and column of an invalid byte.
    var place: (line: Int, column: Int)?
}

/// The bytes of a text file as UTF-8, and the problems of decoding.
struct TextDecoding {
    /// The text in UTF-8, without a byte order mark.
    var utf8: [UInt8]
    var encoding: StringsEncoding
    /// The number of bytes of the file before the text.
    var markLength: Int
    /// The problems found, in the order of the bytes.
    var problems: [DecodingProblem] = []
    /// Whether the bytes aren't text in this encoding; `utf8` is then empty.
    var isRejected = false

    /// Decodes by the byte order mark, or by the pattern of zero bytes, or as UTF-8.
    ///
    /// - Complexity: O(*n*) in the number of bytes.
    init(_ bytes: [UInt8], assuming assumed: StringsEncoding? = nil) {
        let (marked, length) = Self.byteOrderMark(of: bytes)
        markLength = length
        encoding = marked ?? .utf8
        utf8 = []
        if marked == nil {
            if let assumed {
                encoding = assumed
            } else if let guess = Self.unmarkedUTF16(bytes) {
                encoding = guess
                report(0, .warning, .missingByteOrderMark, "UTF-16 without a byte order mark")
            }
        }
        switch encoding {
        case .utf8: decodeUTF8(bytes)
        case .utf16LittleEndian, .utf16BigEndian: decodeUTF16(bytes, bigEndian: encoding == .utf16BigEndian)
        case .utf32LittleEndian, .utf32BigEndian: decodeUTF32(bytes, bigEndian: encoding == .utf32BigEndian)
        case .latin1, .windows1252, .macRoman: decodeSingleBytes(bytes, upper: encoding.upperHalf ?? [])
        }
    }

    /// Decodes like Foundation on Linux, including its error for UTF-16 without a byte order mark.
    init(asFoundation bytes: [UInt8]) {
        let unmarked =
            bytes.count > 2 && Self.byteOrderMark(of: bytes).encoding == nil && (bytes[0] == 0 || bytes[1] == 0)
        guard unmarked else {
            self.init(bytes, assuming: .utf8)
            return
        }
        // Foundation skips two bytes as if they were a byte order mark.
        self.init([])
        (encoding, markLength) = (.utf16LittleEndian, 2)
        decodeUTF16(bytes, bigEndian: false)
    }

    private mutating func report(
        _ offset: Int, _ severity: CustomizationDiagnostic.Severity, _ code: CustomizationDiagnostic.Code,
        _ message: String, place: (line: Int, column: Int)? = nil
    ) {
        problems.append(
            DecodingProblem(offset: offset, severity: severity, code: code, message: message, place: place))
    }

    private static func byteOrderMark(of bytes: [UInt8]) -> (encoding: StringsEncoding?, length: Int) {
        func starts(_ mark: [UInt8]) -> Bool { bytes.starts(with: mark) }
        if starts([0, 0, 0xFE, 0xFF]) { return (.utf32BigEndian, 4) }
        if starts([0xFF, 0xFE, 0, 0]) { return (.utf32LittleEndian, 4) }
        if starts([0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
        if starts([0xFF, 0xFE]) { return (.utf16LittleEndian, 2) }
        if starts([0xFE, 0xFF]) { return (.utf16BigEndian, 2) }
        return (nil, 0)
    }

    /// Distinguishes UTF-16 from UTF-8 by zero bytes; ASCII punctuation is sufficient.
    private static func unmarkedUTF16(_ bytes: [UInt8]) -> StringsEncoding? {
        let sample = min(bytes.count, 1024) & ~1
        var zeros = (even: 0, odd: 0)
        for i in stride(from: 0, to: sample, by: 2) {
            if bytes[i] == 0 { zeros.even += 1 }
            if bytes[i + 1] == 0 { zeros.odd += 1 }
        }
        // Text that is also valid UTF-8, such as a comment with zero bytes, requires more zero bytes.
        let isUTF8 =
            (UTF8Validation.firstInvalid(in: Array(bytes[..<sample])) ?? sample) > sample - 4
        let enough = max(2, sample / 2 / (isUTF8 ? 3 : 8))
        if zeros.odd >= enough, zeros.odd > 4 * zeros.even { return .utf16LittleEndian }
        if zeros.even >= enough, zeros.even > 4 * zeros.odd { return .utf16BigEndian }
        return nil
    }

    private mutating func decodeUTF8(_ bytes: [UInt8]) {
        if let bad = UTF8Validation.firstInvalid(in: bytes, from: markLength) {
            isRejected = true
            let place = Self.place(of: bad, in: bytes, from: markLength)
            report(
                0, .error, .invalidEncoding,
                "invalid UTF-8 at byte \(bad) (0x\(String(bytes[bad], radix: 16, uppercase: true)))", place: place)
            return
        }
        utf8 = markLength == 0 ? bytes : Array(bytes[markLength...])
    }

    private static func place(of offset: Int, in bytes: [UInt8], from start: Int) -> (line: Int, column: Int) {
        let text = SourceText(utf8: Array(bytes[start..<offset]), file: "")
        let location = text.location(ofByte: offset - start)
        return (location.line, location.column)
    }

    private mutating func decodeUTF16(_ bytes: [UInt8], bigEndian: Bool) {
        let units = (bytes.count - markLength) / 2
        var lone: [Int] = []
        let start = markLength
        // At least one: with a capacity of 0, the closure would write the count of the shared empty array.
        utf8 = [UInt8](unsafeUninitializedCapacity: max(units * 3, 1)) { out, written in
            bytes.withUnsafeBytes { raw in
                func unit(_ i: Int) -> UInt16 {
                    let value = raw.loadUnaligned(fromByteOffset: start + 2 * i, as: UInt16.self)
                    return bigEndian ? UInt16(bigEndian: value) : UInt16(littleEndian: value)
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
                            lone.append(o)
                            scalar = 0xFFFD
                        }
                    }
                    for byte in Self.utf8(scalar) {
                        out[o] = byte
                        o += 1
                    }
                }
                written = o
            }
        }
        for offset in lone {
            report(offset, .warning, .brokenUTF16, "unpaired surrogate replaced by U+FFFD")
        }
        if (bytes.count - markLength) % 2 == 1 {
            report(utf8.count, .warning, .brokenUTF16, "incomplete UTF-16 unit at the end ignored")
        }
    }

    private mutating func decodeUTF32(_ bytes: [UInt8], bigEndian: Bool) {
        utf8.reserveCapacity(bytes.count / 2)
        for at in stride(from: markLength, to: bytes.count - 3, by: 4) {
            let value = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: at, as: UInt32.self) }
            let scalar = bigEndian ? UInt32(bigEndian: value) : UInt32(littleEndian: value)
            guard Unicode.Scalar(scalar) != nil else {
                isRejected = true
                utf8 = []
                report(
                    0, .error, .invalidEncoding,
                    "byte \(at) starts 0x\(String(scalar, radix: 16)), which is not a Unicode scalar; "
                        + "the file was not read")
                return
            }
            utf8 += Self.utf8(scalar)
        }
        if (bytes.count - markLength) % 4 != 0 {
            report(utf8.count, .warning, .invalidEncoding, "incomplete UTF-32 unit at the end ignored")
        }
    }

    /// Returns a scalar as UTF-8; U+FFFD for a surrogate.
    static func utf8(_ scalar: UInt32) -> UTF8.EncodedScalar {
        UTF8.encode(Unicode.Scalar(scalar) ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter
    }

    private mutating func decodeSingleBytes(_ bytes: [UInt8], upper: [UInt16]) {
        utf8.reserveCapacity(bytes.count + bytes.count / 8)
        for byte in bytes {
            if byte < 0x80 { utf8.append(byte) } else { utf8 += Self.utf8(UInt32(upper[Int(byte) - 0x80])) }
        }
    }
}
