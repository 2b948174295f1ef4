/// A sink that sends lines to an OpenTelemetry collector in batches (OTLP over HTTP, as JSON).
///
/// The sink contains no network code. A closure sends the body of each request with `POST` to the collector's path
/// `/v1/logs`, with the content type `application/json`. While the collector is unreachable, batches wait in memory or
/// in a folder. They are sent again after growing pauses, the oldest first.
///
/// ```swift
/// let sink = OTLPSink(resource: ["service.name": "notes"], spillFolder: "/tmp/example-logs/otlp") { body in
///     // Send `body`, and return the meaning of the answer.
///     .accepted
/// }
/// ```
public final class OTLPSink: LogSink {
    /// The result of a request.
    public enum Answer: Hashable, Sendable {
        /// The collector has accepted the lines.
        case accepted
        /// The collector rejects the lines, which are then lost and counted.
        case rejected
        /// The lines are sent again, after the given pause or the sink's own.
        case retry(after: Duration?)

        /// Creates the result for an HTTP status, according to the specification of OTLP.
        ///
        /// - Parameters:
        ///   - httpStatus: The status of the response.
        ///   - retryAfter: The pause in its `Retry-After` field, if there is one.
        public init(httpStatus: Int, retryAfter: Duration? = nil) {
            switch httpStatus {
            case 200..<300: self = .accepted
            case 429, 502, 503, 504: self = .retry(after: retryAfter)
            default: self = .rejected
            }
        }
    }

    /// A closure that sends the body of a request; it throws if the collector is unreachable.
    public typealias Sender = @Sendable (_ body: [UInt8]) async throws -> Answer

    /// The least severe level that is sent.
    public let threshold: LogLevel
    private let delivery: OTLPDelivery

    /// Creates a sink; batches that an earlier process left in the spill folder are sent first.
    ///
    /// - Parameters:
    ///   - resource: The attributes of the program, such as `service.name`.
    ///   - threshold: The least severe level that is sent.
    ///   - interval: The time that a line waits for further lines before it is sent.
    ///   - batchLines: The maximum number of lines in a request.
    ///   - maximumBytes: The maximum size of all waiting lines; beyond it, the oldest batch is lost and counted.
    ///   - spillFolder: A folder for batches that couldn't be sent; nil to store them in memory. Sinks and processes can
    ///     share it, but not processes on several machines or in several containers.
    ///   - sender: Sends the body of a request; it is called for one request at a time.
    public convenience init(
        resource: LogFields = [:], threshold: LogLevel = .verbose, interval: Duration = .seconds(1),
        batchLines: Int = 512, maximumBytes: Int = 4 << 20, spillFolder: String? = nil, sender: @escaping Sender
    ) {
        self.init(
            resource: resource, threshold: threshold, interval: interval, batchLines: batchLines,
            maximumBytes: maximumBytes, folder: spillFolder.map { OTLPSpillFolder($0) }, sender: sender
        ) { try await Task.sleep(for: $0) }
    }

    init(
        resource: LogFields, threshold: LogLevel, interval: Duration, batchLines: Int, maximumBytes: Int,
        folder: OTLPSpillFolder?, sender: @escaping Sender, sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.threshold = threshold
        let backlog = OTLPBacklog(folder?.adoptBatches() ?? [], batchLines: batchLines, maximumBytes: maximumBytes)
        delivery = OTLPDelivery(
            envelope: OTLPEnvelope(resource: resource), interval: interval, backlog: backlog, folder: folder,
            sender: sender, sleep: sleep)
    }

    /// The number of lost lines: rejected by the collector, or beyond the limit.
    public var lostLines: Int { delivery.lostLines }

    /// Adds the line to the next batch.
    public func receive(_ record: borrowing LogRecord) -> Bool {
        LineWriter.withLine(of: record, .json(.openTelemetry)) { delivery.add($0.prefix($0.count - 1).array) }
        return true
    }

    /// Writes the waiting lines into the spill folder and waits for the disk, so that the next process can send them.
    public func flush() { delivery.spill() }

    /// Sends the waiting lines; returns when the collector has responded or is unreachable.
    public func send() async { await delivery.sendAll() }
}

extension OTLPSink: ForkAware {
    var forkLocks: [any ForkLock] { delivery.forkLocks }
    /// Removes the waiting lines, which belong to the parent.
    func becomeForkedChild() { delivery.becomeForkedChild() }
}
