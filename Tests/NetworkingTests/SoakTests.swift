#if os(Linux)
    import AshlarNetworking
    import Foundation
    import Glibc
    import Synchronization
    import Testing

    /// Hands out a number of turns to whoever asks.
    private final class Countdown: Sendable {
        private let left: Atomic<Int>
        init(_ count: Int) { left = Atomic(count) }
        func next() -> Bool { left.subtract(1, ordering: .relaxed).oldValue > 0 }
    }

    /// Many requests through one client: memory and descriptors stand still once it is warm.
    @Suite(.timeLimit(.minutes(10))) struct SoakTests {
        @Test("Very many requests leave no memory and no descriptor behind")
        func many() async {
            // In a process of its own, whose memory is the client's alone; the server is another process's.
            let server = try? FaultServer { connection in
                // Answers without parsing: every read is one request.
                let bytes = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Some: field\r\n\r\nok".utf8)
                connection.answerEveryRead(bytes)
            }
            guard let server else {
                Issue.record("no server")
                return
            }
            let isLong = ProcessInfo.processInfo.environment["ASHLAR_SOAK"] == "1"
            let count = isLong ? 1_000_000 : 6_000
            await #expect(processExitsWith: .success) {
                [port = server.port as Int, count = count as Int, isLong = isLong as Bool] in
                let client = try TransportKind.curl.client()
                let request = try client.request(.get, "http://127.0.0.1:\(port)/")
                // Warm: the allocator's arenas, the pooled handles and the runtime reach their size.
                #expect(await SoakTests.run(isLong ? 200_000 : 6_000, client, request) == 0)
                let before = SoakTests.memory()
                let descriptors = SoakTests.descriptors()
                #expect(await SoakTests.run(count, client, request) == 0)
                let growth = SoakTests.memory() - before
                if isLong { print("1,000,000 requests: \(growth) KiB more, \(descriptors) descriptors before") }
                // Sanitizers keep books of their own about what is used.
                let isSanitized = ["__tsan_init", "__asan_init"].contains { (name: String) in dlsym(nil, name) != nil }
                #expect(growth < (isSanitized ? 32 << 10 : 1024), "\(growth) KiB more than before")
                #expect(SoakTests.descriptors() == descriptors)
            }
        }

        /// Sends requests, eight at a time, and returns how many failed.
        private static func run(_ count: Int, _ client: NetworkClient, _ request: NetworkRequest) async -> Int {
            let (left, failures) = (Countdown(count), LockedCounter())
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        while left.next() {
                            if (try? await client.send(request))?.bytes.count != 2 { _ = failures.next() }
                        }
                    }
                }
            }
            return failures.value
        }

        /// The memory that is resident and the process's own, in KiB.
        private static func memory() -> Int {
            let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
            let line = text.split(separator: "\n").first { $0.hasPrefix("RssAnon") }
            return line?.split(separator: " ").compactMap { Int($0) }.first ?? -1
        }

        private static func descriptors() -> Int {
            (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? -1
        }
    }
#endif
