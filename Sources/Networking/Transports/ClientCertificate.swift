internal import AshlarCore

/// A certificate with its private key, which identifies the client to a server during the TLS handshake.
///
/// Only the hosts of ``TransportConfiguration/clientCertificates`` receive it. See <doc:Authentication>.
///
/// ```swift
/// var configuration = ClientConfiguration()
/// configuration.transport.clientCertificates = [
///     "api.example.com": .pem("/etc/app/client.pem", key: "/etc/app/client.key", password: "secret")
/// ]
/// let client = NetworkClient(configuration)
/// ```
public struct ClientCertificate: Hashable, Sendable, CustomStringConvertible {
    enum Format: String {
        case pem = "PEM"
        case pkcs12 = "P12"
    }

    let format: Format
    let file: String
    let keyFile: String
    let password: String?

    /// Returns a certificate in PEM files; `CurlTransport` only.
    ///
    /// - Parameters:
    ///   - file: The file with the certificate, followed by those of its issuers.
    ///   - key: The file with the private key, or nil if it is in the same file.
    ///   - password: The password of the key, or nil if it isn't encrypted.
    /// - Returns: The certificate.
    public static func pem(_ file: String, key: String? = nil, password: String? = nil) -> ClientCertificate {
        ClientCertificate(format: .pem, file: file, keyFile: key ?? file, password: password)
    }

    /// Returns a certificate in a PKCS#12 file, which usually has the suffix `p12` or `pfx`.
    ///
    /// - Parameters:
    ///   - file: The file with the certificate, the private key and optionally the issuers.
    ///   - password: The password of the file.
    /// - Returns: The certificate.
    public static func pkcs12(_ file: String, password: String) -> ClientCertificate {
        ClientCertificate(format: .pkcs12, file: file, keyFile: file, password: password)
    }

    /// The files, without the password.
    public var description: String {
        let files = file == keyFile ? file : "\(file), key \(keyFile)"
        return "\(format.rawValue) \(files)\(password == nil ? "" : ", password \(SecretNames.placeholder)")"
    }

    /// Checks the hosts of a configuration, and whether the files are readable.
    ///
    /// - Throws: `.invalidConfiguration`, with the file if it is missing or unreadable.
    static func table(
        _ configured: [String: ClientCertificate]
    ) throws(NetworkError) -> HostSettings<ClientCertificate> {
        for (host, certificate) in configured {
            for file in [certificate.file, certificate.keyFile] {
                do {
                    _ = try WholeFile.read(file, limit: 1 << 20)
                } catch {
                    var failure = HostSettings<ClientCertificate>.invalid(
                        "the file of a client certificate can't be read", host, setting)
                    failure.file = file
                    failure.underlying = error
                    throw failure
                }
            }
        }
        return try HostSettings(configured, setting)
    }

    static let setting = "clientCertificates"
}
