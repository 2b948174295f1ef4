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
    private let change: @Sendable (NetworkRequest, Int, inout StubResponse) async throws(NetworkError) -> Void
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
    ///   - change: Changes or delays a response, or throws an error instead, given a request and the index of the
    ///     matching entry.
    public init(
        _ archive: HARArchive, matching: HARMatching = .strict, redaction: NetworkRedaction = .standard,
        repeatsLast: Bool = true,
        changing change:
            @escaping @Sendable (
                _ request: NetworkRequest, _ entry: Int, _ response: inout StubResponse
            ) async throws(NetworkError) -> Void = { _, _, _ in }
    ) {
        self.archive = archive
        self.matching = matching
        self.redaction = redaction
        self.repeatsLast = repeatsLast
        self.change = change
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
    /// - Throws: `.notRecorded`, or the error of the change.
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
        let recorded = archive.entries[index].response
        var response = StubResponse(
            status: recorded.status, headers: recorded.headers, chunks: recorded.body.isEmpty ? [] : [recorded.body])
        try await change(request, index, &response)
        return try await StubTransport { [response] _ in response }.send(request)
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
