import AshlarTestSupport
import Testing

@testable import AshlarNetworking

/// The states of a server, by requests to it.
@Suite(.timeLimit(.minutes(5))) struct ReachabilityTests {
    /// Returns a transport that responds, or doesn't, in the order of a script, and then always.
    private func transport(_ script: [Bool]) -> StubTransport {
        let rest = Locked(script)
        return StubTransport { _ throws(NetworkError) in
            guard rest.withLock({ $0.isEmpty || $0.removeFirst() }) else {
                throw NetworkError(.notConnected, "the server is down", phase: .connect)
            }
            return .status(503)
        }
    }

    private func states(_ server: ServerReachability, _ count: Int) async -> [Bool] {
        var states: [Bool] = []
        for await state in server {
            states.append(state)
            if states.count == count { break }
        }
        return states
    }

    @Test("The first state and each change are returned, and failures make the pauses shorter")
    func changes() async throws {
        let transport = transport([true, true, false, false, false, true])
        var configuration = ClientConfiguration()
        configuration.authentication = .bearer("secret")
        configuration.signs = { $0.headers["X-Signature"] = "secret" }
        configuration.observers = [NetworkObserver { Issue.record("observed: \($0.kind)") }]
        let client = NetworkClient(configuration, transport: transport)
        let clock = ManualClock(advancesItself: true)
        let server = try client.reachability(of: "api.example.com", every: .seconds(30), clock: clock)
        #expect(await states(server, 3) == [true, false, true])
        #expect(clock.slept.map(\.seconds) == [30, 30, 1, 2, 4])
        #expect(transport.requests.count == 6)
        for request in transport.requests {
            #expect(request.method == .head && request.url.description == "https://api.example.com/")
            #expect(!request.headers.contains("Authorization") && !request.headers.contains("X-Signature"))
        }
    }

    @Test("The pauses of a server that can't be reached grow up to the interval")
    func longestPause() async throws {
        let clock = ManualClock(advancesItself: true)
        let client = NetworkClient(transport: transport(Array(repeating: false, count: 8)))
        let server = try client.reachability(of: "api.example.com", every: .seconds(10), clock: clock)
        #expect(await states(server, 2) == [false, true])
        #expect(clock.slept.map(\.seconds) == [1, 2, 4, 8, 10, 10, 10, 10])
    }

    @Test("The sequence ends if its task is cancelled during a pause")
    func cancellation() async throws {
        let clock = ManualClock()
        let client = NetworkClient(transport: transport([]))
        let server = try client.reachability(of: "api.example.com", every: .seconds(30), clock: clock)
        let task = Task {
            var states: [Bool] = []
            for await state in server { states.append(state) }
            return states
        }
        await clock.untilSomebodySleeps()
        task.cancel()
        #expect(await task.value == [true])
    }

    @Test("The selected host is asked, and an invalid host throws")
    func hosts() async throws {
        let transport = transport([])
        let client = NetworkClient(.init(), transport: transport) { name, _ in
            ResolvedHost(.init(scheme: "http", host: name == "api.example.com" ? "127.0.0.1:8080" : name))
        }
        let server = try client.reachability(of: "api.example.com", every: .seconds(1), clock: ManualClock())
        #expect(await states(server, 1) == [true])
        #expect(transport.requests.first?.url.description == "http://127.0.0.1:8080/")
        let error = #expect(throws: NetworkError.self) { _ = try client.reachability(of: "a b") }
        #expect(error?.code == .invalidURL)
    }
}
