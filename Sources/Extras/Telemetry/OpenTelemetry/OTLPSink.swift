internal import AshlarCore
public import AshlarLogging
public import AshlarNetworking
internal import AshlarTrees

/// A sink that sends lines to an OpenTelemetry collector in batches (OTLP over HTTP, as JSON).
///
/// A batch is sent when it is full, and otherwise after an interval. While the collector is unreachable, batches wait in
/// memory, or in a folder. They are sent again after growing pauses, the oldest first. A request is sent once by the
/// client; the sink itself repeats it. Each lost line is counted in `LogSystem.counters`, and a line in the log reports
/// it, which isn't sent.
///
/// ```swift
/// let sink = OTLPSink(
///     to: try HTTPURL("https://collector.example.com/v1/logs"), resource: ["service.name": "notes"],
///     spillFolder: "/var/log/notes/otlp")
/// ```
///
/// - Important: Don't pass a client whose requests are logged: each batch would cause the next one.
public final class OTLPSink: LogSink {
    /// The least severe level that is sent.
    public let threshold: LogLevel
    private let delivery: OTLPDelivery
    /// The context of the lines that report losses and warnings.
    static let ownContext = "AshlarTelemetry"

    /// Creates a sink; batches that an earlier process left in the spill folder are sent first.
    ///
    /// - Parameters:
    ///   - url: The URL of the collector's logs, which usually ends in `/v1/logs`.
    ///   - headers: Fields of each request, such as an API key.
    ///   - client: The client; nil creates one without cookies and retries.
    ///   - resource: The attributes of the program, such as `service.name`.
    ///   - threshold: The least severe level that is sent.
    ///   - interval: The time that a line waits for further lines before it is sent.
    ///   - batchLines: The maximum number of lines in a request, which is also sent with fewer lines of 1 MiB.
    ///   - maximumBytes: The maximum size of the lines that wait in memory, by default 64 MiB; beyond it, the oldest
    ///     batch is lost and counted. With a spill folder, batches are written into it before.
    ///   - spillFolder: A folder for batches that couldn't be sent; nil to store them in memory. Sinks, processes and
    ///     containers of one machine can share it.
    ///   - maximumSpilledBytes: The maximum size of this sink's files in the spill folder, by default 256 MiB; beyond it,
    ///     the oldest batch is lost and counted.
    public convenience init(
        to url: HTTPURL, headers: HTTPHeaders = [:], client: NetworkClient? = nil, resource: LogFields = [:],
        threshold: LogLevel = .verbose, interval: Duration = .seconds(1), batchLines: Int = 512,
        maximumBytes: Int = 64 << 20, spillFolder: String? = nil, maximumSpilledBytes: Int = 256 << 20
    ) {
        let collector = OTLPCollector(url: url, headers: headers, client: client ?? OTLPCollector.makeClient())
        let limits = OTLPBacklog.Limits(
            batchLines: max(1, batchLines), memoryBytes: max(1024, maximumBytes),
            diskBytes: max(1024, maximumSpilledBytes))
        let log = Log(Self.ownContext)
        self.init(
            resource: resource, threshold: threshold, interval: interval, limits: limits,
            folder: spillFolder.map { OTLPSpillFolder($0) }, send: { await collector.send($0) },
            sleep: { try await Task.sleep(for: $0) }, note: { log.warning($0) })
    }

    init(
        resource: LogFields, threshold: LogLevel, interval: Duration, limits: OTLPBacklog.Limits,
        folder: OTLPSpillFolder?, send: @escaping OTLPDelivery.Send, sleep: @escaping OTLPDelivery.Sleep,
        note: @escaping OTLPDelivery.Note
    ) {
        self.threshold = threshold
        let backlog = OTLPBacklog(
            folder?.adoptBatches() ?? [], envelope: OTLPEnvelope(resource: resource), limits: limits)
        delivery = OTLPDelivery(
            interval: interval, backlog: backlog, folder: folder, send: send, sleep: sleep, note: note)
    }

    /// The number of lost lines: rejected by the collector, or beyond the limits.
    public var lostLines: Int { delivery.lostLines }

    /// Adds the line to the next batch, unless it is a report of such a sink: a collector that rejects it or warns again
    /// would cause the next one.
    public func receive(_ record: LogRecord) -> Bool {
        if record.context == Self.ownContext { return true }
        delivery.add(Array(record.formatted(as: .json(.openTelemetry)).utf8))
        return true
    }

    /// Writes the waiting lines into the spill folder, or sends them without one.
    ///
    /// It waits at most five seconds.
    public func flush() { _ = flush(within: .seconds(5)) }

    /// Writes the waiting lines into the spill folder, so that the next process can send them; without a folder, sends
    /// them and waits for the collector.
    ///
    /// Returns whether no line that the sink received before waits in memory only, and none was lost meanwhile.
    public func flush(within limit: Duration) -> Bool { delivery.flush(within: limit) }

    /// Sends the waiting lines; returns when the collector has responded or is unreachable.
    public func send() async { await delivery.sendNow() }
}

/// The collector of a sink, which receives one request at a time.
struct OTLPCollector: Sendable {
    let url: HTTPURL
    let headers: HTTPHeaders
    let client: NetworkClient

    /// The result of a request.
    enum Outcome: Hashable {
        /// The collector has accepted the request. It may have rejected some of the lines, which are then lost and counted,
        /// and its message may be a warning.
        case accepted(rejectedLines: Int = 0, message: String = "")
        /// The collector rejects the request, whose lines are then lost and counted.
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
            var (rejected, message) = (0, "")
            if let value = document.find("rejectedLogRecords", in: partial + 1) {
                // A 64-bit integer is a string in the JSON of Protocol Buffers, but a number is accepted too.
                let number =
                    document.kind(at: value + 1) == .string
                    ? Int64(document.string(at: value + 1)) : document.int64(at: value + 1)
                rejected = max(0, Int(clamping: number ?? 0))
            }
            if let value = document.find("errorMessage", in: partial + 1), document.kind(at: value + 1) == .string {
                message = String(document.string(at: value + 1).prefix(1000))
            }
            return .accepted(rejectedLines: rejected, message: message)
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
                status: response.status, body: response.bytes,
                retryAfter: RetryPolicy.retryAfter(response.headers, now: now))
        } catch {
            return .retry()
        }
    }
}
