/// Hides secrets inside text whose name isn't a secret's, such as a log message, an error or a setting.
///
/// Hidden are:
///
/// - the user information of URLs, also without a scheme: `postgres://user:pw@db`, `user:pw@db`;
/// - the values of secret names, as ``SecretNames`` defines them: in queries, forms and connection strings (`token=x`),
///   in header fields and lists (`X-Api-Key: x`), in JSON, also inside a JSON string (`"pin":"1"`), in descriptions of
///   Swift values (`password: Optional("x")`), in XML (`<pin>1</pin>`), and after the options of a command
///   (`--password x`);
/// - the credentials of HTTP's schemes: `Bearer x`, `Basic x`;
/// - texts that are secrets by their shape: numbers of payment cards and bank accounts, JSON web tokens and private
///   keys (``SecretShapes``).
///
/// Not hidden are values without a name and a known shape (`the password is x`), those of options whose name isn't a
/// secret's (`-p x`, `-u user:x`), and encoded texts.
/// A name that is also an ordinary word (`session`, `key`) needs a value with a digit after a colon, so that
/// `session: opened` stays readable. Redacted text doesn't change if it is redacted again.
package enum SecretText {
    /// Returns the text with each secret replaced by ``SecretNames/placeholder``.
    ///
    /// - Complexity: O(*n*) in the length of the text.
    package static func redacted(_ text: String, names: SecretNames = .standard) -> String {
        // Most texts contain none of the bytes that every secret has.
        guard text.utf8.contains(where: { isTrigger[Int($0)] }) else { return text }
        var scanner = SecretScanner(bytes: Array(text.utf8), names: names)
        scanner.scan()
        if scanner.hidden.isEmpty { return text }
        var result: [UInt8] = []
        var at = 0
        for range in scanner.hidden {
            result += scanner.bytes[at..<range.lowerBound]
            result += SecretNames.placeholder.utf8
            at = range.upperBound
        }
        return String(decoding: result + scanner.bytes[at...], as: UTF8.self)
    }

    /// The bytes of which every secret has at least one.
    ///
    /// A name stands before `=`, `:` or `>`, user information before `@`, and credentials of a scheme after a space. Options
    /// and keys have `-`, tokens a period, and account numbers digits.
    private static let isTrigger: [Bool] = (0...255).map { byte in
        let byte = UInt8(byte)
        return byte.isDigit || "=:>@-. ".utf8.contains(byte)
    }
}
