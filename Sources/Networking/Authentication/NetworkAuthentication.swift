/// The credentials for a client's requests.
///
/// ```swift
/// var configuration = ClientConfiguration()
/// configuration.base = "https://api.example.com"
/// configuration.authentication = .bearer("token")
/// ```
///
/// Credentials are sent only to ``hosts``. A request with its own `Authorization` field, or with user information that
/// its options allow, is sent unchanged. A redirect to another origin removes the credentials.
public struct NetworkAuthentication: Sendable {
    enum Scheme {
        case field(CredentialsField)
        case bearer(BearerToken)
        case digest(DigestCredentials)
    }

    let scheme: Scheme
    /// The hosts that receive the credentials, as names or addresses without a port; canonical hosts by their canonical name.
    ///
    /// Nil, the default, means the host of ``ClientConfiguration/base``, or every host if there is no base.
    public var hosts: Set<String>?

    private init(_ scheme: Scheme) { self.scheme = scheme }

    /// Sends a user name and a password with every request (RFC 7617).
    public static func basic(user: String, password: String) -> NetworkAuthentication {
        let credentials = BasicCredentials(user: user, password: password)
        return NetworkAuthentication(.field(CredentialsField(credentials.field)))
    }

    /// Sends a token with every request (RFC 6750).
    public static func bearer(_ token: String) -> NetworkAuthentication {
        NetworkAuthentication(.field(CredentialsField(bearer: token)))
    }

    /// Sends a token that can be refreshed with every request.
    public static func bearer(_ token: BearerToken) -> NetworkAuthentication {
        NetworkAuthentication(.bearer(token))
    }

    /// Answers the server's challenges with hashes of a user name and a password (RFC 7616).
    ///
    /// The algorithms are SHA-512-256, SHA-256 and MD5, with or without `-sess`, for `qop=auth`, `auth-int` or none. The
    /// server's first challenge with one of these is answered. Later requests to the same origin answer it in advance.
    public static func digest(user: String, password: String) -> NetworkAuthentication {
        NetworkAuthentication(.digest(DigestCredentials(BasicCredentials(user: user, password: password))))
    }
}
