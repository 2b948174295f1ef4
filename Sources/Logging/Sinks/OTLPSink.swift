/// A sink that sends lines to an OpenTelemetry collector in batches (OTLP over HTTP, as JSON).
///
/// The sink contains no network code. A closure sends the body of each request with `POST` to the collector's path
/// `/v1/logs`, with the content type `application/json`. While the collector is unreachable, batches wait in memory or
/// in a folder. They are sent again after growing pauses, the oldest first.
///
/// ```swift
/// let sink = OTLPSink(resource: ["service.name": "notes"], spillFolder: "/tmp/example-logs/otlp") { body in
///     // Send `body`, and return what the collector answered.
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
    ///   - spillFolder: A folder, used by this sink only, for batches that couldn't be sent; nil to store them in
    ///     memory.
    ///   - sender: Sends the body of a request; it is called for one request at a time.
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

    /// The number of lost lines: rejected by the collector, or beyond the limit.
    public var lostLines: Int { delivery.lostLines }

    /// Adds the line to the next batch.
    public func receive(_ record: borrowing LogRecord) -> Bool {
        LineWriter.withLine(of: record, .json(.openTelemetry)) { delivery.add($0.prefix($0.count - 1).array) }
        return true
    }

    /// Writes the waiting lines into the spill folder, so that the next process can send them.
    public func flush() { delivery.spill() }

    /// Sends the waiting lines; returns when the collector has responded or is unreachable.
    public func send() async { await delivery.sendNow() }
}

extension OTLPSink: ForkAware {
    var forkLocks: [any ForkLock] { delivery.forkLocks }
    /// Removes the waiting lines, which belong to the parent.
    func becomeForkedChild() { delivery.becomeForkedChild() }
}

/// Sends the batches of a sink; a task runs only while lines wait.
private final class OTLPDelivery: Sendable {
    private struct State {
        var backlog: OTLPBacklog
        var isRunning = false
        /// The last of the requests being sent.
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
                // The task is never cancelled, so the pause fails only if a test ends it.
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

    /// Sends all batches after the current ones; returns the pause if the collector is unreachable.
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
                    // A crash doesn't lose batches in files.
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

    /// Returns the pause after another failure: 1 s, 2 s and so on, up to 60 s.
    ///
    /// The pause is shortened at random by up to a quarter, so that programs don't send at the same time. If the
    /// collector requests a longer pause, that pause applies.
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
