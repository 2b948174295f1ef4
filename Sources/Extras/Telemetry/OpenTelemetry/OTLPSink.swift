internal import AshlarCore
public import AshlarLogging
public import AshlarNetworking
internal import AshlarTrees

/// A sink that sends lines to an OpenTelemetry collector in batches (OTLP over HTTP, as JSON).
///
/// A batch is sent when it is full, and otherwise after an interval. While the collector is unreachable, lines wait in
/// memory, and their request is sent again after growing pauses. A request is sent once by the client; the sink itself
/// repeats it. Each lost line is counted in `LogSystem.counters`, and a line in the log reports it, which isn't sent.
///
/// ```swift
/// let sink = OTLPSink(
///     to: try HTTPURL("https://collector.example.com/v1/logs"), resource: ["service.name": "notes"])
/// ```
///
/// - Important: Don't pass a client whose requests are logged: each batch would cause the next one.
public final class OTLPSink: LogSink {
    /// The least severe level that is sent.
    public let threshold: LogLevel
    private let delivery: OTLPDelivery
    /// The context of the lines that report losses and warnings.
    static let ownContext = "AshlarTelemetry"

    /// Creates a sink.
    ///
    /// - Parameters:
    ///   - url: The URL of the collector's logs, which usually ends in `/v1/logs`.
    ///   - headers: Fields of each request, such as an API key.
    ///   - client: The client; nil creates one without cookies and retries.
    ///   - resource: The attributes of the program, such as `service.name`.
    ///   - threshold: The least severe level that is sent.
    ///   - interval: The time that a line waits for further lines before it is sent.
    ///   - batchLines: The maximum number of lines in a request, which is also sent with fewer lines of 1 MiB.
    ///   - maximumBytes: The maximum size of the lines that wait in memory, by default 64 MiB. Beyond it, a call waits up
    ///     to 10 ms for room while the collector responds, unless ten calls have waited in vain; then its line is lost and
    ///     counted.
    public init(
        to url: HTTPURL, headers: HTTPHeaders = [:], client: NetworkClient? = nil, resource: LogFields = [:],
        threshold: LogLevel = .leastSevere, interval: Duration = .seconds(1), batchLines: Int = 512,
        maximumBytes: Int = 64 << 20
    ) {
        var configuration = ClientConfiguration()
        configuration.cookies = nil
        let client = client ?? NetworkClient(configuration)
        let collector = OTLPCollector(url: url, headers: headers, client: client)
        let log = Log(Self.ownContext)
        self.threshold = threshold
        delivery = OTLPDelivery(
            resource: resource, interval: interval, batchLines: batchLines, maximumBytes: maximumBytes,
            send: { await collector.send($0) }, sleep: { try await Task.sleep(for: $0) }, note: { log.warning("\($0)") }
        )
    }

    init(_ delivery: OTLPDelivery) {
        self.delivery = delivery
        threshold = .leastSevere
    }

    /// The number of lost lines: rejected by the collector, or beyond the limit.
    public var lostLines: Int { delivery.lostLines }

    /// Adds the line to the next batch, unless it is a report of such a sink: a collector that rejects it or warns again
    /// would cause the next one.
    public func receive(_ record: LogRecord) -> Bool {
        if record.context == Self.ownContext { return true }
        delivery.add(Array(record.formatted(as: .openTelemetry).utf8))
        return true
    }

    /// Sends the waiting lines; returns whether all of them arrived and no line was lost since the last flush, at the latest
    /// after an attempt that fails.
    public func flush(within limit: Duration) -> Bool { delivery.flush(within: limit) }

    /// Sends the waiting lines; returns when the collector has responded or is unreachable.
    public func send() async {
        // The wait blocks a thread of its own, because all tasks share a few threads.
        await withCheckedContinuation { done in
            let work: @Sendable () -> Void = { [delivery] in
                _ = delivery.flush(within: .seconds(3600))
                done.resume()
            }
            if !HelperThread.start(work) { work() }
        }
    }
}

/// The collector of a sink, which receives one request at a time.
struct OTLPCollector: Sendable {
    let url: HTTPURL
    let headers: HTTPHeaders
    let client: NetworkClient

    /// The result of a request.
    enum Outcome: Hashable {
        /// The collector has accepted the request, except for some of the lines; its message may be a warning.
        case accepted(rejectedLines: Int = 0, message: String = "")
        case rejected(message: String = "")
        /// The lines are sent again, after at least the given pause.
        case retry(after: Duration? = nil)

        /// Creates the result for a response, according to the specification of OTLP.
        init(status: Int, body: [UInt8] = [], retryAfter: Duration? = nil) {
            switch status {
            case 200..<300: self = Self.accepted(body)
            case 429, 502, 503, 504: self = .retry(after: retryAfter)
            default: self = .rejected(message: "status \(status)")
            }
        }

        /// Reads `{"partialSuccess":{"rejectedLogRecords":"3","errorMessage":"text"}}`; anything else is a full success.
        private static func accepted(_ body: [UInt8]) -> Outcome {
            guard let document = try? JSONDocument(body), document.kind(at: 0) == .object,
                let partial = document.find("partialSuccess", in: 0), document.kind(at: partial + 1) == .object
            else { return .accepted() }
            // A 64-bit integer is a string in the JSON of Protocol Buffers, but a number is accepted too.
            func text(_ name: String) -> String {
                guard let value = document.find(name, in: partial + 1).map({ $0 + 1 }) else { return "" }
                if document.kind(at: value) == .string { return document.string(at: value) }
                return document.int64(at: value).map(String.init) ?? ""
            }
            let rejected = max(0, Int(clamping: Int64(text("rejectedLogRecords")) ?? 0))
            return .accepted(rejectedLines: rejected, message: String(text("errorMessage").prefix(1000)))
        }
    }

    /// Sends the body of a request; a failure without a status, such as an unreachable host, is tried again.
    func send(_ body: [UInt8]) async -> Outcome {
        var options = RequestOptions()
        options.acceptedStatuses = nil
        let request = NetworkRequest(
            .post, url, headers: headers, body: .bytes(body, contentType: "application/json"), options: options)
        do throws(NetworkError) {
            let response = try await client.send(request)
            let now = LogTime.now.nanoseconds / 1_000_000_000
            return Outcome(
                status: response.status, body: response.bytes,
                retryAfter: RetryPolicy.retryAfter(response.headers, now: now))
        } catch {
            return .retry()
        }
    }
}
