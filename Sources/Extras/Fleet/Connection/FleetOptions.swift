internal import AshlarCore
internal import Foundation

/// The settings of a connection to NATS.
///
/// ```swift
/// var options = FleetOptions()
/// options.credentials = .file("/etc/acme/kiosk.creds")
/// options.tls = FleetTLS(trustRoots: "/etc/acme/ca.pem")
/// ```
public struct FleetOptions: Sendable {
    /// The role of the process, from ``Fleet/connect(_:to:role:options:topics:)-(AshlarApp,_,_,_,_)``.
    var role: String?
    /// The first token of all subjects, and the prefix of streams and buckets, so that several products can share a server.
    ///
    /// Letters, digits, `-` and `_`.
    public var prefix: String = "app"
    /// The proof of identity; nil for none, or that in the URL.
    public var credentials: FleetCredentials?
    /// The settings of TLS; nil for a connection without TLS, unless the URL begins with `tls:`.
    public var tls: FleetTLS?
    /// Whether a password or a token may be sent without TLS to another machine.
    public var allowsPlainCredentials: Bool = false
    /// The time between two pings; two pings without a response end the connection.
    public var pingInterval: Duration = .seconds(20)
    /// The bound of the random pause before an attempt to reconnect.
    public var reconnectPause: Duration = .seconds(1)
    /// The time to wait for a connection and for a response of the server.
    public var timeout: Duration = .seconds(5)
    /// The maximum size of a payload in bytes, in both directions; the server's own limit also applies.
    public var maximumPayload: Int = 1 << 20
    /// The number of messages that can wait: events or requests of one subscription for their handlers, and all
    /// at-least-once events for the server.
    ///
    /// More events are dropped, and requests refused, and counted; a `send` of an at-least-once event waits for room.
    public var maximumWaiting: Int = 65_536
    /// The size in bytes of the payloads that can wait, as for ``maximumWaiting``.
    public var maximumWaitingBytes: Int = 64 << 20

    /// Creates settings with the defaults.
    public init() {}
}

/// A proof of identity for a server.
public enum FleetCredentials: Sendable {
    /// The path of a credentials file, which contains a JWT and an NKey seed.
    case file(String)
    /// A token.
    case token(String)
    /// A user and a password.
    case user(String, password: String)
}

extension FleetCredentials: CustomStringConvertible, CustomReflectable {
    /// The kind, without secrets.
    public var description: String {
        switch self {
        case .file(let path): "file \(path)"
        case .token: "token"
        case .user(let name, _): "user \(name)"
        }
    }

    /// A mirror without secrets.
    public var customMirror: Mirror { Mirror(self, children: ["kind": description], displayStyle: .enum) }
}

/// The settings of TLS.
///
/// The certificate of the server is always verified: its root, its host and its dates.
public struct FleetTLS: Sendable {
    /// The path of a PEM file with the trusted roots; nil for those of the system.
    public var trustRoots: String?
    /// The path of a PEM file with the certificate chain of this process; nil for none.
    public var certificate: String?
    /// The path of a PEM file with the private key of `certificate`.
    public var privateKey: String?
    /// The name in the server's certificate; nil for the host of the URL.
    public var hostName: String?

    /// Creates settings.
    public init(
        trustRoots: String? = nil, certificate: String? = nil, privateKey: String? = nil, hostName: String? = nil
    ) {
        self.trustRoots = trustRoots
        self.certificate = certificate
        self.privateKey = privateKey
        self.hostName = hostName
    }
}

/// The addresses of servers, checked.
struct FleetAddresses: Sendable {
    let urls: [String]
    let usesTLS: Bool
    /// The host of the first URL, which is verified against its certificate.
    let host: String
    let ports: Set<UInt16>

    /// Checks the URLs of servers, separated by commas, and that no secret is sent in clear text.
    init(_ text: String, _ options: FleetOptions) throws(FleetError) {
        let urls = text.split(separator: ",").map { String($0.drop { $0 == " " }) }
        guard !urls.isEmpty else { throw FleetError(.invalidOptions, "expected the URL of a server, found none") }
        var usesTLS = options.tls != nil
        var hosts: [String] = []
        var ports: Set<UInt16> = []
        for url in urls {
            guard let parts = URLComponents(string: url), let scheme = parts.scheme, ["nats", "tls"].contains(scheme),
                let host = parts.host.map({ String($0.drop { $0 == "[" }.prefix { $0 != "]" }) }),
                !host.isEmpty, host.allSatisfy({ $0.isLetter || $0.isNumber || "-.:_".contains($0) })
            else {
                let shown = SecretText.redacted(url)
                throw FleetError(.invalidOptions, "expected a URL such as nats://127.0.0.1:4222, found '\(shown)'")
            }
            usesTLS = usesTLS || scheme == "tls"
            hosts.append(host)
            ports.insert(UInt16(clamping: parts.port ?? 4222))
            let isSecret: Bool
            switch options.credentials {
            case .token, .user: isSecret = true
            // The library also sends the user of one URL to servers whose URL has none.
            case .file, nil: isSecret = urls.contains { URLComponents(string: $0)?.user != nil }
            }
            let isLoopback = host == "localhost" || host == "::1" || Self.isLoopbackAddress(host)
            // With one URL of TLS, the library uses it for all.
            let hasTLS = options.tls != nil || urls.contains { $0.hasPrefix("tls:") }
            if isSecret, !isLoopback, !hasTLS, !options.allowsPlainCredentials {
                throw FleetError(
                    .invalidOptions,
                    "the credentials would be sent without TLS to '\(host)'; set 'tls', or "
                        + "'allowsPlainCredentials' for a network that you trust")
            }
        }
        for (value, what) in [(options.role ?? "-", "role"), (options.prefix, "prefix")] where !Self.isToken(value) {
            throw FleetError(.invalidOptions, "expected letters, digits, '-' and '_' as \(what), found '\(value)'")
        }
        // The C client reads the scheme "nats" only; TLS is an option of the connection.
        self.urls = urls.map { $0.hasPrefix("tls:") ? "nats" + $0.dropFirst(3) : $0 }
        self.usesTLS = usesTLS
        host = hosts[0]
        self.ports = ports
    }

    private static func isLoopbackAddress(_ host: String) -> Bool {
        var address = in_addr()
        return host.hasPrefix("127.") && inet_pton(AF_INET, host, &address) == 1
    }

    static func isToken(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isLetter || $0.isDigit || "-_".utf8.contains($0) }
    }
}
