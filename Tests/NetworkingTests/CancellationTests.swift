import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct CancellationTests {
    private static let hanging: @Sendable (FaultConnection) -> Void = { connection in
        guard connection.request() != nil else { return }
        _ = connection.waitForClose()
    }

    @Test(
        "Cancelling the task soon ends a waiting request and closes its connection", arguments: TransportKind.allCases)
    func whileWaiting(kind: TransportKind) async throws {
        // The server's own thread sees the end, so that concurrent tests on Swift's threads don't delay it.
        let closed = Mutex<ContinuousClock.Instant?>(nil)
        let asked = Counter()
        let server = try FaultServer { connection in
            guard connection.request() != nil else { return }
            _ = asked.next()
            if connection.waitForClose() { closed.withLock { $0 = .now } }
        }
        let client = try kind.client()
        let request = try client.request(.get, server.url)
        let task = Task { await outcome { () async throws(NetworkError) in try await client.send(request) } }
        try await until { asked.value > 0 }
        let start = ContinuousClock.now
        task.cancel()
        let error = await task.value.failure
        #expect(error?.code == .cancelled)
        #expect(error?.attempts == 1)
        try await until { closed.withLock { $0 } != nil }
        let end = try #require(closed.withLock { $0 })
        #expect(end - start < .seconds(30), "not only at the idle timeout of a minute")
    }

    @Test("An already cancelled task sends nothing", arguments: TransportKind.allCases)
    func before(kind: TransportKind) async throws {
        let server = try FaultServer(answering: { _ in answer() })
        let client = try kind.client()
        let request = try client.request(.get, server.url)
        let error = await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await outcome { () async throws(NetworkError) in try await client.send(request) }.failure
        }.value
        #expect(error?.code == .cancelled)
        #expect(server.connectionCount == 0)
    }

    @Test(
        "A released or cancelled body closes its connection; reading on throws",
        arguments: TransportKind.allCases)
    func body(kind: TransportKind) async throws {
        let closed = Mutex(0)
        let server = try FaultServer { connection in
            guard connection.request() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello")
            if connection.waitForClose() { closed.withLock { $0 += 1 } }
        }
        let client = try kind.client()
        var response: StreamedResponse? = try await client.stream(client.request(.get, server.url))
        response?.body.cancel()
        let body = try #require(response?.body)
        let error = await #expect(throws: NetworkError.self) { try await body.next() }
        #expect(error?.code == .cancelled)
        response = try await client.stream(client.request(.get, server.url))
        response = nil
        try await until { closed.withLock { $0 } == 2 }
    }

    #if os(Linux)
        @Test("Random cancellations leave no request pending and no descriptor open")
        func storm() async {
            // In its own process, where no other code opens descriptors.
            await #expect(processExitsWith: .success) { try await CancellationTests.storm() }
        }

        private static func storm() async throws {
            let rounds = ProcessInfo.processInfo.environment["ASHLAR_SOAK"] == "1" ? 10_000 : 600
            let server = try FaultServer { connection in
                while let request = connection.request() {
                    let length = Int(request.target.dropFirst()) ?? 0
                    guard connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n") else { return }
                    guard connection.write([UInt8](repeating: 1, count: length)) else { return }
                }
            }
            let before = openDescriptors()
            var client: NetworkClient? = try TransportKind.curl.client()
            var random = SeededRandom(seed: 7)
            var outcomes: [String: Int] = [:]
            for _ in 0..<(rounds / 50) {
                let plans = (0..<50).map { _ in
                    (
                        length: [0, 100, 100_000, 3_000_000].randomElement(using: &random)!,
                        delay: Int.random(in: 0...30_000, using: &random)
                    )
                }
                let sender = try #require(client)
                let results = await withTaskGroup(of: String.self) { group in
                    for plan in plans {
                        let request = try? sender.request(.get, server.url + "/\(plan.length)")
                        group.addTask {
                            let task = Task {
                                await outcome { () async throws(NetworkError) in try await sender.send(request!) }
                            }
                            try? await Task.sleep(for: .microseconds(plan.delay))
                            task.cancel()
                            switch await task.value {
                            case .success(let response): return response.bytes.count == plan.length ? "whole" : "short"
                            case .failure(let error): return error.code == .cancelled ? "cancelled" : "\(error)"
                            }
                        }
                    }
                    return await group.reduce(into: [String]()) { $0.append($1) }
                }
                for result in results { outcomes[result, default: 0] += 1 }
            }
            #expect(outcomes.keys.allSatisfy { $0 == "whole" || $0 == "cancelled" }, "\(outcomes)")
            #expect(outcomes["cancelled", default: 0] > 0 && outcomes["whole", default: 0] > 0, "\(outcomes)")
            // The client still works and releases everything.
            let last = try await client?.send(client!.request(.get, server.url + "/10"))
            #expect(last?.bytes.count == 10)
            client = nil
            try await until { openDescriptors() <= before + 2 }
        }

        private static func openDescriptors() -> Int {
            (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
        }
    #endif
}
