internal import AshlarCore
public import AshlarNetworking
public import Foundation

/// Sends requests over another transport and records the exchanges for ``ReplayTransport``.
///
/// It records each hop as it is sent: with its actual host and cookies, and redirects. See ``ExchangeRecorder`` for what
/// an archive contains.
///
/// ```swift
/// import AshlarNetworking
///
/// let recording = RecordingTransport(StubTransport(["GET /notes": .text("[]")]))
/// let client = NetworkClient(transport: recording)
/// _ = try await client.get("https://api.example.com/notes")
/// try recording.archive.write(toFile: "notes.har")
/// ```
public final class RecordingTransport: NetworkTransport {
    private let base: any NetworkTransport
    private let recorder: ExchangeRecorder

    /// Creates a recording transport.
    ///
    /// - Parameters:
    ///   - base: The transport that sends the requests.
    ///   - redaction: The rule for replacing secrets.
    ///   - now: Returns the time at which a request starts.
    public init(
        _ base: any NetworkTransport, redaction: NetworkRedaction = .standard,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.base = base
        recorder = ExchangeRecorder(redaction: redaction, now: now)
    }

    /// The finished exchanges in the order of their requests.
    public var archive: HARArchive { recorder.archive }

    /// Sends a request and records it when the body of the response is read to the end.
    ///
    /// - Throws: Any error of the other transport.
    public func send(_ request: NetworkRequest) async throws(NetworkError) -> StreamedResponse {
        try await recorder.intercept(
            request, next: NetworkNext { [base] request throws(NetworkError) in try await base.send(request) })
    }
}

/// A middleware that records exchanges, for a client with any transport.
///
/// Secrets are replaced before an exchange is recorded: header fields, query parameters, form fields and JSON members
/// that the redaction hides, and user names and passwords in URLs. The caller receives the response unchanged and piece
/// by piece. An exchange is recorded when its body is read to the end; failed and cancelled ones aren't recorded.
///
/// ```swift
/// import AshlarNetworking
///
/// let recorder = ExchangeRecorder(limit: 200)
/// var configuration = ClientConfiguration()
/// configuration.attemptMiddleware.append(recorder)
/// ```
///
/// At this place, it records each attempt, but the response after redirects, and the host before the client selects
/// another one. The request's body and a copy of the response's body are held in memory.
public final class ExchangeRecorder: NetworkMiddleware {
    private let limit: Int
    private let redaction: NetworkRedaction
    private let now: @Sendable () -> Date
    private let recorded = Recorded()

    /// The finished exchanges by the number of their request.
    private final class Recorded: Sendable {
        let entries = Mutex<(next: Int, finished: [Int: HAREntry])>((0, [:]))

        /// Adds an exchange, and removes the oldest one of too many.
        func finish(_ number: Int, _ entry: HAREntry, limit: Int) {
            entries.withLock { entries in
                entries.finished[number] = entry
                guard entries.finished.count > limit, let oldest = entries.finished.keys.min() else { return }
                entries.finished[oldest] = nil
            }
        }
    }

    /// Creates a recorder.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of exchanges; the oldest ones are removed.
    ///   - redaction: The rule for replacing secrets.
    ///   - now: Returns the time at which a request starts.
    public init(
        limit: Int = .max, redaction: NetworkRedaction = .standard, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.limit = limit
        self.redaction = redaction
        self.now = now
    }

    /// The finished exchanges in the order of their requests.
    public var archive: HARArchive {
        let finished = recorded.entries.withLock { $0.finished }
        return HARArchive(finished.sorted { $0.key < $1.key }.map(\.value))
    }

    /// Passes a request on, and records it when the body of the response is read to the end.
    public func intercept(
        _ request: NetworkRequest, next: NetworkNext
    ) async throws(NetworkError) -> StreamedResponse {
        var request = request
        let body = try await request.body.collected()
        if request.body.inMemory == nil { request.body = .bytes(body, contentType: request.body.contentType) }
        let number = recorded.entries.withLock { entries in
            defer { entries.next += 1 }
            return entries.next
        }
        let (started, clock) = (now(), ContinuousClock.now)
        let asked = try redacted(request, body)
        request.options.measures = true
        let received = try await next(request)
        let (hidden, recorded, limit) = (redaction, recorded, limit)
        let source = RecordingBodySource(received.body) { bytes in
            let answer = HARResponse(
                status: received.status, headers: hidden.redact(received.headers),
                body: hidden.redact(body: bytes, type: received.headers["Content-Type"]))
            var entry = HAREntry(
                started: started, duration: ContinuousClock.now - clock, request: asked, response: answer)
            entry.timings = received.metrics.map { HARTimings($0) }
            recorded.finish(number, entry, limit: limit)
        }
        var response = received
        response.body = ResponseBody(source)
        return response
    }

    private func redacted(_ request: NetworkRequest, _ body: [UInt8]) throws(NetworkError) -> HARRequest {
        let hidden = redaction
        // User name, password and fragment are removed, because they aren't sent either.
        let url = try HTTPURL(redaction.redact(try HTTPURL(request.url.requestText)))
        var headers = request.headers
        if let type = request.body.contentType, !headers.contains("Content-Type") {
            headers.append("Content-Type", type)
        }
        return HARRequest(
            request.method, url, headers: hidden.redact(headers),
            body: hidden.redact(body: body, type: headers["Content-Type"]))
    }
}

/// Forwards a body and copies it.
private final class RecordingBodySource: ResponseBodySource {
    private let inner: ResponseBody
    private let finish: @Sendable ([UInt8]) -> Void
    /// The bytes received; nil after the end or cancellation.
    private let bytes = Mutex<[UInt8]?>([])

    init(_ inner: ResponseBody, finish: @escaping @Sendable ([UInt8]) -> Void) {
        self.inner = inner
        self.finish = finish
    }

    func next() async throws(NetworkError) -> [UInt8]? {
        guard let chunk = try await inner.next() else {
            let whole = bytes.withLock { bytes in
                defer { bytes = nil }
                return bytes
            }
            if let whole { finish(whole) }
            return nil
        }
        bytes.withLock { $0? += chunk }
        return chunk
    }

    func cancel() {
        bytes.withLock { $0 = nil }
        inner.cancel()
    }
}
