import AshlarNetworkingTestSupport
import AshlarTestSupport

#if os(Linux)
    import AshlarNetworking
    import Foundation
    import Glibc
    import Synchronization
    import Testing

    /// A number of iterations shared by tasks.
    private final class Countdown: Sendable {
        private let left: Atomic<Int>
        init(_ count: Int) { left = Atomic(count) }
        func next() -> Bool { left.subtract(1, ordering: .relaxed).oldValue > 0 }
    }

    /// Many requests with one client: memory and descriptors remain constant once it is warm.
    @Suite(.timeLimit(.minutes(60))) struct SoakTests {
        @Test("One fault in 20 leaves no wrong body, memory or descriptor behind")
        func faults() async throws {
            let server = try FaultServer { connection in
                while let request = connection.request() {
                    let number = request.target.dropFirst().split(separator: "/").last.flatMap { Int($0) } ?? 0
                    guard request.target.hasPrefix("/fault/") else {
                        guard connection.write(answer(body: request.target)) else { return }
                        continue
                    }
                    guard SoakTests.faults[number % SoakTests.faults.count].serve(connection) else { return }
                }
            }
            let isLong = ProcessInfo.processInfo.environment["ASHLAR_SOAK"] == "1"
            let count = isLong ? 1_000_000 : 10_000
            await #expect(processExitsWith: .success) {
                [url = server.url as String, count = count as Int, isLong = isLong as Bool] in
                let client = try TransportKind.curl.client()
                #expect(await SoakTests.runWithFaults(isLong ? 200_000 : 10_000, client, url) == 0)
                let (memory, descriptors) = (SoakTests.memory(), SoakTests.descriptors())
                #expect(await SoakTests.runWithFaults(count, client, url) == 0)
                let growth = SoakTests.memory() - memory
                if isLong { print("1,000,000 requests with faults: \(growth) KiB more") }
                let isSanitized = ["__tsan_init", "__asan_init"].contains { (name: String) in dlsym(nil, name) != nil }
                #expect(growth < (isSanitized ? 64 << 10 : 4096), "\(growth) KiB more than before")
                // The faults open and close connections.
                #expect(SoakTests.descriptors() <= descriptors + 8)
            }
        }

        /// Faults that end immediately; silent ones would only take time.
        private static let faults = Fault.all.filter { $0.isPlain && $0.codes != [.timedOut] && !$0.isUnsolicited }

        /// Sends requests, eight at a time, of which one in 20 is a fault; returns how many healthy ones failed.
        private static func runWithFaults(_ count: Int, _ client: NetworkClient, _ url: String) async -> Int {
            let (left, failures) = (Countdown(count), Counter())
            await withTaskGroup(of: Void.self) { group in
                for lane in 0..<8 {
                    group.addTask {
                        var number = lane
                        while left.next() {
                            number += 8
                            let path = (number - lane) / 8 % 20 == 0 ? "/fault/\(number / 160)" : "/\(number)"
                            let text = try? await client.send(client.request(.get, url + path)).text()
                            if !path.hasPrefix("/fault"), text != path { _ = failures.next() }
                        }
                    }
                }
            }
            return failures.value
        }

        @Test("Very many requests leave no memory and no descriptor behind")
        func many() async {
            // The client runs in its own process, so that the server's memory isn't measured.
            let server = try? FaultServer { connection in
                // Every read is one request.
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
                // Sanitizers allocate memory for their own records.
                let isSanitized = ["__tsan_init", "__asan_init"].contains { (name: String) in dlsym(nil, name) != nil }
                #expect(growth < (isSanitized ? 32 << 10 : 1024), "\(growth) KiB more than before")
                // A connection that the first requests didn't need may have been added.
                #expect(SoakTests.descriptors() <= descriptors + 8)
            }
        }

        /// Sends requests, eight at a time, and returns how many failed.
        private static func run(_ count: Int, _ client: NetworkClient, _ request: NetworkRequest) async -> Int {
            let (left, failures) = (Countdown(count), Counter())
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

        /// The resident anonymous memory of the process, in KiB.
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
