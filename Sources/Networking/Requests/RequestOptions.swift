/// How a request is carried out: timeouts, limits, redirects, accepted statuses and progress.
///
/// A client holds the defaults; an endpoint changes them in `Endpoint.configure(_:)`.
public struct RequestOptions: Sendable {
    /// How long opening a connection may take, name look-up and TLS included; 10 s unless set, nil is no limit.
    public var connectTimeout: Duration? = .seconds(10)
    /// How long nothing may be sent or received; 24 s unless set, nil is no limit.
    public var idleTimeout: Duration? = .seconds(24)
    /// How long everything may take together, redirects and the body included; 300 s unless set, nil is no limit.
    public var totalTimeout: Duration? = .seconds(300)
    /// Which redirects are followed.
    public var redirects: RedirectPolicy = .init()
    /// Limits on what is received.
    public var limits: ResponseLimits = .init()
    /// The statuses that count as success, 200–299 unless set; others throw `.unacceptableStatus`.
    public var acceptableStatuses: Set<Int>? = nil
    /// Whether every status counts as success.
    public var acceptsEveryStatus: Bool = false
    /// Whether user name and password in a URL are sent as Basic credentials; otherwise such a URL is refused.
    public var allowsUserInfo: Bool = false
    /// Whether the client's cookie jar, if it has one, is used.
    public var usesCookies: Bool = true
    /// Whether compressed answers are asked for and inflated.
    public var decompresses: Bool = true
    /// Called now and then with the body bytes sent and received so far, from any thread, never concurrently.
    public var progress: (@Sendable (TransferProgress) -> Void)?

    /// Creates the default options.
    public init() {}

    /// Whether a status counts as success.
    public func accepts(_ status: Int) -> Bool {
        acceptsEveryStatus || (acceptableStatuses?.contains(status) ?? (200...299).contains(status))
    }
}

/// Limits on what a response may bring.
public struct ResponseLimits: Hashable, Sendable {
    /// The longest body that is collected, in bytes after inflating; 16 MiB unless set, nil is no limit.
    ///
    /// Streams and downloads are not limited by it.
    public var collectedBytes: Int? = 16 << 20
    /// The longest body at all, streamed ones included, in bytes after inflating; nil (unless set) is no limit.
    public var bodyBytes: Int? = nil
    /// The longest head, in bytes, interim heads not counted; 64 KiB unless set.
    public var headBytes: Int = 64 << 10
    /// The most fields in a head; 200 unless set.
    public var headerFields: Int = 200
    /// The highest ratio of inflated to received bytes once 1 MiB was inflated; 100 unless set, nil is no limit.
    public var inflationRatio: Int? = 100

    /// Creates the default limits.
    public init() {}
}

/// Which redirects are followed, and how far.
public struct RedirectPolicy: Hashable, Sendable {
    /// The most redirects followed, 10 unless set; with 0 a 3xx answer is returned as it is.
    public var maximum: Int = 10
    /// Whether a redirect from https to http is followed.
    public var allowsInsecure: Bool = false
    /// Whether a redirect to a private address is refused: this machine, its own networks, and what they alone know.
    ///
    /// For programs that request URLs which others give them: a public server could lead them to one behind the firewall.
    /// The first request goes wherever it is sent. Names are judged by what they resolve to on `CurlTransport`; on
    /// `URLSessionTransport` only addresses and `localhost` are known to be private.
    public var refusesPrivateAddresses: Bool = false

    /// Creates the default policy.
    public init() {}

    /// Follows nothing: a 3xx answer is returned as it is.
    public static var none: RedirectPolicy {
        var policy = RedirectPolicy()
        policy.maximum = 0
        return policy
    }
}

/// How much of a request's and an answer's body has been transferred.
public struct TransferProgress: Hashable, Sendable {
    /// Body bytes handed to the connection.
    public var sent: Int = 0
    /// The body's length, or nil if it is not known.
    public var toSend: Int?
    /// Body bytes received and inflated.
    public var received: Int = 0
    /// The answer's announced length, or nil if it is not known or compressed.
    public var toReceive: Int?

    /// Creates a progress value.
    public init(sent: Int = 0, toSend: Int? = nil, received: Int = 0, toReceive: Int? = nil) {
        (self.sent, self.toSend, self.received, self.toReceive) = (sent, toSend, received, toReceive)
    }
}
