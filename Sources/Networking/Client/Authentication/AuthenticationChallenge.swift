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
        headers.values(for: name).flatMap { read($0, into: []) }
    }

    /// Reads a list of parameters without a scheme, as in `Authentication-Info`.
    static func parameters(_ text: String) -> AuthenticationChallenge {
        read(text, into: [AuthenticationChallenge(scheme: "")])[0]
    }

    private static func read(_ value: String, into first: [AuthenticationChallenge]) -> [AuthenticationChallenge] {
        var challenges = first
        var reader = FieldReader(HTTPField("", value).valueBytes)
        while reader.skipToElement() {
            let word = reader.token()
            guard !word.isEmpty else {
                reader.skipElement()
                continue
            }
            let name = HTTPField.value(word).lowercased()
            let hasSpace = reader.current.map(\.isHTTPSpace) ?? false
            reader.skip(while: \.isHTTPSpace)
            guard reader.skip("=") else {
                challenges.append(AuthenticationChallenge(scheme: name))
                // A scheme's name is followed by a space, a comma or the end.
                if !hasSpace { reader.skipElement() }
                continue
            }
            reader.skip(while: \.isHTTPSpace)
            let value = reader.value()
            reader.skip(while: \.isHTTPSpace)
            if let value, !challenges.isEmpty, reader.current == nil || reader.current == UInt8(ascii: ",") {
                challenges[challenges.count - 1].parameters.append(.init(name: name, value: HTTPField.value(value)))
            }
            reader.skipElement()
        }
        return challenges
    }
}
