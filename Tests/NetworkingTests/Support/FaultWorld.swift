import AshlarNetworkingTestSupport

#if os(Linux)
    import AshlarNetworking
    import AshlarTestSupport
    import Foundation
    import Glibc

    /// The servers of all faults.
    final class FaultWorld: Sendable {
        let places: FaultPlaces
        private let servers: [FaultServer]

        /// Starts the servers; `running` is the number of faults, of this and other worlds, that still send bytes.
        init(_ running: Mutex<Int> = Mutex(0)) throws {
            let plain = try makeFaultServer(running)
            var places = FaultPlaces(url: plain.url)
            var servers = [plain]
            for (number, fault) in Fault.all.enumerated() {
                guard case .port = fault.access else { continue }
                let server = try FaultServer { _ = fault.serve($0) }
                places.ports[number] = server.port
                servers.append(server)
            }
            let proxy = try FaultServer { connection in
                guard let head = connection.head(), let number = FaultPlaces.number(ofTunnel: head) else { return }
                _ = Fault.all[number].serve(connection)
            }
            places.proxy = proxy.port
            (self.places, self.servers) = (places, servers + [proxy])
        }
    }

    /// The addresses of a world's servers, passed to the process of the client.
    struct FaultPlaces: Codable, Sendable {
        let url: String
        fileprivate(set) var ports: [Int: Int] = [:]
        fileprivate(set) var proxy = 0

        /// A proxy without a server: nothing listens on the port.
        private static let deadProxy = "http://127.0.0.1:1"

        /// Returns a client that trusts the test CA and uses the proxies.
        func client(connectionsPerHost: Int? = nil) throws -> NetworkClient {
            setenv("https_proxy", "http://127.0.0.1:\(proxy)", 1)
            setenv("http_proxy", Self.deadProxy, 1)
            setenv("no_proxy", "127.0.0.1", 1)
            var configuration = ClientConfiguration()
            configuration.transport.usesEnvironmentProxies = true
            configuration.transport.trustRoots = TLSServer.path("ca.pem")
            if let connectionsPerHost { configuration.transport.connectionsPerHost = connectionsPerHost }
            return try TransportKind.curl.client(configuration)
        }

        /// The URL that requests a fault.
        func url(of number: Int) -> String {
            let fault = Fault.all[number]
            return switch fault.access {
            case .path: url + "/fault/\(number)"
            case .port: "https://127.0.0.1:\(ports[number] ?? 0)\(fault.target)"
            case .tunnel(let host): "https://\(host):\(Self.firstTunnelPort + number)/"
            case .deadProxy: "http://fault.test/"
            }
        }

        /// A tunnel's port is the number of its fault; nothing else distinguishes two tunnels to `localhost`.
        private static let firstTunnelPort = 10_000

        fileprivate static func number(ofTunnel head: String) -> Int? {
            let target = head.split(separator: " ").dropFirst().first
            return target?.split(separator: ":").last.flatMap { Int($0) }.map { $0 - firstTunnelPort }
        }
    }

    /// A server that performs faults by number and answers control requests with their target.
    ///
    /// `/settled` is answered when all faults of servers with the same count have sent their bytes.
    private func makeFaultServer(_ running: Mutex<Int>) throws -> FaultServer {
        try FaultServer { connection in
            while let request = connection.request() {
                if request.target == "/settled" {
                    while running.withLock({ $0 }) > 0 { connection.pause(0.001) }
                }
                let number = request.target.split(separator: "/").last.flatMap { Int($0) }
                if request.target.hasPrefix("/fault/"), let number {
                    let isUnsolicited = Fault.all[number].isUnsolicited
                    if isUnsolicited { running.withLock { $0 += 1 } }
                    let goesOn = Fault.all[number].serve(connection)
                    if isUnsolicited { running.withLock { $0 -= 1 } }
                    guard goesOn else { return }
                    continue
                }
                connection.write(answer(200, ["X-Control: yes"], body: request.target))
            }
        }
    }

    /// Requests faults and control responses with a client and records what differs from the expectation.
    struct FaultChecker: Sendable {
        let client: NetworkClient
        let places: FaultPlaces

        /// Requests a fault; returns the defect of the outcome, or nil.
        func fault(_ number: Int) async -> String? {
            let fault = Fault.all[number]
            let result = await outcome { () async throws(NetworkError) in
                var request = try client.request(.get, places.url(of: number))
                let isSilent = fault.codes == [.timedOut]
                request.options.idleTimeout = isSilent ? .milliseconds(100) : .seconds(20)
                if isSilent, !fault.isPlain { request.options.connectTimeout = .milliseconds(100) }
                return try await client.send(request)
            }
            switch result {
            case .success(let response):
                let text = String(decoding: response.bytes, as: UTF8.self)
                return text == fault.body ? nil : "\(fault.name): succeeded with \(text.prefix(40).debugDescription)"
            case .failure(let error):
                return fault.codes.contains(error.code) ? nil : "\(fault.name): \(error)"
            }
        }

        /// Waits until a fault on another server has sent all its bytes.
        func settle() async { _ = try? await client.send(client.request(.get, places.url + "/settled")) }

        /// Sends a healthy request; returns the defect of the response, or nil.
        func control(_ number: Int) async -> String? {
            let result = await outcome { () async throws(NetworkError) in
                try await client.send(client.request(.get, places.url + "/control/\(number)")).text()
            }
            if case .success("/control/\(number)") = result { return nil }
            return "control request: \(result)"
        }
    }
#endif
