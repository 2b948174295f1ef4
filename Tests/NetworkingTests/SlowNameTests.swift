import AshlarNetworkingTestSupport
import AshlarTestSupport

#if os(Linux)
    @testable import AshlarNetworking
    import Foundation
    import Testing

    /// Names that the system resolves slowly.
    @Suite(.timeLimit(.minutes(5))) struct SlowNameTests {
        @Test(
            "A name that isn't resolved delays no other request, and its own request ends at its limit",
            .enabled(if: getuid() == 0, "only root can replace the name server"), arguments: [false, true])
        func delay(isOld: Bool) async throws {
            await #expect(processExitsWith: .success) { [isOld] in
                // From here to the first `await`, everything is on this thread and thus in its namespaces.
                typealias Unshare = @convention(c) (Int32) -> Int32
                let unshare = try #require(dlsym(nil, "unshare").map { unsafeBitCast($0, to: Unshare.self) })
                guard unshare(0x4002_0000) == 0 else { return }  // a container without the right
                let file = NSTemporaryDirectory() + "resolv-\(UUID()).conf"
                try Data("nameserver 127.0.0.1\n".utf8).write(to: URL(fileURLWithPath: file))
                defer { try? FileManager.default.removeItem(atPath: file) }
                let setup = "ip link set lo up && mount --make-rprivate / && mount --bind \(file) /etc/resolv.conf"
                guard system(setup) == 0 else { return }
                // A name server that never answers.
                let nameServer = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
                var address = sockaddr_in()
                address.sin_family = sa_family_t(AF_INET)
                address.sin_port = UInt16(53).bigEndian
                address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
                let isBound = withUnsafeBytes(of: &address) { bytes in
                    bind(
                        nameServer, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                        socklen_t(bytes.count))
                }
                try #require(isBound == 0)
                let server = try FaultServer(answering: { _ in answer(body: "here") })
                var library = try CurlLibrary.open("libcurl.so.4")
                if isOld { library.waitsForResolver = true }
                let client = NetworkClient(transport: try CurlTransport(TransportConfiguration(), library))

                let slow = (0..<4).map { number in
                    Task { () async -> (NetworkError.Code?, Duration) in
                        let start = ContinuousClock.now
                        let result = await outcome { () async throws(NetworkError) in
                            var request = try client.request(.get, "http://name\(number % 2).example/")
                            if number < 3 { request.options.connectTimeout = .milliseconds(300) }
                            return try await client.send(request)
                        }
                        return (result.failure?.code, ContinuousClock.now - start)
                    }
                }
                var longest = Duration.zero
                for number in 0..<20 {
                    let start = ContinuousClock.now
                    let text = try await client.send(client.request(.get, server.url)).text()
                    #expect(text == "here")
                    longest = max(longest, ContinuousClock.now - start)
                    if number == 10 { slow[3].cancel() }
                    try await Task.sleep(for: .milliseconds(50))
                }
                // A blocked request waits as long as the resolver, about ten seconds; a busy machine stalls for less.
                #expect(longest < .seconds(5))
                for (number, task) in slow.enumerated() {
                    let (code, time) = await task.value
                    #expect(code == (number == 3 ? .cancelled : .timedOut))
                    #expect(time < .seconds(5))
                }
            }
        }
    }
#endif
