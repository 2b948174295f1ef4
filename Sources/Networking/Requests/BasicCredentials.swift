internal import AshlarCore

/// A user name and password for the Basic scheme (RFC 7617).
package struct BasicCredentials: Sendable, Hashable, CustomStringConvertible {
    /// The user name, which must not contain a colon.
    package var user: String
    /// The password.
    package var password: String

    /// Creates credentials.
    package init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    /// Parses `user:password` with percent-escapes, as in a URL.
    init(userInfo: String) {
        let parts = userInfo.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        user = PercentCoding.decode(parts[0]) ?? parts[0]
        password = parts.count > 1 ? PercentCoding.decode(parts[1]) ?? parts[1] : ""
    }

    /// The reason that the credentials can't be sent, or nil (RFC 7617, section 2).
    var flaw: String? {
        // The user name would end at its colon, so that the server would see another one.
        if user.utf8.contains(UInt8(ascii: ":")) { return "the user name must not contain a colon" }
        let hasControls = (user + password).unicodeScalars.contains { $0.properties.generalCategory == .control }
        return hasControls ? "the credentials must not contain control characters" : nil
    }

    /// The value of an `Authorization` field: `Basic` and the Base64 of `user:password`.
    package var field: String { "Basic " + Base64.encode(Array("\(user):\(password)".utf8)) }

    /// The user name with the password hidden.
    package var description: String { "\(user):\(SecretNames.placeholder)" }
}
