/// A challenge of `WWW-Authenticate`: a scheme and its parameters (RFC 9110, section 11.6.1).
struct AuthenticationChallenge: Hashable {
    /// The scheme in lowercase.
    var scheme: String
    /// The parameters in order, with names in lowercase and values without quotes.
    var parameters: [Parameter] = []

    struct Parameter: Hashable {
        var name: String
        var value: String
    }

    /// Returns the value of a parameter, or nil if it is missing or ambiguous.
    subscript(name: String) -> String? {
        let values = parameters.filter { $0.name == name }
        return values.count == 1 ? values[0].value : nil
    }

    /// Reads the challenges of all fields of a name; malformed parts are skipped.
    ///
    /// A comma separates challenges as well as parameters, so a word without `=` starts a challenge.
    ///
    /// - Complexity: O(*n*) in the length of the fields.
    static func parse(_ headers: HTTPHeaders, _ name: String = "WWW-Authenticate") -> [AuthenticationChallenge] {
        headers.values(for: name).flatMap { value in
            var reader = ChallengeReader(value)
            return reader.read()
        }
    }

    /// Reads a list of parameters without a scheme, as in `Authentication-Info`.
    static func parameters(_ text: String) -> AuthenticationChallenge {
        var reader = ChallengeReader(text)
        return reader.read(into: AuthenticationChallenge(scheme: "")).first ?? AuthenticationChallenge(scheme: "")
    }
}

private struct ChallengeReader {
    private let bytes: [UInt8]
    private var at = 0

    init(_ value: String) { bytes = HTTPField("", value).valueBytes }

    private var current: UInt8? { at < bytes.count ? bytes[at] : nil }

    mutating func read(into first: AuthenticationChallenge? = nil) -> [AuthenticationChallenge] {
        var challenges = first.map { [$0] } ?? []
        while true {
            skip { $0.isHTTPSpace || $0 == UInt8(ascii: ",") }
            guard current != nil else { return challenges }
            let word = token()
            guard !word.isEmpty else {
                skipElement()
                continue
            }
            let hasSpace = current.map(\.isHTTPSpace) ?? false
            skip(\.isHTTPSpace)
            guard current == UInt8(ascii: "=") else {
                challenges.append(AuthenticationChallenge(scheme: word.lowercased()))
                // A scheme's name is followed by a space, a comma or the end.
                if !hasSpace, current != UInt8(ascii: ","), current != nil { skipElement() }
                continue
            }
            at += 1
            skip(\.isHTTPSpace)
            guard let value = value() else {
                skipElement()
                continue
            }
            skip(\.isHTTPSpace)
            guard current == nil || current == UInt8(ascii: ",") else {
                skipElement()
                continue
            }
            if !challenges.isEmpty {
                challenges[challenges.count - 1].parameters.append(.init(name: word.lowercased(), value: value))
            }
        }
    }

    private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
        while let byte = current, isSkipped(byte) { at += 1 }
    }

    /// Skips to the next comma outside quotes.
    private mutating func skipElement() {
        while let byte = current, byte != UInt8(ascii: ",") {
            if byte == UInt8(ascii: "\"") { _ = value() } else { at += 1 }
        }
    }

    private mutating func token() -> String {
        let start = at
        skip(HTTPSyntax.isTokenByte)
        return text(bytes[start..<at])
    }

    /// Reads a token or a quoted string; returns nil for other text and for an unterminated string.
    private mutating func value() -> String? {
        guard current == UInt8(ascii: "\"") else {
            let word = token()
            return word.isEmpty ? nil : word
        }
        at += 1
        var content: [UInt8] = []
        while let byte = current {
            at += 1
            if byte == UInt8(ascii: "\"") { return text(content[...]) }
            if byte == UInt8(ascii: "\\"), let escaped = current {
                content.append(escaped)
                at += 1
            } else {
                content.append(byte)
            }
        }
        return nil
    }

    /// Returns text in which each character represents one byte, as in header fields.
    private func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}
