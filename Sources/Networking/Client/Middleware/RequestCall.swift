internal import AshlarCore

import struct Synchronization.Atomic

/// The state of one call of a client: its number, deadline, attempts and observers.
final class RequestContext: Sendable {
    let request: NetworkRequest
    private let client: NetworkClient
    private let deadline: ContinuousClock.Instant?
    private let attempts = Atomic<Int>(0)
    private let id: UInt64

    private static let lastID = Atomic<UInt64>(0)

    private var observers: [any NetworkObserver] { client.configuration.observers }
    private var redaction: NetworkRedaction { client.configuration.redaction }

    init(_ request: NetworkRequest, _ client: NetworkClient) {
        self.request = request
        self.client = client
        deadline = request.options.totalTimeout.map { ContinuousClock.now + $0 }
        id = Self.lastID.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// Sets the total timeout of a hop to the rest of the call's.
    ///
    /// A timeout that is less than a millisecond too long remains, because a change would copy the request.
    ///
    /// - Throws: `.cancelled` or `.timedOut` if the hop must not start.
    func limitTime(of hop: inout NetworkRequest) throws(NetworkError) {
        if Task.isCancelled { throw NetworkError(.cancelled, "the task was cancelled", phase: .send) }
        guard let deadline else { return }
        // The first hop starts immediately, unless there is middleware.
        if client.chain.isEmpty, attempts.load(ordering: .relaxed) == 0 { return }
        let rest = deadline - ContinuousClock.now
        guard rest > .zero else { throw NetworkError(.timedOut, "the total timeout expired", phase: .send) }
        if let timeout = hop.options.totalTimeout, (rest...(rest + .milliseconds(1))).contains(timeout) { return }
        hop.options.totalTimeout = rest
    }

    // MARK: Events

    func began() { notify(.began) }

    func sent(_ hop: NetworkRequest) {
        attempts.wrappingAdd(1, ordering: .relaxed)
        notify(.sent, of: hop)
    }

    /// Returns the handlers for the details of the next hop.
    func hooks(of hop: NetworkRequest) -> ExchangeHooks {
        let attempt = attempts.load(ordering: .relaxed) + 1
        let listeners = observers.filter(\.observesExchanges)
        return ExchangeHooks { [self] head in
            notify(.interim, of: hop, to: listeners) { event in
                (event.attempt, event.status, event.headers) = (attempt, head.status, redaction.redact(head.headers))
            }
        } measured: { [self] metrics in
            notify(.measured, of: hop, to: listeners) { event in
                (event.attempt, event.metrics, event.timings) = (attempt, metrics, metrics.timings)
            }
        }
    }

    func received(_ response: StreamedResponse) {
        notify(.head) { event in
            event.status = response.status
            event.timings = response.timings
        }
    }

    func redirected(to url: HTTPURL, status: Int) {
        notify(.redirected) { event in
            event.status = status
            event.target = redaction.redact(url)
        }
    }

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
        response.body = ResponseBody(ObservedBodySource(response.body, context: self, status: response.status))
        return response
    }

    func report(_ event: MiddlewareEvent) {
        switch event {
        case .cached(let status): notify(.cached) { $0.status = status }
        case .retrying(let pause): notify(.retrying) { $0.pause = pause }
        }
    }

    private func notify(
        _ kind: NetworkEvent.Kind, of hop: NetworkRequest? = nil, to listeners: [any NetworkObserver]? = nil,
        _ fill: (inout NetworkEvent) -> Void = { _ in }
    ) {
        let observers = listeners ?? observers
        guard !observers.isEmpty else { return }
        var event = NetworkEvent(kind, id: id, time: .now, request: redaction.redact(hop ?? request))
        event.attempt = attempts.load(ordering: .relaxed)
        fill(&event)
        for observer in observers { observer.observe(event) }
    }
}

extension RequestContext: MiddlewareRun {
    func step(at index: Int) -> (any NetworkMiddleware)? { index < client.chain.count ? client.chain[index] : nil }

    nonisolated(nonsending) func send(_ request: NetworkRequest) async throws(NetworkError) -> StreamedResponse {
        try await client.hops(request, self)
    }

    func preview(_ request: NetworkRequest) throws(NetworkError) -> NetworkRequest { try client.preview(request) }

    func actualURL(of request: NetworkRequest) throws(NetworkError) -> HTTPURL { try client.actualURL(of: request) }

    func apart(
        _ request: NetworkRequest, from index: Int,
        _ operation: @Sendable (NetworkNext) async throws(NetworkError) -> Int
    ) async {
        let context = RequestContext(request, client)
        context.began()
        do throws(NetworkError) {
            let status = try await operation(NetworkNext(context, from: index))
            context.ended(received: 0, status: status)
        } catch {
            _ = context.ended(with: error)
        }
    }
}

/// Counts the bytes of a streamed body and reports its end once.
private final class ObservedBodySource: ResponseBodySource {
    private let body: ResponseBody
    private let context: RequestContext
    private let status: Int
    private let progress = Mutex<(received: Int, ended: Bool)>((0, false))

    init(_ body: ResponseBody, context: RequestContext, status: Int) {
        (self.body, self.context, self.status) = (body, context, status)
    }

    func next() async throws(NetworkError) -> [UInt8]? {
        do throws(NetworkError) {
            if let chunk = try await body.next() {
                progress.withLock { $0.received += chunk.count }
                return chunk
            }
        } catch {
            var error = error
            error.status = error.status ?? status
            throw end() == nil ? error : context.ended(with: error)
        }
        if let received = end() { context.ended(received: received, status: status) }
        return nil
    }

    func cancel() {
        body.cancel()
        if end() != nil {
            _ = context.ended(with: NetworkError(.cancelled, "the body was cancelled", phase: .receive))
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
