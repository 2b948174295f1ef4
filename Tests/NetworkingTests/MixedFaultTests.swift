import AshlarNetworkingTestSupport
import AshlarTestSupport

#if os(Linux)
    import AshlarNetworking
    import Foundation
    import Glibc
    import Testing

    /// Faults of HTTP/1.1 and HTTP/2 beside healthy requests, in random order on one client.
    @Suite(
        .timeLimit(.minutes(180)), .enabled(if: TLSServer.hasHTTP2 && SecureNginx.isAvailable, "no HTTP/2 servers"),
        .enabled(if: TLSServer.offersHTTP2, "libcurl is older than 8.5"))
    struct MixedFaultTests {
        @Test("HTTP/1.1 and HTTP/2 faults harm no other request of a shared client")
        func mixed() async throws {
            let environment = ProcessInfo.processInfo.environment
            let count = environment["ASHLAR_SOAK"] == "1" ? 1_000_000 : 3000
            let seed = environment["ASHLAR_SEED"].flatMap { UInt64($0) } ?? .random(in: 0..<1_000_000)
            print("mixed faults: ASHLAR_SEED=\(seed)")
            setenv("SWIFT_BACKTRACE", "enable=no", 1)
            let (world, noisy) = (try FaultWorld(), try FaultWorld())
            let nginx = try await offPool { try [1000, 7].map { try SecureNginx(keepaliveRequests: $0) } }
            let servers = try await offPool { try (0..<3).map { _ in try TLSServer.http2() } }
            let urls = (nginx.map(\.url) + servers.map(\.url)).joined(separator: " ")
            await #expect(processExitsWith: .success) {
                [
                    places = world.places as FaultPlaces, noisy = noisy.places as FaultPlaces, urls = urls as String,
                    seed = seed as UInt64, count = count as Int
                ] in
                let client = try places.client(connectionsPerHost: 32)
                let traffic = MixedTraffic(
                    client: client, checker: FaultChecker(client: client, places: places),
                    elsewhere: FaultChecker(client: client, places: noisy),
                    urls: urls.split(separator: " ").map(String.init))
                let defects = await traffic.run(count, seed)
                #expect(defects.isEmpty, "\(defects.count): \(defects.prefix(20))")
                // A tenth of the requests goes to servers that end connections.
                #expect(traffic.lost.value <= count / 100, "\(traffic.lost.value) lost with a connection")
                for url in traffic.urls.dropFirst(2) {
                    // A POST that was processed twice would be listed.
                    let counts = try await client.send(client.request(.get, url + "/counts")).text()
                    let repeated = counts.split(separator: "\n").filter { $0.hasPrefix("POST") }
                    #expect(repeated.isEmpty, "processed twice: \(repeated.prefix(20))")
                }
            }
            withExtendedLifetime((world, noisy, nginx, servers)) {}
        }
    }

    /// The requests of ``MixedFaultTests``.
    private struct MixedTraffic: Sendable {
        let client: NetworkClient
        let checker: FaultChecker
        let elsewhere: FaultChecker
        /// nginx that closes connections after 1,000 requests, and after 7; own servers for all methods except POST, for
        /// POSTs that may be repeated, and for one POST at a time.
        let urls: [String]
        /// Requests that failed because the server of others ended their connection; libcurl doesn't repeat them.
        let lost = Counter()

        /// Sends requests, 48 at a time, and returns the defects.
        func run(_ count: Int, _ seed: UInt64) async -> [String] {
            let (started, defects) = (Counter(), Mutex<[String]>([]))
            await withTaskGroup(of: Void.self) { group in
                for lane in 0..<48 {
                    group.addTask {
                        var generator = SeededRandom(seed: seed &+ UInt64(lane))
                        while true {
                            let number = started.next()
                            guard number < count else { return }
                            if number % 50_000 == 0 {
                                print("\(number) requests, \(defects.withLock { $0.count }) defects")
                            }
                            let draw = Int.random(in: 0..<1000, using: &generator)
                            let length = Int.random(in: 0..<200, using: &generator)
                            let defect = lane == 0 ? await alone(number) : await request(number, draw, length)
                            if let defect { defects.withLock { $0.append(defect) } }
                        }
                    }
                }
            }
            return defects.withLock { $0 }
        }

        private func request(_ number: Int, _ draw: Int, _ length: Int) async -> String? {
            switch draw {
            case 0..<30:
                let fault = (draw * 200 + length) % Fault.all.count
                guard Fault.all[fault].isUnsolicited else { return await checker.fault(fault) }
                _ = await elsewhere.fault(fault)  // may get the bytes of another one
                return nil
            case 30..<200: return await checker.control(number)
            case 200..<230:
                let names = ["ok", "drop", "goaway", "leave", "refuse", "reset"]
                let method = [HTTPMethod.get, .put, .delete][length % 3]
                let path = "/\(names[draw % names.count])/\(number)"
                return await expect("\(method) \(path) ", method, urls[2] + path)
            case 230..<260:
                let path = "/\(["ok", "goaway", "leave"][draw % 3])/\(number)"
                let text = String(repeating: "b", count: length)
                return await expect("POST \(path) \(text)", .post, urls[3] + path, .text(text))
            default:
                let url = urls[draw < 500 ? 1 : 0] + "/echo?\(number)"
                guard draw % 2 == 0 else { return await expect("\(number) ", .get, url) }
                let text = String(repeating: "b", count: length)
                return await expect("\(number) \(length)", .post, url, .text(text))
            }
        }

        /// Sends POSTs one at a time, so that a connection ends only because of the own request.
        private func alone(_ number: Int) async -> String? {
            let name = ["ok", "refuse", "drop", "goaway", "reset"][number % 5]
            let path = "/\(name)/\(number)"
            guard name == "drop" || name == "reset" else {
                return await expect("POST \(path) c", .post, urls[4] + path, .text("c"))
            }
            let result = await send(.post, urls[4] + path, .text("c"))
            guard let error = result.failure, error.code == .connectionLost, error.requestState == .sent else {
                return "\(path): \(result)"
            }
            return nil
        }

        private func expect(
            _ expected: String, _ method: HTTPMethod, _ url: String, _ body: RequestBody = .empty
        ) async -> String? {
            let result = await send(method, url, body)
            if let error = result.failure, [.truncated, .connectionLost].contains(error.code),
                urls.dropFirst(2).contains(where: url.hasPrefix)
            {
                lost.next()
                return nil
            }
            guard case .success(let response) = result else { return "\(method) \(url): \(result)" }
            let found = String(decoding: response.bytes, as: UTF8.self)
            return found == expected && response.head.version == "2" ? nil : "\(method) \(url): \(found.prefix(100))"
        }

        private func send(
            _ method: HTTPMethod, _ url: String, _ body: RequestBody
        ) async -> Result<NetworkResponse, NetworkError> {
            await outcome { () async throws(NetworkError) in
                var request = try client.request(method, url, body: body)
                request.options.totalTimeout = .seconds(100)  // a hang
                return try await client.send(request)
            }
        }
    }
#endif
