internal import AshlarCore

/// Hides credentials inside text whose name isn't a secret's.
package enum SecretText {
    /// Returns the text with the user information of each URL, and each secret value of its query, replaced.
    ///
    /// `postgres://user:hunter2@db/x?sslkey=k` becomes `postgres://<redacted>@db/x?sslkey=k`. A password with an
    /// unescaped `/` or `@` is hidden up to the last `@` of the URL. Text without `://` is returned unchanged.
    ///
    /// - Complexity: O(*n*) in the length of the text.
    package static func redactingCredentials(
        in text: String, names: SecretNames = .standard, placeholder: String = SecretNames.placeholder
    ) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var at = 0
        while let marker = firstMarker(in: bytes, from: at) {
            let end = end(ofURLAt: marker, in: bytes)
            result += bytes[at..<marker]
            result += redact(bytes[marker..<end], names, Array(placeholder.utf8))
            at = end
        }
        if at == 0 { return text }
        return String(decoding: result + bytes[at...], as: UTF8.self)
    }

    /// The offset after the next `://`.
    private static func firstMarker(in bytes: [UInt8], from start: Int) -> Int? {
        var at = start
        while at + 3 <= bytes.count {
            if bytes[at] == UInt8(ascii: ":"), bytes[at + 1] == UInt8(ascii: "/"), bytes[at + 2] == UInt8(ascii: "/") {
                return at + 3
            }
            at += 1
        }
        return nil
    }

    /// The end of the URL whose authority starts at an offset.
    private static func end(ofURLAt start: Int, in bytes: [UInt8]) -> Int {
        let end = bytes[start...].firstIndex(where: endsURL) ?? bytes.count
        guard mayHavePassword(bytes[start..<end]), !bytes[start..<end].contains(UInt8(ascii: "@")) else { return end }
        // A password can contain a quote, which ends other URLs.
        let space = bytes[end...].firstIndex { $0 <= UInt8(ascii: " ") } ?? bytes.count
        guard let at = bytes[end..<space].lastIndex(of: UInt8(ascii: "@")) else { return end }
        return bytes[at...].firstIndex(where: endsURL) ?? bytes.count
    }

    /// Whether the authority of a URL has a colon without a port.
    private static func mayHavePassword(_ url: ArraySlice<UInt8>) -> Bool {
        let authority = url.prefix { !"/?#".utf8.contains($0) }
        // A port consists of digits. Any other text after a colon starts a password, which can contain a slash.
        let afterColon = authority.drop { $0 != UInt8(ascii: ":") }.dropFirst()
        return !afterColon.allSatisfy { $0.isDigit } && authority.first != UInt8(ascii: "[")
    }

    private static func endsURL(_ byte: UInt8) -> Bool { byte <= UInt8(ascii: " ") || "\"'<>`".utf8.contains(byte) }

    /// Redacts a URL without its scheme.
    private static func redact(_ url: ArraySlice<UInt8>, _ names: SecretNames, _ placeholder: [UInt8]) -> [UInt8] {
        let authority = url.prefix { !"/?#".utf8.contains($0) }
        var rest = url
        var result: [UInt8] = []
        let scope = authority.contains(UInt8(ascii: "@")) || mayHavePassword(url) ? url : authority
        if let at = scope.lastIndex(of: UInt8(ascii: "@")) {
            result = placeholder
            rest = url[at...]
        }
        guard let query = rest.firstIndex(where: { "?#".utf8.contains($0) }) else { return result + rest }
        result += rest[..<query]
        var start = query
        // Each parameter starts with its separator: `?`, `&` or `#`.
        while start < rest.endIndex {
            let end = rest[(start + 1)...].firstIndex { "&#".utf8.contains($0) } ?? rest.endIndex
            let parameter = rest[start..<end]
            if let equals = parameter.firstIndex(of: UInt8(ascii: "=")), equals + 1 < end,
                names.matches(PercentCoding.decode(String(decoding: rest[(start + 1)..<equals], as: UTF8.self)) ?? "")
            {
                result += rest[start...equals] + placeholder
            } else {
                result += parameter
            }
            start = end
        }
        return result
    }
}
