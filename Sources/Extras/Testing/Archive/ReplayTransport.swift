internal import AshlarCore
public import AshlarNetworking

/// Answers requests from a HAR archive without a network.
///
/// A request without a matching recording fails with `.notRecorded`; the message shows the most similar recording and
/// the differences. If several recordings match, they answer in the order of the archive, and the last one repeatedly
/// unless `repeatsLast` is false. Secrets are replaced on both sides before matching, so a redacted archive works.
///
/// ```swift
/// import AshlarNetworking
///
/// let url = try HTTPURL("https://api.example.com/notes/1")
/// let archive = HARArchive([
///     HAREntry(request: HARRequest(.get, url), response: HARResponse(status: 200, body: Array("{}".utf8)))
/// ])
/// let transport = ReplayTransport(archive)
/// let client = NetworkClient(transport: transport)
/// ```
///
/// Transports are independent, so tests can replay in parallel.
public final class ReplayTransport: NetworkTransport {
    /// The recordings.
    let archive: HARArchive
    private let matching: HARMatching
    private let redaction: NetworkRedaction
    private let repeatsLast: Bool
    private let faults: @Sendable (NetworkRequest, Int) -> [ReplayFault]
    private let clock: any Clock<Duration>
    private let fingerprints: [HARFingerprint]
    /// The number of times that each entry has answered.
    private let answers: Mutex<[Int]>

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - archive: The recordings.
    ///   - matching: The parts that must be equal; by default all except header fields.
    ///   - redaction: The rule for replacing secrets before matching, the same as for recording.
    ///   - repeatsLast: Whether the last of several matching recordings answers all further requests.
    ///   - clock: The clock for delays.
    ///   - faults: Returns the faults of a response, given a request and the index of the matching entry; none by
    ///     default. They apply in order.
    public init(
        _ archive: HARArchive, matching: HARMatching = .strict, redaction: NetworkRedaction = .standard,
        repeatsLast: Bool = true, clock: any Clock<Duration> = ContinuousClock(),
        faults: @escaping @Sendable (_ request: NetworkRequest, _ entry: Int) -> [ReplayFault] = { _, _ in [] }
    ) {
        self.archive = archive
        self.matching = matching
        self.redaction = redaction
        self.repeatsLast = repeatsLast
        self.clock = clock
        self.faults = faults
        fingerprints = archive.entries.map { HARFingerprint($0.request, matching, redaction) }
        answers = Mutex([Int](repeating: 0, count: archive.entries.count))
    }

    /// Creates a transport from an archive file.
    ///
    /// - Throws: `.fileFailed` or `.invalidArchive`, both with `file`.
    public convenience init(contentsOfFile path: String, matching: HARMatching = .strict) throws(NetworkError) {
        self.init(try HARArchive(contentsOfFile: path), matching: matching)
    }

    /// The entries that have answered no request yet, in the order of the archive.
    public var unused: [HAREntry] {
        let answers = answers.withLock { $0 }
        return zip(archive.entries, answers).filter { $0.1 == 0 }.map(\.0)
    }

    /// Answers a request from the archive.
    ///
    /// - Throws: `.notRecorded`, or the result of a fault.
    public func send(_ request: NetworkRequest) async throws(NetworkError) -> StreamedResponse {
        try request.headers.validate()
        var body: [UInt8] = []
        if matching.parts.contains(.body) { body = try await request.body.collected() }
        var asked = HARRequest(request.method, request.url, headers: request.headers, body: body)
        if let type = request.body.contentType, !asked.headers.contains("Content-Type") {
            asked.headers.append("Content-Type", type)
        }
        let fingerprint = HARFingerprint(asked, matching, redaction)
        guard let index = take(fingerprint) else { throw notRecorded(request, fingerprint) }
        let answer = archive.entries[index].response
        var source = ReplayBodySource(answer.body)
        for fault in faults(request, index) { try await apply(fault, &source, request.options) }
        if let limit = request.options.limits.bodyBytes, answer.body.count > limit {
            throw ResponseBody.tooLarge(limit, "the recorded body has \(answer.body.count) bytes")
        }
        let head = ResponseHead(status: answer.status, headers: answer.headers)
        return StreamedResponse(head: head, body: ResponseBody(source), url: request.url)
    }

    /// Finds the matching entry and counts its use.
    private func take(_ asked: HARFingerprint) -> Int? {
        let matches = fingerprints.indices.filter { asked.matches(fingerprints[$0]) }
        return answers.withLock { answers in
            let fresh = matches.first { answers[$0] == 0 }
            guard let index = fresh ?? (repeatsLast ? matches.last : nil) else { return nil }
            answers[index] += 1
            return index
        }
    }

    private func apply(
        _ fault: ReplayFault, _ source: inout ReplayBodySource, _ options: RequestOptions
    ) async throws(NetworkError) {
        switch fault.kind {
        case .delay(let delay):
            let limit = [options.idleTimeout, options.totalTimeout].compactMap { $0 }.min()
            do {
                try await clock.sleep(for: min(delay, limit ?? delay))
            } catch {
                throw NetworkError(wrapping: error, as: .cancelled, phase: .wait)
            }
            if let limit, delay > limit {
                throw NetworkError(.timedOut, "no answer within \(limit)", phase: .wait)
            }
        case .drop:
            throw NetworkError(.connectionLost, "the connection was dropped by the replay", phase: .wait)
        case .truncate(let count):
            source = ReplayBodySource(source.bytes, truncatedAfter: max(0, count))
        }
    }

    private func notRecorded(_ request: NetworkRequest, _ asked: HARFingerprint) -> NetworkError {
        var message = "no recording answers \(redaction.redact(request))"
        let candidates = fingerprints.indices.map { ($0, asked.differences(from: fingerprints[$0])) }
        var nearest: Int?
        if let (index, differences) = candidates.min(by: { $0.1.count < $1.1.count }) {
            nearest = index
            let entry = archive.entries[index]
            let recorded = "\(entry.request.method) \(redaction.redact(entry.request.url))"
            message += "; the nearest is entry \(index), \(recorded), "
            message +=
                differences.isEmpty
                ? "which has answered already" : "which differs in " + differences.joined(separator: "; ")
        } else {
            message += "; the archive is empty"
        }
        var error = NetworkError(.notRecorded, message, phase: .prepare)
        error.request = redaction.redact(request)
        error.file = archive.file
        error.line = nearest.flatMap { archive.entries[$0].line }
        return error
    }
}

/// A fault of a replayed response.
public struct ReplayFault: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case delay(Duration)
        case drop
        case truncate(Int)
    }

    let kind: Kind

    /// The head is delayed; beyond the request's timeouts it never arrives.
    public static func delay(_ duration: Duration) -> ReplayFault { ReplayFault(kind: .delay(duration)) }
    /// The connection breaks before the head.
    public static let drop = ReplayFault(kind: .drop)
    /// The connection breaks after this number of body bytes.
    public static func truncate(after count: Int) -> ReplayFault { ReplayFault(kind: .truncate(count)) }
}

/// A recorded body, complete or truncated.
private final class ReplayBodySource: ResponseBodySource {
    private enum State {
        case fresh
        case read
        case cancelled
    }

    let bytes: [UInt8]
    private let limit: Int?
    private let state = Mutex(State.fresh)

    init(_ bytes: [UInt8], truncatedAfter limit: Int? = nil) {
        self.bytes = bytes
        self.limit = limit
    }

    func next() async throws(NetworkError) -> [UInt8]? {
        let before = state.withLock { state in
            defer { if state == .fresh { state = .read } }
            return state
        }
        if before == .cancelled { throw NetworkError(.cancelled, "the body was cancelled", phase: .receive) }
        guard let limit, limit < bytes.count else { return before == .fresh && !bytes.isEmpty ? bytes : nil }
        if before == .fresh, limit > 0 { return Array(bytes.prefix(limit)) }
        throw NetworkError(.truncated, "the replay truncated the body after \(limit) bytes", phase: .receive)
    }

    func cancel() { state.withLock { if $0 == .fresh { $0 = .cancelled } } }
}
