public import Foundation
import Synchronization

/// Sends requests through another transport and keeps what was asked and answered, for ``ReplayTransport``.
///
/// Secrets are replaced before anything is kept: fields, query parameters, form fields and JSON members that the
/// redaction hides, and user names and passwords in URLs. The caller still gets the answer as it came, in pieces as it
/// comes. An exchange is kept once its body was read to the end; one that fails or is given up is not kept.
///
/// ```swift
/// let recording = RecordingTransport(StubTransport(["GET /notes": .text("[]")]))
/// let client = NetworkClient(transport: recording)
/// _ = try await client.send(client.request(.get, "https://api.example.com/notes"))
/// try recording.archive.write(toFile: "notes.har")
/// ```
///
/// A request's body is held in memory, and so is a copy of each answer's.
public final class RecordingTransport: NetworkTransport {
    private let base: any NetworkTransport
    private let redaction: NetworkRedaction
    private let now: @Sendable () -> Date
    private let recorded = Recorded()

    /// The finished exchanges by the number of their request.
    private final class Recorded: Sendable {
        let entries = Mutex<(next: Int, finished: [Int: HAREntry])>((0, [:]))
    }

    /// Creates a transport that records.
    ///
    /// - Parameters:
    ///   - base: What carries requests out.
    ///   - redaction: The secrets that are replaced.
    ///   - now: The time of day, for the entries.
    public init(
        _ base: any NetworkTransport, redaction: NetworkRedaction = .standard,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        (self.base, self.redaction, self.now) = (base, redaction, now)
    }

    /// The exchanges that are finished, in the order of their requests.
    public var archive: HARArchive {
        let finished = recorded.entries.withLock { $0.finished }
        return HARArchive(finished.sorted { $0.key < $1.key }.map(\.value))
    }

    /// Sends a request and records it once the answer's body was read to the end.
    ///
    /// - Throws: What the other transport throws.
    public func send(_ request: NetworkRequest) async throws(NetworkError) -> StreamedResponse {
        var request = request
        let body = try await request.body.collected()
        if request.body.inMemory == nil { request.body = .bytes(body, contentType: request.body.contentType) }
        let number = recorded.entries.withLock { entries in
            defer { entries.next += 1 }
            return entries.next
        }
        let (started, clock) = (now(), ContinuousClock.now)
        let asked = try redacted(request, body)
        var response = try await base.send(request)
        let (head, inner, hidden, recorded) = (response.head, response.body, HARRedaction(redaction), recorded)
        let source = RecordingBodySource(inner) { bytes in
            let answer = HARResponse(
                status: head.status, headers: hidden.redact(head.headers),
                body: hidden.redact(body: bytes, type: head.headers["Content-Type"]))
            let entry = HAREntry(
                started: started, duration: ContinuousClock.now - clock, request: asked, response: answer)
            recorded.entries.withLock { $0.finished[number] = entry }
        }
        response.body = ResponseBody(source)
        return response
    }

    private func redacted(_ request: NetworkRequest, _ body: [UInt8]) throws(NetworkError) -> HARRequest {
        let hidden = HARRedaction(redaction)
        // Without user name, password and fragment, which are not sent either.
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

/// Hands a body on and keeps a copy of it.
private final class RecordingBodySource: ResponseBodySource {
    private let inner: ResponseBody
    private let finish: @Sendable ([UInt8]) -> Void
    /// What has come so far; nil once the end was seen or the body was given up.
    private let bytes = Mutex<[UInt8]?>([])

    init(_ inner: ResponseBody, finish: @escaping @Sendable ([UInt8]) -> Void) {
        (self.inner, self.finish) = (inner, finish)
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
