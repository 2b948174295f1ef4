/// Timeouts, limits, redirects, accepted statuses and progress of a request.
///
/// An option that a request doesn't set is that of ``ClientConfiguration/options`` when the request is sent; before, it reads as
/// the default. An option that is set to its default is set, too. An endpoint changes the client's options in
/// `Endpoint.configure(_:)`.
public struct RequestOptions: Sendable {
    /// The options that were set; nil means that of the client.
    private struct Own {
        var connectTimeout: Duration??
        var idleTimeout: Duration??
        var totalTimeout: Duration??
        var attempts: Int??
        var redirects: Int?
        var maximumCollectedBytes: Int??
        var maximumBodyBytes: Int??
        var maximumDecompressionRatio: Int??
        var acceptedStatuses: Set<Int>??
        var decompresses: Bool?
        var progress: (@Sendable (TransferProgress) -> Void)??
        var measures: Bool?
    }

    private var own = Own()

    /// Creates the default options.
    public init() {}

    /// The timeout for opening a connection, including name resolution and TLS; nil, the default, for the transport's own.
    ///
    /// That of `CurlTransport` is 10 s. `URLSessionTransport` has none, because a session doesn't report when it has
    /// connected: the idle timeout includes the time, and a shorter value throws `.invalidConfiguration`.
    public var connectTimeout: Duration? {
        get { own.connectTimeout ?? nil }
        set { own.connectTimeout = .some(newValue) }
    }
    /// The timeout of transports that can limit the time.
    var connectLimit: Duration { connectTimeout ?? .seconds(10) }
    /// The timeout during which nothing is sent or received; 24 s by default, nil for none.
    public var idleTimeout: Duration? {
        get { own.idleTimeout ?? .seconds(24) }
        set { own.idleTimeout = .some(newValue) }
    }
    /// The timeout for the whole request, including redirects and the body; 300 s by default, nil for none.
    public var totalTimeout: Duration? {
        get { own.totalTimeout ?? .seconds(300) }
        set { own.totalTimeout = .some(newValue) }
    }
    /// The maximum number of times that the request is sent; nil for the number of the client's ``RetryPolicy``.
    ///
    /// Without a policy, a request is sent once.
    public var attempts: Int? {
        get { own.attempts ?? nil }
        set { own.attempts = .some(newValue) }
    }
    /// The maximum number of redirects; 10 by default, and 0 returns a 3xx response even if its status isn't accepted.
    ///
    /// A redirect from https to http is never followed.
    public var redirects: Int {
        get { own.redirects ?? 10 }
        set { own.redirects = newValue }
    }
    /// The maximum length of a collected body in bytes after decompression; 16 MiB by default, nil for none.
    ///
    /// It doesn't apply to streams and downloads.
    public var maximumCollectedBytes: Int? {
        get { own.maximumCollectedBytes ?? (16 << 20) }
        set { own.maximumCollectedBytes = .some(newValue) }
    }
    /// The maximum length of any body in bytes after decompression, including streams; nil, the default, for none.
    public var maximumBodyBytes: Int? {
        get { own.maximumBodyBytes ?? nil }
        set { own.maximumBodyBytes = .some(newValue) }
    }
    /// The maximum ratio of decompressed to received bytes of a body over 64 MiB; 100 by default, nil for none.
    ///
    /// A response beyond it throws `.decompressionLimit`. `URLSession` doesn't report the ratio, so its transport ignores it.
    public var maximumDecompressionRatio: Int? {
        get { own.maximumDecompressionRatio ?? 100 }
        set { own.maximumDecompressionRatio = .some(newValue) }
    }
    /// The statuses that mean success, 200–299 by default, or nil for every status; others throw `.unacceptableStatus`.
    ///
    /// `acceptedStatuses?.insert(404)` accepts 404 too.
    public var acceptedStatuses: Set<Int>? {
        get { own.acceptedStatuses ?? Self.successful }
        set { own.acceptedStatuses = .some(newValue) }
    }

    private static let successful = Set(200...299)

    /// Whether a status means success.
    func accepts(_ status: Int) -> Bool { acceptedStatuses?.contains(status) ?? true }
    /// Whether compressed responses are requested and decompressed.
    package var decompresses: Bool {
        get { own.decompresses ?? true }
        set { own.decompresses = newValue }
    }
    /// Called with the number of body bytes sent and received so far, from any thread, never concurrently.
    public var progress: (@Sendable (TransferProgress) -> Void)? {
        get { own.progress ?? nil }
        set { own.progress = .some(newValue) }
    }
    /// Whether addresses, TLS version, bytes and times are measured for the response's ``NetworkResponse/metrics``.
    public var measures: Bool {
        get { own.measures ?? false }
        set { own.measures = newValue }
    }

    /// Returns these options, and those of a client where they aren't set.
    func completed(by client: RequestOptions) -> RequestOptions {
        var options = self
        let client = client.own
        options.own.connectTimeout = own.connectTimeout ?? client.connectTimeout
        options.own.idleTimeout = own.idleTimeout ?? client.idleTimeout
        options.own.totalTimeout = own.totalTimeout ?? client.totalTimeout
        options.own.attempts = own.attempts ?? client.attempts
        options.own.redirects = own.redirects ?? client.redirects
        options.own.maximumCollectedBytes = own.maximumCollectedBytes ?? client.maximumCollectedBytes
        options.own.maximumBodyBytes = own.maximumBodyBytes ?? client.maximumBodyBytes
        options.own.maximumDecompressionRatio = own.maximumDecompressionRatio ?? client.maximumDecompressionRatio
        options.own.acceptedStatuses = own.acceptedStatuses ?? client.acceptedStatuses
        options.own.decompresses = own.decompresses ?? client.decompresses
        options.own.progress = own.progress ?? client.progress
        options.own.measures = own.measures ?? client.measures
        return options
    }
}
