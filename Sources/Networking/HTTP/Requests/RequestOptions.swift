/// Timeouts, limits, redirects, accepted statuses and progress of a request.
///
/// An option that a request doesn't set is that of ``ClientConfiguration/options`` when the request is sent; before, it reads as
/// the default. An option that is set to its default is set, too. An endpoint changes the client's options in
/// `Endpoint.configure(_:)`.
public struct RequestOptions: Sendable {
    /// The timeout for opening a connection, including name resolution and TLS; nil, the default, for the transport's own.
    ///
    /// That of `CurlTransport` is 10 s. `URLSessionTransport` has none, because a session doesn't report when it has
    /// connected: the idle timeout includes the time, and a shorter value throws `.invalidConfiguration`.
    public var connectTimeout: Duration? {
        didSet { own.insert(.connectTimeout) }
    }
    /// The timeout of transports that can limit the time.
    var connectLimit: Duration { connectTimeout ?? .seconds(10) }
    /// The timeout during which nothing is sent or received; 24 s by default, nil for none.
    public var idleTimeout: Duration? = .seconds(24) {
        didSet { own.insert(.idleTimeout) }
    }
    /// The timeout for the whole request, including redirects and the body; 300 s by default, nil for none.
    public var totalTimeout: Duration? = .seconds(300) {
        didSet { own.insert(.totalTimeout) }
    }
    /// The maximum number of times that the request is sent; nil for the number of the client's ``RetryPolicy``.
    ///
    /// Without a policy, a request is sent once.
    public var attempts: Int? {
        didSet { own.insert(.attempts) }
    }
    /// The maximum number of redirects; 10 by default, and 0 returns a 3xx response even if its status isn't accepted.
    ///
    /// A redirect from https to http is never followed.
    public var redirects: Int = 10 {
        didSet { own.insert(.redirects) }
    }
    /// The limits of the response.
    package private(set) var limits: ResponseLimits = .init()
    /// The maximum length of a collected body in bytes after decompression; 16 MiB by default, nil for none.
    ///
    /// It doesn't apply to streams and downloads.
    public var maximumCollectedBytes: Int? {
        get { limits.collectedBytes }
        set {
            limits.collectedBytes = newValue
            own.insert(.maximumCollectedBytes)
        }
    }
    /// The maximum length of any body in bytes after decompression, including streams; nil, the default, for none.
    public var maximumBodyBytes: Int? {
        get { limits.bodyBytes }
        set {
            limits.bodyBytes = newValue
            own.insert(.maximumBodyBytes)
        }
    }
    /// The maximum ratio of decompressed to received bytes of a body over 64 MiB; 100 by default, nil for none.
    ///
    /// A response beyond it throws `.decompressionLimit`. `URLSession` doesn't report the ratio, so its transport ignores it.
    public var maximumDecompressionRatio: Int? {
        get { limits.inflationRatio }
        set {
            limits.inflationRatio = newValue
            own.insert(.maximumDecompressionRatio)
        }
    }
    /// The statuses that mean success, 200–299 by default, or nil for every status; others throw `.unacceptableStatus`.
    ///
    /// `acceptedStatuses?.insert(404)` accepts 404 too.
    public var acceptedStatuses: Set<Int>? = successful {
        didSet { own.insert(.acceptedStatuses) }
    }

    private static let successful = Set(200...299)

    /// Whether a status means success.
    func accepts(_ status: Int) -> Bool { acceptedStatuses?.contains(status) ?? true }
    /// Whether compressed responses are requested and decompressed.
    package var decompresses: Bool = true {
        didSet { own.insert(.decompresses) }
    }
    /// Called with the number of body bytes sent and received so far, from any thread, never concurrently.
    public var progress: (@Sendable (TransferProgress) -> Void)? {
        didSet { own.insert(.progress) }
    }
    /// Whether addresses, TLS version, bytes and times are measured for the response's ``NetworkResponse/metrics``.
    public var measures: Bool = false {
        didSet { own.insert(.measures) }
    }

    /// The options that were set, which those of the client don't replace.
    private var own: Own = []

    private struct Own: OptionSet {
        var rawValue: UInt16

        static let connectTimeout = Own(rawValue: 1 << 0)
        static let idleTimeout = Own(rawValue: 1 << 1)
        static let totalTimeout = Own(rawValue: 1 << 2)
        static let attempts = Own(rawValue: 1 << 3)
        static let redirects = Own(rawValue: 1 << 4)
        static let maximumCollectedBytes = Own(rawValue: 1 << 5)
        static let maximumBodyBytes = Own(rawValue: 1 << 6)
        static let maximumDecompressionRatio = Own(rawValue: 1 << 7)
        static let acceptedStatuses = Own(rawValue: 1 << 8)
        static let decompresses = Own(rawValue: 1 << 9)
        static let progress = Own(rawValue: 1 << 10)
        static let measures = Own(rawValue: 1 << 11)
        static let all = Own(rawValue: 1 << 12 - 1)
    }

    /// Creates the default options.
    public init() {}

    /// Whether the client's options have been added.
    var isComplete: Bool { own == .all }

    /// Returns these options, and those of a client where they aren't set.
    func completed(by client: RequestOptions) -> RequestOptions {
        var options = client
        if own.contains(.connectTimeout) { options.connectTimeout = connectTimeout }
        if own.contains(.idleTimeout) { options.idleTimeout = idleTimeout }
        if own.contains(.totalTimeout) { options.totalTimeout = totalTimeout }
        if own.contains(.attempts) { options.attempts = attempts }
        if own.contains(.redirects) { options.redirects = redirects }
        if own.contains(.maximumCollectedBytes) { options.maximumCollectedBytes = maximumCollectedBytes }
        if own.contains(.maximumBodyBytes) { options.maximumBodyBytes = maximumBodyBytes }
        if own.contains(.maximumDecompressionRatio) { options.maximumDecompressionRatio = maximumDecompressionRatio }
        if own.contains(.acceptedStatuses) { options.acceptedStatuses = acceptedStatuses }
        if own.contains(.decompresses) { options.decompresses = decompresses }
        if own.contains(.progress) { options.progress = progress }
        if own.contains(.measures) { options.measures = measures }
        options.own = .all
        return options
    }
}

/// Limits of a response.
package struct ResponseLimits: Hashable, Sendable {
    /// The maximum length of a collected body in bytes after decompression, or nil for none.
    package var collectedBytes: Int? = 16 << 20
    /// The maximum length of any body in bytes after decompression, or nil for none.
    package var bodyBytes: Int? = nil
    /// The maximum length of the head in bytes, without interim heads; 64 KiB by default.
    package var headBytes: Int = 64 << 10
    /// The maximum number of fields in a head; 200 by default.
    package var headerFields: Int = 200
    /// The maximum ratio of decompressed to received bytes after 64 MiB; 100 by default, nil for none.
    package var inflationRatio: Int? = 100

    /// Creates the default limits.
    package init() {}
}
