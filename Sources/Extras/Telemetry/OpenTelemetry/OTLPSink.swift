internal import AshlarCore
public import AshlarLogging
public import AshlarNetworking

/// A sink that sends lines to an OpenTelemetry collector in batches (OTLP over HTTP, as JSON).
///
/// While the collector is unreachable, batches wait in memory or in a folder. They are sent again after growing pauses,
/// the oldest first. A request is sent once by the client; the sink itself repeats it.
///
/// ```swift
/// let sink = OTLPSink(
///     to: try HTTPURL("https://collector.example.com/v1/logs"), resource: ["service.name": "notes"],
///     spillFolder: "/tmp/example-logs/otlp")
/// ```
///
/// - Important: Don't pass a client whose requests are logged: each batch would cause the next one.
public final class OTLPSink: LogSink {
    /// The least severe level that is sent.
    public let threshold: LogLevel
    private let delivery: OTLPDelivery

    /// Creates a sink; batches that an earlier process left in the spill folder are sent first.
    ///
    /// - Parameters:
    ///   - url: The URL of the collector's logs, which usually ends in `/v1/logs`.
    ///   - headers: Fields of each request, such as an API key.
    ///   - client: The client; nil creates one without cookies and retries.
    ///   - resource: The attributes of the program, such as `service.name`.
    ///   - threshold: The least severe level that is sent.
    ///   - interval: The time that a line waits for further lines before it is sent.
    ///   - batchLines: The maximum number of lines in a request.
    ///   - maximumBytes: The maximum size of all waiting lines; beyond it, the oldest batch is lost and counted.
    ///   - spillFolder: A folder for batches that couldn't be sent; nil to store them in memory. Sinks and processes can
    ///     share it, but not processes on several machines or in several containers.
    public convenience init(
        to url: HTTPURL, headers: HTTPHeaders = [:], client: NetworkClient? = nil, resource: LogFields = [:],
        threshold: LogLevel = .verbose, interval: Duration = .seconds(1), batchLines: Int = 512,
        maximumBytes: Int = 4 << 20, spillFolder: String? = nil
    ) {
        let collector = OTLPCollector(url: url, headers: headers, client: client ?? OTLPCollector.makeClient())
        self.init(
            resource: resource, threshold: threshold, interval: interval, batchLines: batchLines,
            maximumBytes: maximumBytes, folder: spillFolder.map { OTLPSpillFolder($0) },
            send: { await collector.send($0) }, sleep: { try await Task.sleep(for: $0) })
    }

    init(
        resource: LogFields, threshold: LogLevel, interval: Duration, batchLines: Int, maximumBytes: Int,
        folder: OTLPSpillFolder?, send: @escaping OTLPDelivery.Send,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.threshold = threshold
        let backlog = OTLPBacklog(folder?.adoptBatches() ?? [], batchLines: batchLines, maximumBytes: maximumBytes)
        delivery = OTLPDelivery(
            envelope: OTLPEnvelope(resource: resource), interval: interval, backlog: backlog, folder: folder,
            send: send, sleep: sleep)
    }

    /// The number of lost lines: rejected by the collector, or beyond the limit.
    public var lostLines: Int { delivery.lostLines }

    /// Adds the line to the next batch.
    public func receive(_ record: LogRecord) -> Bool {
        delivery.add(Array(record.formatted(as: .json(.openTelemetry)).utf8))
        return true
    }

    /// Writes the waiting lines into the spill folder and waits for the disk, so that the next process can send them.
    public func flush() { delivery.spill() }

    /// Sends the waiting lines; returns when the collector has responded or is unreachable.
    public func send() async { await delivery.sendAll() }
}

/// The collector of a sink, which receives one request at a time.
struct OTLPCollector: Sendable {
    let url: HTTPURL
    let headers: HTTPHeaders
    let client: NetworkClient

    /// The result of a request.
    enum Outcome: Hashable {
        /// The collector has accepted the lines.
        case accepted
        /// The collector rejects the lines, which are then lost and counted.
        case rejected
        /// The lines are sent again, after at least the given pause.
        case retry(after: Duration? = nil)

        /// Creates the result for an HTTP status, according to the specification of OTLP.
        init(status: Int, retryAfter: Duration? = nil) {
            switch status {
            case 200..<300: self = .accepted
            case 429, 502, 503, 504: self = .retry(after: retryAfter)
            default: self = .rejected
            }
        }
    }

    static func makeClient() -> NetworkClient {
        var configuration = ClientConfiguration()
        configuration.cookies = nil
        return NetworkClient(configuration)
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
                status: response.status, retryAfter: RetryPolicy.retryAfter(response.headers, now: now))
        } catch {
            return .retry()
        }
    }
}
