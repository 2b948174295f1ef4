internal import AshlarCore

/// A user name and password for the Basic scheme (RFC 7617).
public struct BasicCredentials: Sendable, Hashable, CustomStringConvertible {
    /// The user name, which must not contain a colon.
    public var user: String
    /// The password.
    public var password: String

    /// Creates credentials.
    public init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    /// Parses `user:password` with percent-escapes, as in a URL.
    init(userInfo: String) {
        let parts = userInfo.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        user = PercentCoding.decode(parts[0]) ?? parts[0]
        password = parts.count > 1 ? PercentCoding.decode(parts[1]) ?? parts[1] : ""
    }

    /// The message for a user name that the Basic scheme can't send (RFC 7617, section 2).
    static let colonInUser = "the user name of Basic credentials must not contain a colon"

    /// The value of an `Authorization` field: `Basic` and the Base64 of `user:password`.
    package var field: String { "Basic " + Base64.encode(Array("\(user):\(password)".utf8)) }

    /// The user name with the password hidden.
    public var description: String { "\(user):\(SecretNames.placeholder)" }
}
