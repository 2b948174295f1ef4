internal import AshlarCore

import struct Synchronization.Atomic

/// One call of a client: its number, deadline and attempts, and its events for the observers.
final class RequestCall: Sendable {
    let request: NetworkRequest
    /// The client's format of JSON.
    let json: JSONFormat
    private let observers: [NetworkObserver]
    private let redaction: NetworkRedaction
    private let now: @Sendable () -> ContinuousClock.Instant
    private let deadline: ContinuousClock.Instant?
    private let attempts = Atomic<Int>(0)
    private let id: UInt64

    private static let lastID = Atomic<UInt64>(0)

    init(
        _ request: consuming NetworkRequest, json: JSONFormat, observers: [NetworkObserver],
        redaction: NetworkRedaction, now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.json = json
        self.observers = observers
        self.redaction = redaction
        self.now = now
        deadline = request.options.totalTimeout.map { now() + $0 }
        id = Self.lastID.wrappingAdd(1, ordering: .relaxed).newValue
        self.request = request
    }

    /// Returns a call with a number and a deadline of its own, for the same observers.
    func another(_ request: NetworkRequest) -> RequestCall {
        RequestCall(request, json: json, observers: observers, redaction: redaction, now: now)
    }

    /// The rest of the total timeout, or nil without one.
    var rest: Duration? { deadline.map { $0 - now() } }

    /// Sets the total timeout of a hop to the rest of the call's.
    ///
    /// - Throws: `.cancelled` or `.timedOut` if the hop must not start.
    func limitTime(of hop: inout NetworkRequest) throws(NetworkError) {
        if Task.isCancelled { throw NetworkError(.cancelled, "the task was cancelled", phase: .send) }
        guard let rest else { return }
        guard rest > .zero else { throw NetworkError(.timedOut, "the total timeout expired", phase: .send) }
        hop.options.totalTimeout = rest
    }

    // MARK: Events

    func began() { notify(.began) }

    func sent(_ hop: NetworkRequest) {
        attempts.wrappingAdd(1, ordering: .relaxed)
        notify(.sent, of: hop)
    }

    /// Returns the handler of the measurements of the next hop, or nil if no observer wants them.
    func measurementHandler(of hop: NetworkRequest) -> (@Sendable (ExchangeMetrics) -> Void)? {
        let listeners = observers.filter { $0.observesExchanges() }
        guard !listeners.isEmpty else { return nil }
        let attempt = attempts.load(ordering: .relaxed) + 1
        return { [self] metrics in
            notify(.measured, of: hop, to: listeners) { event in
                event.attempt = attempt
                event.metrics = metrics
            }
        }
    }

    func received(_ response: StreamedResponse) {
        notify(.head) { $0.status = response.status }
    }

    func redirected(to url: HTTPURL, status: Int) {
        notify(.redirected) { event in
            event.status = status
            event.target = redaction.redact(url)
        }
    }

    /// The cache answered with a status.
    func cached(status: Int) { notify(.cached) { $0.status = status } }

    /// The request will be sent again after a pause.
    func retrying(after pause: Duration) { notify(.retrying) { $0.pause = pause } }

    func ended(received: Int, status: Int) {
        notify(.ended) { event in
            event.received = received
            event.status = status
        }
    }

    /// Notifies the observers of the end and returns the error with the details of the request.
    func ended(with error: NetworkError) -> NetworkError {
        var error = error
        error.request = error.request ?? redaction.redact(request)
        error.headers = error.headers.map { redaction.redact($0) }
        error.attempts = max(error.attempts, attempts.load(ordering: .relaxed))
        if error.status != nil {
            error.requestState = .answered
        } else if error.attempts == 0 {
            error.requestState = .notSent
        }
        notify(.ended) { event in
            event.error = error
            event.status = error.status
        }
        return error
    }

    /// Returns the response with a body that notifies the observers of its end.
    func observing(_ response: StreamedResponse) -> StreamedResponse {
        var response = response
        response.body = ResponseBody(ObservedBodySource(response, call: self), format: json)
        return response
    }

    /// Returns an error with the details of the response.
    func describing(_ error: NetworkError, _ response: StreamedResponse) -> NetworkError {
        var error = error
        error.status = response.status
        error.headers = redaction.redact(response.headers)
        error.history = response.history.map { redaction.redact($0) }
        return error
    }

    private func notify(
        _ kind: NetworkEvent.Kind, of hop: NetworkRequest? = nil, to listeners: [NetworkObserver]? = nil,
        _ fill: (inout NetworkEvent) -> Void = { _ in }
    ) {
        let observers = listeners ?? observers
        guard !observers.isEmpty else { return }
        let shown = redaction.redact(hop ?? request)
        var event = NetworkEvent(kind, id: id, time: now(), request: shown)
        event.attempt = attempts.load(ordering: .relaxed)
        fill(&event)
        for observer in observers { observer.observe(event) }
    }
}

/// Counts the bytes of a streamed body and reports its end once.
private final class ObservedBodySource: ResponseBodySource {
    private let response: StreamedResponse
    private let call: RequestCall
    private let progress = Mutex<(received: Int, ended: Bool)>((0, false))

    init(_ response: StreamedResponse, call: RequestCall) {
        self.response = response
        self.call = call
    }

    func next() async throws(NetworkError) -> [UInt8]? {
        do throws(NetworkError) {
            if let chunk = try await response.body.next() {
                progress.withLock { $0.received += chunk.count }
                return chunk
            }
        } catch {
            let error = call.describing(error, response)
            throw end() == nil ? error : call.ended(with: error)
        }
        if let received = end() { call.ended(received: received, status: response.status) }
        return nil
    }

    func cancel() {
        response.body.cancel()
        if end() != nil {
            _ = call.ended(with: NetworkError(.cancelled, "the body was cancelled", phase: .receive))
        }
    }

    /// Returns the number of bytes received, on the first call only.
    private func end() -> Int? {
        progress.withLock { progress in
            defer { progress.ended = true }
            return progress.ended ? nil : progress.received
        }
    }
}
