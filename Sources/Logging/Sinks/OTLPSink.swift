/// A sink that sends lines to an OpenTelemetry collector in batches (OTLP over HTTP, as JSON).
///
/// The sink has no network code: a closure sends the body of each request, with `POST` to the collector's path `/v1/logs`
/// and the content type `application/json`. While the collector can't be reached, batches wait in memory or in a folder,
/// and are sent again after growing pauses, the oldest first.
///
/// ```swift
/// let sink = OTLPSink(resource: ["service.name": "notes"], spillFolder: "/tmp/example-logs/otlp") { body in
///     // Send `body`, and return what the collector answered.
///     .accepted
/// }
/// ```
public final class OTLPSink: LogSink {
    /// What became of a request.
    public enum Answer: Hashable, Sendable {
        /// The collector has the lines.
        case accepted
        /// The collector refuses the lines; they are lost and counted.
        case rejected
        /// The lines are sent again, after the collector's pause or the sink's own.
        case retry(after: Duration?)

        /// The meaning of an HTTP status, according to the specification of OTLP.
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

    /// Sends the body of a request; an error means that the collector can't be reached.
    public typealias Sender = @Sendable (_ body: [UInt8]) async throws -> Answer

    /// The least severe level that is sent.
    public let threshold: LogLevel
    private let delivery: OTLPDelivery

    /// Creates a sink; batches that an earlier process left in the spill folder are sent first.
    ///
    /// - Parameters:
    ///   - resource: The attributes of the program, such as `service.name`.
    ///   - threshold: The least severe level that is sent.
    ///   - interval: How long lines wait for others before they are sent.
    ///   - batchLines: The largest number of lines in a request.
    ///   - maximumBytes: The largest size of all waiting lines; beyond it, the oldest batch is lost and counted.
    ///   - spillFolder: A folder, used by this sink only, for batches that could not be sent; nil to keep them in memory.
    ///   - sender: Sends the body of a request. It is called for one request at a time.
    public convenience init(
        resource: LogFields = [:], threshold: LogLevel = .verbose, interval: Duration = .seconds(1),
        batchLines: Int = 512, maximumBytes: Int = 4 << 20, spillFolder: String? = nil, sender: @escaping Sender
    ) {
        let backlog = OTLPBacklog(folder: spillFolder, batchLines: batchLines, maximumBytes: maximumBytes)
        self.init(resource: resource, threshold: threshold, interval: interval, backlog: backlog, sender: sender) {
            try await Task.sleep(for: $0)
        }
    }

    init(
        resource: LogFields, threshold: LogLevel, interval: Duration, backlog: OTLPBacklog, sender: @escaping Sender,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.threshold = threshold
        delivery = OTLPDelivery(
            envelope: OTLPEnvelope(resource: resource), interval: interval, backlog: backlog, sender: sender,
            sleep: sleep)
    }

    /// The number of lines that were lost: refused by the collector, or beyond the limit.
    public var lostLines: Int { delivery.lostLines }

    /// Adds the line to the next batch.
    public func receive(_ record: borrowing LogRecord) -> Bool {
        LineWriter.withLine(of: record, .json(.openTelemetry)) { delivery.add($0.prefix($0.count - 1).array) }
        return true
    }

    /// Writes the waiting lines into the spill folder, so that the next process can send them.
    public func flush() { delivery.spill() }

    /// Sends the waiting lines now and returns when the collector has them or can't be reached.
    public func send() async { await delivery.sendNow() }
}

extension OTLPSink: ForkAware {
    var forkLocks: [any ForkLock] { delivery.forkLocks }
    /// The waiting lines belong to the parent.
    func becomeForkedChild() { delivery.becomeForkedChild() }
}

/// Sends the batches of a sink; a task runs only while lines wait.
private final class OTLPDelivery: Sendable {
    private struct State {
        var backlog: OTLPBacklog
        var isRunning = false
        /// The last request that is being sent.
        var sending: Task<Duration?, Never>?
        var pauses = OTLPPauses()
    }

    private let state: Guarded<State>
    private let envelope: OTLPEnvelope
    private let interval: Duration
    private let sender: OTLPSink.Sender
    private let sleep: @Sendable (Duration) async throws -> Void

    init(
        envelope: OTLPEnvelope, interval: Duration, backlog: OTLPBacklog, sender: @escaping OTLPSink.Sender,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        (self.envelope, self.interval, self.sender, self.sleep) = (envelope, interval, sender, sleep)
        state = Guarded(State(backlog: backlog))
        if !backlog.isEmpty { start(after: .zero) }
    }

    var lostLines: Int { state.withLock { $0.backlog.lostLines } }

    func add(_ record: [UInt8]) {
        let begins = state.withLock { state in
            state.backlog.add(record)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if begins { start(after: interval) }
    }

    private func start(after pause: Duration) {
        state.withLock { $0.isRunning = true }
        Task.detached { [self] in
            var pause = pause
            while true {
                // Nobody cancels the task, so the pause fails only if a test wants it to end.
                do { try await sleep(pause) } catch { return }
                pause = await sendAll() ?? interval
                let isDone = state.withLock {
                    if $0.backlog.isEmpty { $0.isRunning = false }
                    return $0.backlog.isEmpty
                }
                if isDone { return }
            }
        }
    }

    func spill() { state.withLock { $0.backlog.spill(in: envelope) } }

    func sendNow() async { _ = await sendAll() }

    /// Sends all batches after those that are being sent; returns the pause if the collector can't be reached.
    private func sendAll() async -> Duration? {
        let task = state.withLock { state in
            let before = state.sending
            let task = Task.detached { [self] in
                _ = await before?.value
                return await sendBatches()
            }
            state.sending = task
            return task
        }
        return await task.value
    }

    private func sendBatches() async -> Duration? {
        while let batch = state.withLock({ $0.backlog.first(in: envelope) }) {
            let answer = (try? await sender(batch.body)) ?? .retry(after: nil)
            let pause: Duration? = state.withLock {
                if case .retry(let asked) = answer {
                    // A crash loses nothing that is in a file.
                    $0.backlog.giveBack()
                    $0.backlog.spill(in: envelope)
                    return $0.pauses.next(asked: asked)
                }
                $0.pauses = OTLPPauses()
                $0.backlog.remove(batch, isLost: answer == .rejected)
                return nil
            }
            if let pause { return pause }
        }
        return nil
    }

    var forkLocks: [any ForkLock] { [state.lock] }

    func becomeForkedChild() {
        state.held.backlog.forget()
        (state.held.isRunning, state.held.sending) = (false, nil)
    }
}

/// The growing pauses between attempts.
struct OTLPPauses {
    private var failures = 0

    /// The pause after another failure: 1 s, 2 s and so on to 60 s, shortened at random by up to a quarter so that
    /// programs don't return together; or the collector's own, if it is longer.
    mutating func next(asked: Duration?) -> Duration {
        let full = min(60_000, 1000 << min(failures, 6))
        failures += 1
        return max(.milliseconds(Int.random(in: full * 3 / 4...full)), asked ?? .zero)
    }
}

/// The text around the records of a request.
struct OTLPEnvelope: Sendable {
    private let head: [UInt8]

    init(resource: LogFields) {
        head = ByteBuffer.temporary {
            $0.append("{\"resourceLogs\":[{\"resource\":{\"attributes\":" as StaticString)
            JSONLineWriter.appendAttributes(resource, to: $0)
            $0.append("},\"scopeLogs\":[{\"scope\":{\"name\":\"AshlarLogging\"},\"logRecords\":[" as StaticString)
            return $0.text.array
        }
    }

    func body(of records: some Sequence<[UInt8]>) -> [UInt8] {
        var body = head
        for (index, record) in records.enumerated() {
            if index > 0 { body.append(44) }
            body += record
        }
        return body + Array("]}]}]}".utf8)
    }
}
