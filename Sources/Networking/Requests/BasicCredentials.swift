/// A user name and a password as the Basic scheme sends them (RFC 7617).
public struct BasicCredentials: Sendable, Hashable, CustomStringConvertible {
    /// The user's name; must not contain a colon.
    public var user: String
    /// The password.
    public var password: String

    /// Creates credentials.
    public init(user: String, password: String) { (self.user, self.password) = (user, password) }

    /// Reads `user:password` with percent-escapes, as it stands in a URL.
    init(userInfo: String) {
        let parts = userInfo.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        user = PercentEncoding.decode(parts[0]) ?? parts[0]
        password = parts.count > 1 ? PercentEncoding.decode(parts[1]) ?? parts[1] : ""
    }

    /// The value for an `Authorization` field: `Basic` and the base64 of both in UTF-8.
    public var field: String { "Basic " + Base64.encode(Array("\(user):\(password)".utf8)) }

    /// The user's name; the password is hidden.
    public var description: String { "\(user):<hidden>" }
}

/// Base64 with padding (RFC 4648, 4), without Foundation.
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func encode(_ bytes: [UInt8]) -> String {
        var output: [UInt8] = []
        output.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - group.count))
            for place in 0..<4 {
                let isPadding = place > group.count
                output.append(isPadding ? UInt8(ascii: "=") : alphabet[Int(bits >> (18 - 6 * UInt32(place)) & 63)])
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}
