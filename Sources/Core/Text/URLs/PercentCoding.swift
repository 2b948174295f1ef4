/// Percent-encoding of UTF-8 (RFC 3986, section 2.1).
package enum PercentCoding {
    /// Whether a byte never needs an escape: a letter, a digit or one of `-._~` (section 2.3).
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: byte.isLetter || byte.isDigit
        }
    }

    /// Whether a byte is allowed in a path segment: unreserved, sub-delimiters, `:` and `@` (section 3.3).
    package static func isSegmentByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&")...UInt8(ascii: ","), UInt8(ascii: ":"),
            UInt8(ascii: ";"), UInt8(ascii: "="), UInt8(ascii: "@"):
            true
        default: isUnreserved(byte)
        }
    }

    /// A part of a URL, which decides the bytes that need no escape.
    package enum Part: Sendable {
        case userInfo
        /// One segment of a path, without `/`.
        case segment
        case path
        /// A name or value of a query, without `&`, `=` and `+`.
        case queryItem
        case query
        case fragment

        /// Whether the part can contain a byte that is no escape.
        package func contains(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "/"): self != .segment && self != .userInfo
            case UInt8(ascii: "?"): self == .queryItem || self == .query || self == .fragment
            case UInt8(ascii: "@"): self != .userInfo
            case UInt8(ascii: "&"), UInt8(ascii: "="), UInt8(ascii: "+"): self != .queryItem
            default: PercentCoding.isSegmentByte(byte)
            }
        }
    }

    /// Returns the normal form of a part of a URL: bytes that it can't contain are encoded, and escapes are preserved.
    ///
    /// - Parameters:
    ///   - text: The part.
    ///   - part: The kind of the part.
    ///   - isReceived: Whether a `%` without two hexadecimal digits becomes `%25`.
    /// - Returns: The normal form, which is ASCII.
    /// - Throws: The fault of such a `%` otherwise.
    package static func normalForm(
        _ text: ArraySlice<UInt8>, as part: Part, isReceived: Bool = false
    ) throws(URLFault) -> String {
        if text.allSatisfy({ part.contains($0) }) { return String(decoding: text, as: UTF8.self) }
        var result: [UInt8] = []
        result.reserveCapacity(text.count + 16)
        var at = text.startIndex
        while at < text.endIndex {
            if text[at] == UInt8(ascii: "%"), !isReceived || (try? byte(at: at, in: text)) != nil {
                _ = try byte(at: at, in: text)
                result += text[at...(at + 2)]
                at += 3
                continue
            }
            if part.contains(text[at]) { result.append(text[at]) } else { append(text[at], to: &result) }
            at += 1
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns the byte of the escape at an offset.
    package static func byte(at offset: Int, in text: ArraySlice<UInt8>) throws(URLFault) -> UInt8 {
        guard offset + 2 < text.endIndex, let high = text[offset + 1].hexValue, let low = text[offset + 2].hexValue
        else { throw URLFault(.escape, offset, "expected two hexadecimal digits after %") }
        return high << 4 | low
    }

    /// Appends a byte as `%XX`.
    package static func append(_ byte: UInt8, to result: inout [UInt8]) {
        result.append(UInt8(ascii: "%"))
        result.append(.hexDigit(byte >> 4))
        result.append(.hexDigit(byte & 15))
    }

    /// Appends bytes; those that aren't allowed are appended as `%XX`.
    package static func append(_ bytes: some Sequence<UInt8>, to result: inout [UInt8], allowed: (UInt8) -> Bool) {
        for byte in bytes {
            if allowed(byte) { result.append(byte) } else { append(byte, to: &result) }
        }
    }

    /// Returns the text with every byte that isn't allowed replaced by `%XX`.
    package static func encode(_ text: some StringProtocol, allowed: (UInt8) -> Bool = isUnreserved) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        append(text.utf8, to: &bytes, allowed: allowed)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the decoded text, or nil if an escape is malformed or the result is ill-formed UTF-8.
    package static func decode(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String? {
        try? decode(Array(text.utf8)[...], plusIsSpace: plusIsSpace)
    }

    /// Returns the decoded text; see ``decode(_:plusIsSpace:into:)``.
    package static func decode(_ bytes: ArraySlice<UInt8>, plusIsSpace: Bool = false) throws(URLFault) -> String {
        var result: [UInt8] = []
        try decode(bytes, plusIsSpace: plusIsSpace, into: &result)
        return String(decoding: result, as: UTF8.self)
    }

    /// Decodes every escape once and appends the result, which is well-formed UTF-8.
    ///
    /// - Parameters:
    ///   - bytes: The encoded text, which is itself well-formed.
    ///   - plusIsSpace: Whether `+` decodes to a space, as in forms.
    ///   - result: The array to append to.
    /// - Throws: The first fault with its index; the bytes appended to `result` are then undefined.
    package static func decode(
        _ bytes: ArraySlice<UInt8>, plusIsSpace: Bool = false, into result: inout [UInt8]
    ) throws(URLFault) {
        let start = result.count
        var at = bytes.startIndex
        var hasEscapes = false
        while at < bytes.endIndex {
            if bytes[at] == UInt8(ascii: "%") {
                result.append(try byte(at: at, in: bytes))
                at += 3
                hasEscapes = true
            } else {
                result.append(plusIsSpace && bytes[at] == UInt8(ascii: "+") ? UInt8(ascii: " ") : bytes[at])
                at += 1
            }
        }
        // Only escapes can make the result ill-formed.
        guard hasEscapes, let bad = UTF8Validation.firstInvalid(in: result, from: start) else { return }
        at = bytes.startIndex
        for _ in start..<bad { at += bytes[at] == UInt8(ascii: "%") ? 3 : 1 }
        throw URLFault(.utf8, at, "expected escapes that spell UTF-8")
    }
}
