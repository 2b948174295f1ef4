/// Why and where a text is not JSON.
struct JSONFailure: Error {
    /// What the grammar or a limit wanted at the place.
    enum Expectation {
        case value, key, keyOrEnd, otherKey, colon, memberEnd, elementEnd, documentEnd, stringEnd
        case noControlCharacter, utf8, escape, hex, surrogate, digit, noLeadingZero
        case tooDeep
    }

    var expected: Expectation
    var offset: Int
    var path = "$"

    /// The public form, with line and column and what was found.
    func networkError(in text: UnsafeBufferPointer<UInt8>, limits: JSONLimits) -> NetworkError {
        var error = NetworkError(expected == .tooDeep ? .jsonLimit : .invalidJSON, message(in: text, limits))
        error.offset = offset
        error.path = path.utf8.count > Self.longestPath ? "\(path.prefix(Self.longestPath))…" : path
        (error.line, error.column) = JSONText.position(of: offset, in: text)
        if expected == .tooDeep { error.limit = limits.depth }
        return error
    }

    /// Hundreds of steps would hide the rest of the message; line and column tell the place anyway.
    private static let longestPath = 256

    private func message(in text: UnsafeBufferPointer<UInt8>, _ limits: JSONLimits) -> String {
        let found = Self.found(at: offset, in: text)
        return switch expected {
        case _ where offset <= 1 && Self.looksLikeUTF16(text):
            "expected UTF-8, found text that looks like UTF-16 or UTF-32"
        case .value: "expected a value, found \(found)"
        case .key: "expected a key in quotes, found \(found)"
        case .keyOrEnd: "expected a key in quotes or '}', found \(found)"
        case .otherKey: "expected every key once, found a key that the object has already"
        case .colon: "expected ':' behind the key, found \(found)"
        case .memberEnd: "expected ',' or '}' behind the member, found \(found)"
        case .elementEnd: "expected ',' or ']' behind the element, found \(found)"
        case .documentEnd: "expected the end of the document, found \(found)"
        case .stringEnd: "expected the string's closing quote, found the end of the text"
        case .noControlCharacter: "expected control characters in strings to be escaped, found \(found)"
        case .utf8: "expected UTF-8, found the byte \(Self.hex(text[offset]))"
        case .escape:
            "expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u, found \(Self.escape(at: offset, in: text))"
        case .hex: "expected four hexadecimal digits behind \\u"
        case .surrogate: "expected surrogates (\\uD800 to \\uDFFF) in pairs, high before low"
        case .digit: "expected a digit, found \(found)"
        case .noLeadingZero: "expected no digit behind a leading 0"
        case .tooDeep: "expected at most \(limits.depth) arrays and objects in each other"
        }
    }

    private static func escape(at offset: Int, in text: UnsafeBufferPointer<UInt8>) -> String {
        "a backslash before " + found(at: offset + 1, in: text)
    }

    private static func found(at offset: Int, in text: UnsafeBufferPointer<UInt8>) -> String {
        guard offset < text.count else { return "the end of the text" }
        let byte = text[offset]
        if byte > 0x20, byte < 0x7F { return "'\(Unicode.Scalar(byte))'" }
        if byte >= 0xC2 {
            let length = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
            let end = min(offset + length, text.count)
            let bytes = UnsafeBufferPointer(rebasing: text[offset..<end])
            if JSONText.firstInvalidUTF8(bytes) == nil { return "'\(String(decoding: bytes, as: UTF8.self))'" }
        }
        return "the byte \(hex(byte))"
    }

    private static func hex(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return "0x" + (digits.count == 1 ? "0" : "") + digits
    }

    private static func looksLikeUTF16(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard text.count >= 4, text.count % 2 == 0 else { return false }
        return text[0] == 0 || text[1] == 0 || text[0] >= 0xFE && text[1] >= 0xFE
    }
}
