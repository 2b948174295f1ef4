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
    init(_ bytes: [UInt8]) {
        let (marked, length) = Self.byteOrderMark(of: bytes)
        markLength = length
        encoding = marked ?? .utf8
        utf8 = []
        if marked == nil, let guess = Self.unmarkedUTF16(bytes) {
            encoding = guess
            report(0, .warning, .missingByteOrderMark, "UTF-16 without a byte order mark")
        }
        switch encoding {
        case .utf8: decodeUTF8(bytes)
        case .utf16LittleEndian, .utf16BigEndian: decodeUTF16(bytes, bigEndian: encoding == .utf16BigEndian)
        case .utf32LittleEndian, .utf32BigEndian: decodeUTF32(bytes, bigEndian: encoding == .utf32BigEndian)
        }
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
        let text = UTF16Text.utf8(from: bytes, startingAt: markLength, isBigEndian: bigEndian)
        utf8 = text.utf8
        for offset in text.unpaired {
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
            utf8 += UTF16Text.utf8(of: scalar)
        }
        if (bytes.count - markLength) % 4 != 0 {
            report(utf8.count, .warning, .invalidEncoding, "incomplete UTF-32 unit at the end ignored")
        }
    }
}

/// The encoding of a text file.
package enum StringsEncoding: Hashable, Sendable {
    /// UTF-8, with or without a byte order mark.
    case utf8
    /// UTF-16, least significant byte first.
    case utf16LittleEndian
    /// UTF-16, most significant byte first.
    case utf16BigEndian
    /// UTF-32, least significant byte first.
    case utf32LittleEndian
    /// UTF-32, most significant byte first.
    case utf32BigEndian
}

/// The upper half of the NeXTSTEP character set, which octal escapes of property lists use.
///
/// The mapping is that of Unicode's `NEXTSTEP.TXT`; the two unassigned bytes are U+0000, as in Foundation.
enum NeXTSTEPLatin {
    static func scalar(_ byte: UInt8) -> UInt32 { byte < 0x80 ? UInt32(byte) : UInt32(upper[Int(byte) - 0x80]) }

    private static let upper: [UInt16] = [
        0x00A0, 0x00C0, 0x00C1, 0x00C2, 0x00C3, 0x00C4, 0x00C5, 0x00C7, 0x00C8, 0x00C9, 0x00CA, 0x00CB,
        0x00CC, 0x00CD, 0x00CE, 0x00CF, 0x00D0, 0x00D1, 0x00D2, 0x00D3, 0x00D4, 0x00D5, 0x00D6, 0x00D9,
        0x00DA, 0x00DB, 0x00DC, 0x00DD, 0x00DE, 0x00B5, 0x00D7, 0x00F7, 0x00A9, 0x00A1, 0x00A2, 0x00A3,
        0x2044, 0x00A5, 0x0192, 0x00A7, 0x00A4, 0x2019, 0x201C, 0x00AB, 0x2039, 0x203A, 0xFB01, 0xFB02,
        0x00AE, 0x2013, 0x2020, 0x2021, 0x00B7, 0x00A6, 0x00B6, 0x2022, 0x201A, 0x201E, 0x201D, 0x00BB,
        0x2026, 0x2030, 0x00AC, 0x00BF, 0x00B9, 0x02CB, 0x00B4, 0x02C6, 0x02DC, 0x00AF, 0x02D8, 0x02D9,
        0x00A8, 0x00B2, 0x02DA, 0x00B8, 0x00B3, 0x02DD, 0x02DB, 0x02C7, 0x2014, 0x00B1, 0x00BC, 0x00BD,
        0x00BE, 0x00E0, 0x00E1, 0x00E2, 0x00E3, 0x00E4, 0x00E5, 0x00E7, 0x00E8, 0x00E9, 0x00EA, 0x00EB,
        0x00EC, 0x00C6, 0x00ED, 0x00AA, 0x00EE, 0x00EF, 0x00F0, 0x00F1, 0x0141, 0x00D8, 0x0152, 0x00BA,
        0x00F2, 0x00F3, 0x00F4, 0x00F5, 0x00F6, 0x00E6, 0x00F9, 0x00FA, 0x00FB, 0x0131, 0x00FC, 0x00FD,
        0x0142, 0x00F8, 0x0153, 0x00DF, 0x00FE, 0x00FF, 0x0000, 0x0000,
    ]
}
