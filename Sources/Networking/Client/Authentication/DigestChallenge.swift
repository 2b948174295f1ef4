internal import AshlarCore

/// A challenge of the Digest scheme that can be answered (RFC 7616).
struct DigestChallenge: Hashable {
    enum Hash: String {
        case md5 = "md5"
        case sha256 = "sha-256"
        case sha512 = "sha-512-256"

        /// The hash as lowercase hexadecimal digits.
        func hexadecimal(_ bytes: [UInt8]) -> String {
            switch self {
            case .md5: MD5.hash(bytes).hexadecimal
            case .sha256: SHA256.hash(bytes).hexadecimal
            case .sha512: SHA512_256.hash(bytes).hexadecimal
            }
        }
    }

    enum Quality: String {
        /// The response protects the method and the target.
        case authentication = "auth"
        /// The response also protects the body.
        case integrity = "auth-int"
    }

    let realm: String
    var nonce: String
    let opaque: String?
    /// The algorithm as sent by the server, or nil.
    let algorithm: String?
    let hash: Hash
    /// Whether the algorithm's name ends with `-sess`.
    let isSession: Bool
    /// The quality of protection, or nil for the older form without it.
    let quality: Quality?
    let isStale: Bool
    let hashesUserName: Bool
    let isUTF8: Bool

    /// Returns nil for another scheme, an unknown algorithm, or a challenge with a missing parameter.
    init?(_ challenge: AuthenticationChallenge) {
        guard challenge.scheme == "digest", let realm = challenge["realm"], let nonce = challenge["nonce"] else {
            return nil
        }
        self.realm = realm
        self.nonce = nonce
        opaque = challenge["opaque"]
        algorithm = challenge["algorithm"]
        var name = (algorithm ?? "MD5").lowercased()
        isSession = name.hasSuffix("-sess")
        if isSession { name.removeLast(5) }
        guard let hash = Hash(rawValue: name) else { return nil }
        self.hash = hash
        if let list = challenge["qop"] {
            let names = list.split(separator: ",").map { $0.trimmingHTTPSpace().lowercased() }
            let offered = [Quality.authentication, .integrity].filter { names.contains($0.rawValue) }
            guard let quality = offered.first else { return nil }
            self.quality = quality
        } else {
            quality = nil
        }
        isStale = challenge["stale"]?.lowercased() == "true"
        hashesUserName = challenge["userhash"]?.lowercased() == "true"
        isUTF8 = challenge["charset"]?.lowercased() == "utf-8"
    }

    /// Returns the value of the `Authorization` field for a request.
    ///
    /// - Parameters:
    ///   - credentials: The user name and password.
    ///   - method: The method.
    ///   - target: The path and query of the request line.
    ///   - body: The body, which only `qop=auth-int` protects.
    ///   - count: The number of requests with this nonce, from 1.
    ///   - clientNonce: The client's random string, the same for all requests with this nonce.
    /// - Returns: The field's value.
    func answer(
        _ credentials: BasicCredentials, method: String, target: String, body: [UInt8] = [], count: UInt32,
        clientNonce: String
    ) -> String {
        let realm = HTTPField("", realm).valueBytes
        let user = Array(credentials.user.utf8)
        let colon = [UInt8(ascii: ":")]
        var secret = hash.hexadecimal(user + colon + realm + colon + Array(credentials.password.utf8))
        if isSession { secret = hashed("\(secret):\(nonce):\(clientNonce)") }
        let number = count.digits(8, radix: 16)
        let middle = quality.map { "\(nonce):\(number):\(clientNonce):\($0.rawValue)" } ?? nonce
        var content = "\(method):\(target)"
        if quality == .integrity { content += ":" + hash.hexadecimal(body) }
        let response = hashed("\(secret):\(middle):\(hashed(content))")

        var parts = [hashesUserName ? "username=\"\(hash.hexadecimal(user + colon + realm))\"" : userName(credentials)]
        parts += ["realm=\(Self.quoted(self.realm))", "nonce=\(Self.quoted(nonce))", "uri=\(Self.quoted(target))"]
        if let algorithm { parts.append("algorithm=\(algorithm)") }
        parts.append("response=\"\(response)\"")
        if let opaque { parts.append("opaque=\(Self.quoted(opaque))") }
        if let quality { parts += ["qop=\(quality.rawValue)", "nc=\(number)"] }
        if quality != nil || isSession { parts.append("cnonce=\"\(clientNonce)\"") }
        if hashesUserName { parts.append("userhash=true") }
        return "Digest " + parts.joined(separator: ", ")
    }

    /// Returns the hash of a string in which each character represents one byte.
    private func hashed(_ text: String) -> String { hash.hexadecimal(HTTPField("", text).valueBytes) }

    private func userName(_ credentials: BasicCredentials) -> String {
        let user = credentials.user
        if isUTF8, !user.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) {
            return "username*=UTF-8''" + PercentCoding.encode(user)
        }
        // In a header field, each character represents one byte.
        return "username=" + Self.quoted(HTTPField.value(user.utf8))
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for character in text {
            if character == "\"" || character == "\\" { result += "\\" }
            result.append(character)
        }
        return result + "\""
    }
}
