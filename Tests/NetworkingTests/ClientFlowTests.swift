import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Foundation
import Testing

/// Middleware that answers, repeats and fails, and the events of observers with their order and times.
@Suite(.timeLimit(.minutes(5))) struct ClientFlowTests {
    private struct Step: NetworkMiddleware {
        let run: @Sendable (NetworkRequest, NetworkNext) async throws(NetworkError) -> StreamedResponse
        func intercept(
            _ request: NetworkRequest, next: NetworkNext
        ) async throws(NetworkError) -> StreamedResponse { try await run(request, next) }
    }

    private func client(
        _ transport: any NetworkTransport, _ log: Mutex<[NetworkEvent]>, _ steps: Step...
    ) -> NetworkClient {
        var configuration = ClientConfiguration()
        configuration.middleware = steps
        configuration.observers = [NetworkObserver { event in log.withLock { $0.append(event) } }]
        return NetworkClient(configuration, transport: transport)
    }

    @Test("A response from middleware is checked like any other, and nothing is sent")
    func shortCircuit() async throws {
        let stub = StubTransport { _ in .status(500) }
        let log = Mutex<[NetworkEvent]>([])
        let cached = Step { request, _ throws(NetworkError) in
            StreamedResponse(
                head: ResponseHead(status: request.url.path == "/bad" ? 418 : 200), body: ResponseBody([1]),
                url: request.url)
        }
        let client = client(stub, log, cached)
        #expect(try await client.send(client.request(.get, "http://h/")).bytes == [1])
        let error = await outcome { () async throws(NetworkError) in
            try await client.send(client.request(.get, "http://h/bad"))
        }.failure
        #expect(error?.status == 418 && error?.bodyPrefix == [1] && error?.attempts == 0)
        #expect(stub.requests.isEmpty)
        #expect(log.withLock { $0.map(\.kind) } == [.began, .ended, .began, .ended])
    }

    @Test("A repeat within one call appears in attempts and events; times never decrease, and numbers never repeat")
    func events() async throws {
        let answers = Counter()
        let stub = StubTransport { request in
            if request.url.path == "/on" { return .redirect(302, to: "/end?token=secret") }
            return answers.next() == 0 ? .status(503) : .text("ok")
        }
        let log = Mutex<[NetworkEvent]>([])
        let retry = Step { request, next throws(NetworkError) in
            let first = try await next(request)
            guard first.status == 503 else { return first }
            first.body.cancel()
            return try await next(request)
        }
        let client = client(stub, log, retry)
        for _ in 0..<2 {
            _ = try await client.send(client.request(.get, "http://h/on", headers: ["Authorization": "Bearer secret"]))
        }
        let events = log.withLock { $0 }
        let one = ["began 0", "sent 1", "head 1", "redirected 1", "sent 2", "head 2"]
        #expect(
            events.map { "\($0.kind) \($0.attempt)" }
                == one + ["sent 3", "head 3", "redirected 3", "sent 4", "head 4", "ended 4"] + one + ["ended 2"])
        #expect(zip(events, events.dropFirst()).allSatisfy { $0.time <= $1.time })
        #expect(Set(events.prefix(12).map(\.id)).count == 1 && Set(events.map(\.id)).count == 2)
        #expect(events[3].target == "http://h/end?token=<redacted>")
        for event in events { #expect(!"\(event)".contains("secret"), "\(event)") }
    }

    @Test("The call throws the error of a middleware, and observers receive it once, with the request")
    func throwing() async throws {
        let log = Mutex<[NetworkEvent]>([])
        let stub = StubTransport { _ in .text("x") }
        let failing = Step { request, next throws(NetworkError) in
            let response = try await next(request)
            response.body.cancel()
            throw NetworkError(NetworkError.Code(rawValue: "mine"), "no")
        }
        let client = client(stub, log, failing)
        let error = await outcome { () async throws(NetworkError) in
            try await client.send(client.request(.get, "http://h/"))
        }.failure
        #expect(error?.code.rawValue == "mine" && error?.attempts == 1 && error?.request?.url == "http://h/")
        #expect(log.withLock { $0.filter { $0.kind == .ended }.count } == 1)
        #expect(log.withLock { $0.last?.error?.code.rawValue } == "mine")
    }

    @Test(
        "A cancelled, finished or released stream ends once for the observers",
        arguments: ["cancel", "end", "release", "error"])
    func streams(how: String) async throws {
        let log = Mutex<[NetworkEvent]>([])
        let stub = StubTransport { _ in
            var answer = StubResponse(chunks: [[1], [2]])
            if how == "error" { answer.bodyFailure = NetworkError(.truncated) }
            return answer
        }
        let client = client(stub, log)
        var response: StreamedResponse? = try await client.stream(client.request(.get, "http://h/"))
        #expect(try await response?.body.next() == [1])
        switch how {
        case "cancel":
            response?.body.cancel()
            response?.body.cancel()
        case "end", "error": while (try? await response?.body.next()) != nil {}
        default: break
        }
        response = nil
        let ends = log.withLock { $0.filter { $0.kind == .ended } }
        #expect(ends.count == 1)
        #expect(ends.first?.error?.code == (how == "end" ? nil : how == "error" ? .truncated : .cancelled))
        if how == "end" { #expect(ends.first?.received == 2) }
    }

    @Test("Any set of statuses can be accepted; the default is 2xx", arguments: [199, 200, 299, 300, 404, 599])
    func statuses(status: Int) async throws {
        let client = NetworkClient(transport: StubTransport { _ in .status(status) })
        var request = try client.request(.get, "http://h/")
        func passes(_ request: NetworkRequest) async -> Bool {
            await outcome { () async throws(NetworkError) in try await client.send(request) }.failure == nil
        }
        #expect(await passes(request) == (200...299).contains(status))
        request.options.acceptedStatuses = [404, 199]
        #expect(await passes(request) == [404, 199].contains(status))
        request.options = RequestOptions()
        request.options.acceptedStatuses?.insert(404)
        #expect(await passes(request) == (status == 404 || (200...299).contains(status)))
        request.options.acceptedStatuses = nil
        #expect(await passes(request))
    }
}
