internal import AshlarCore

/// The bytes of a text file as UTF-8, and the problems of decoding.
struct TextDecoding {
    /// The text in UTF-8, without a byte order mark.
    var utf8: [UInt8]
    var encoding: StringsEncoding
    /// The number of bytes of the file before the text.
    var markLength: Int
    /// The problems found, in the order of the bytes.
    var problems: [SourceProblem] = []
    /// Whether the bytes aren't text in this encoding; `utf8` is then the text before the first such byte.
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
        _ message: String
    ) {
        problems.append(SourceProblem(offset: offset, severity: severity, code: code, message: message))
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
        let bad = UTF8Validation.firstInvalid(in: bytes, from: markLength)
        utf8 = markLength == 0 && bad == nil ? bytes : Array(bytes[markLength..<(bad ?? bytes.count)])
        guard let bad else { return }
        isRejected = true
        report(
            utf8.count, .error, .invalidEncoding,
            "invalid UTF-8 at byte \(bad) (0x\(String(bytes[bad], radix: 16, uppercase: true)))")
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
                report(
                    utf8.count, .error, .invalidEncoding,
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
    static func scalar(_ byte: UInt8) -> UInt16 { byte < 0x80 ? UInt16(byte) : upper[Int(byte) - 0x80] }

    private static let upper = Array(
        """
        \u{A0}ÀÁÂÃÄÅÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖÙÚÛÜÝÞµ×÷©¡¢£⁄¥ƒ§¤’“«‹›ﬁﬂ®–†‡·¦¶•‚„”»…‰¬¿¹\u{2CB}\u{B4}\u{2C6}\u{2DC}\u{AF}\
        \u{2D8}\u{2D9}\u{A8}²\u{2DA}\u{B8}³\u{2DD}\u{2DB}\u{2C7}—±¼½¾àáâãäåçèéêëìÆíªîïðñŁØŒºòóôõöæùúûıüýłøœßþÿ\0\0
        """.utf16)
}
