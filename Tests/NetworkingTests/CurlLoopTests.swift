import AshlarNetworkingTestSupport
import AshlarTestSupport

#if os(Linux)
    import Foundation
    import Glibc
    import Synchronization
    import Testing

    @testable import AshlarNetworking

    /// The loop behind `CurlTransport`: waiting for connections, and callers that block or compute.
    @Suite(.timeLimit(.minutes(5))) struct CurlLoopTests {
        @Test("Waiting for a free connection uses neither connect nor idle time")
        func queue() async throws {
            try await repeatingOnce(if: "a response is later than the idle timeout") { try await queueAttempt() }
        }

        /// Returns whether no response was late.
        private func queueAttempt() async throws -> Bool {
            let most = Mutex((now: 0, most: 0))
            let server = try FaultServer { connection in
                while connection.request() != nil {
                    most.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                    connection.pause(0.15)
                    most.withLock { $0.now -= 1 }
                    connection.write(answer(body: "ok"))
                }
            }
            var configuration = ClientConfiguration()
            configuration.transport.connectionsPerHost = 2
            configuration.options.connectTimeout = .milliseconds(900)
            configuration.options.idleTimeout = .milliseconds(900)
            let client = try TransportKind.curl.client(configuration)
            let results = await withTaskGroup(of: String.self) { group in
                for number in 0..<16 {
                    group.addTask {
                        let result = await outcome { () async throws(NetworkError) in
                            try await client.send(client.request(.get, server.url + "/\(number)")).text()
                        }
                        return (try? result.get()) ?? "\(result)"
                    }
                }
                return await group.reduce(into: [String]()) { $0.append($1) }
            }
            guard results == [String](repeating: "ok", count: 16) else { return false }
            #expect(most.withLock { $0.most } == 2)
            #expect(server.connectionCount == 2)
            return true
        }

        @Test("The total time also ends while a request waits for a free connection; the queue continues")
        func totalTimeInQueue() async throws {
            let (release, seen) = (DispatchSemaphore(value: 0), Recorder<String>())
            let server = try FaultServer { connection in
                while let request = connection.request() {
                    seen.note(request.target)
                    if request.target == "/hold" { _ = release.wait(timeout: .now() + 20) }
                    connection.write(answer(body: request.target))
                }
            }
            var configuration = ClientConfiguration()
            configuration.transport.connectionsPerHost = 1
            let client = try TransportKind.curl.client(configuration)
            async let held = client.send(client.request(.get, server.url + "/hold")).text()
            try await until { server.connectionCount == 1 }
            var request = try client.request(.get, server.url + "/late")
            request.options.totalTimeout = .milliseconds(120)
            let late = request
            let start = ContinuousClock.now
            let error = await outcome { () async throws(NetworkError) in try await client.send(late) }.failure
            #expect(error?.code == .timedOut)
            #expect(error?.phase == .connect)
            #expect(ContinuousClock.now - start > .milliseconds(115))
            let cancelled = Task { try await client.send(client.request(.get, server.url + "/cancelled")) }
            cancelled.cancel()
            await #expect(throws: NetworkError.self) { try await cancelled.value }
            async let next = client.send(client.request(.get, server.url + "/next")).text()
            release.signal()
            #expect(try await held == "/hold")
            #expect(try await next == "/next")
            #expect(server.connectionCount == 1)
            #expect(seen.items == ["/hold", "/next"])
        }

        @Test("Waiting requests receive a connection in order")
        func order() async throws {
            let seen = Recorder<String>()
            let server = try FaultServer(answering: { request in
                seen.note(request.target)
                return answer(body: "ok")
            })
            var configuration = ClientConfiguration()
            configuration.transport.connectionsPerHost = 1
            let client = try TransportKind.curl.client(configuration)
            // The tasks start one after another, each until it waits.
            let executor = QueueExecutor()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<50 {
                    group.addTask(executorPreference: executor) {
                        _ = try await client.send(client.request(.get, server.url + "/\(number)"))
                    }
                }
                try await group.waitForAll()
            }
            #expect(seen.items == (0..<50).map { "/\($0)" })
        }

        @Test("All hosts share the total limit of connections, and waiting uses no idle time")
        func connectionsInAll() async throws {
            let most = Mutex((now: 0, most: 0))
            let (asked, gate) = (Counter(), DispatchSemaphore(value: 0))
            let servers = try (0..<6).map { _ in
                try FaultServer { connection in
                    while let request = connection.request() {
                        most.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                        _ = asked.next()
                        if request.target == "/held" { _ = gate.wait(timeout: .now() + 60) }
                        most.withLock { $0.now -= 1 }
                        connection.write(answer(body: "ok"))
                    }
                }
            }
            var configuration = ClientConfiguration()
            configuration.transport.connections = 3
            let client = try TransportKind.curl.client(configuration)
            let good = try await withThrowingTaskGroup(of: Bool.self) { group in
                func send(_ server: FaultServer, _ path: String, idle: Duration) throws {
                    var request = try client.request(.get, server.url + path)
                    request.options.idleTimeout = idle
                    let sent = request
                    group.addTask { (try? await client.send(sent).text()) == "ok" }
                }
                for server in servers[..<3] { try send(server, "/held", idle: .seconds(60)) }
                try await until { asked.value == 3 }
                // The machine may stall for some seconds.
                for server in servers { try send(server, "/", idle: .seconds(4)) }
                // Longer than the idle time of the waiting requests, which must not have started.
                try await Task.sleep(for: .seconds(5))
                #expect(asked.value == 3)
                for _ in 0..<3 { gate.signal() }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(good == 9)
            #expect(most.withLock { $0.most } <= 3)
        }

        @Test("A caller that blocks after a response delays no other request")
        func stuckCaller() async throws {
            let server = try FaultServer(answering: { answer(body: $0.target) })
            let client = try TransportKind.curl.client()
            let request = try client.request(.get, server.url + "/a")
            for _ in 0..<20 { _ = try await client.send(request) }
            // Blocks the resuming thread until another request of the same transport has ended.
            for _ in 0..<3 {
                let gate = DispatchSemaphore(value: 0)
                let stuck = Task.detached {
                    let text = try await client.send(request).text()
                    let passed = Self.wait(gate)
                    return (text, passed)
                }
                let other = try await client.send(client.request(.get, server.url + "/b")).text()
                #expect(other == "/b")
                for _ in 0..<50 { _ = try await client.send(request) }
                gate.signal()
                let (text, passed) = try await stuck.value
                #expect(text == "/a")
                #expect(passed, "the caller was never let go")
            }
        }

        private static func wait(_ gate: DispatchSemaphore) -> Bool { gate.wait(timeout: .now() + 20) == .success }

        @Test(
            "Callers with long computations run in parallel",
            .enabled(if: ProcessInfo.processInfo.activeProcessorCount > 1, "the machine has one processor"))
        func longCallers() async throws {
            let server = try FaultServer(answering: { answer(body: $0.target) })
            let client = try TransportKind.curl.client()
            let request = try client.request(.get, server.url + "/a")
            _ = try await client.send(request)
            // Both must run at the same time, which isn't possible on one thread.
            let met = Counter()
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        _ = try await client.send(request)
                        _ = met.next()
                        let limit = ContinuousClock.now + .seconds(20)
                        while met.value < 2, ContinuousClock.now < limit {}
                        return met.value == 2
                    }
                }
                for try await both in group { #expect(both) }
            }
        }

        @Test("An idle transport uses no processor time")
        func rest() async throws {
            let server = try FaultServer { connection in
                guard connection.request() != nil else { return }
                connection.write(answer(body: "first"))
                guard connection.request() != nil else { return }
                connection.pause(1)
                connection.write(answer(body: "second"))
            }
            await #expect(processExitsWith: .success) { [port = server.port as Int] in
                let client = try TransportKind.curl.client()
                let request = try client.request(.get, "http://127.0.0.1:\(port)/")
                #expect(try await client.send(request).text() == "first")
                let start = CurlLoopTests.processorTime()
                #expect(try await client.send(request).text() == "second")
                // A polling thread would use the whole second.
                #expect(CurlLoopTests.processorTime() - start < 0.4)
            }
        }

        @Test("The clock of the loop never goes backwards")
        func clock() {
            let times = (0..<10_000).map { _ in CurlLoop.clock() }
            #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 } && times.first != times.last)
        }

        private static func processorTime() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
        }

        @Test("Fields after a chunked body are accepted up to the limit of a head")
        func trailers() async throws {
            let body = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n"
            let client = try TransportKind.curl.client()
            let short = try FaultServer(raw: body + "X-Sum: 1\r\nX-More: 2\r\n\r\n")
            #expect(try await client.send(client.request(.get, short.url)).text() == "hi")
            let long = try FaultServer(raw: body + String(repeating: "X-Sum: 1234567890\r\n", count: 5000) + "\r\n")
            let request = try client.request(.get, long.url)
            let error = await outcome { () async throws(NetworkError) in try await client.send(request) }.failure
            #expect(error?.code == .badResponse)
        }
    }

    /// Runs jobs one at a time, in order of arrival.
    final class QueueExecutor: TaskExecutor {
        private let queue = DispatchQueue(label: "one at a time")

        func enqueue(_ job: consuming ExecutorJob) {
            let (job, executor) = (UnownedJob(job), asUnownedTaskExecutor())
            queue.async { job.runSynchronously(on: executor) }
        }
    }
#endif
