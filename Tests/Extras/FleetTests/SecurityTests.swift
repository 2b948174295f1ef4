import AshlarCore
import AshlarEventBus
import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarFleet

/// Certificates made by openssl.
private final class Certificates: Sendable {
    static let isAvailable = FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")

    let folder = TemporaryFolder()

    /// Creates a root, and certificates for 127.0.0.1, for another host, and one that has expired.
    init() throws {
        try folder.make()
        try openssl(
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.pem -days 3 -subj /CN=root"
        )
        try sign("server", "IP:127.0.0.1", "-days 3")
        try sign("client", "DNS:kiosk", "-days 3")
        try sign("other", "DNS:other.example", "-days 3")
        // Signed for a day that has passed.
        try sign("expired", "IP:127.0.0.1", "-days -1")
    }

    private func sign(_ name: String, _ host: String, _ validity: String) throws {
        try folder.write("subjectAltName=\(host)\n", to: "\(name).ext")
        try openssl(
            "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout \(name).key -out \(name).csr -subj /CN=\(name)"
        )
        try openssl(
            "x509 -req -in \(name).csr -CA ca.pem -CAkey ca.key -CAcreateserial -out \(name).pem "
                + "\(validity) -extfile \(name).ext")
    }

    private func openssl(_ arguments: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = arguments.split(separator: " ").map(String.init)
        process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
    }
}

@Suite(
    "TLS, identities and full disks", .serialized,
    .enabled(
        if: NatsServer.isAvailable && Certificates.isAvailable, "nats-server, libnats3.4 and openssl are not installed"),
    .timeLimit(.minutes(5)))
struct SecurityTests {
    private var options: FleetOptions {
        var options = FleetOptions()
        options.reconnectPause = .milliseconds(50)
        options.timeout = .seconds(2)
        return options
    }

    private func server(_ certificates: Certificates, _ name: String, verifies: Bool = false) async throws -> NatsServer
    {
        let path = certificates.folder.path
        return try await NatsServer(
            """
            tls { cert_file: "\(path)/\(name).pem", key_file: "\(path)/\(name).key", ca_file: "\(path)/ca.pem",
                  verify: \(verifies) }
            """)
    }

    /// Returns the reason for which a fleet isn't connected; nil if it is.
    private func failure(_ server: NatsServer, _ options: FleetOptions, scheme: String = "tls") async throws -> String?
    {
        let url = "\(scheme)://127.0.0.1:\(server.port)"
        let fleet = try await Fleet.connect(EventBus(), to: url, options: options)
        defer { withExtendedLifetime(fleet) {} }
        switch fleet.state {
        case .connected: return nil
        case .reconnecting(let reason), .closed(let reason): return reason
        }
    }

    @Test("A connection with TLS verifies the server's certificate: its root, its host and its dates")
    func certificates() async throws {
        let certificates = try Certificates()
        var trusting = options
        trusting.tls = FleetTLS(trustRoots: certificates.folder.path + "/ca.pem")
        let good = try await server(certificates, "server")
        #expect(try await failure(good, trusting) == nil)
        #expect(try await failure(good, options) != nil, "the root isn't one of the system")
        #expect(try await failure(good, options, scheme: "nats") != nil, "the server requires TLS")
        let expired = try await server(certificates, "expired")
        #expect(try await failure(expired, trusting) != nil, "the certificate has expired")
        let other = try await server(certificates, "other")
        #expect(try await failure(other, trusting) != nil, "the certificate is for another host")
        trusting.tls?.hostName = "other.example"
        #expect(try await failure(other, trusting) == nil)
        let plain = try await NatsServer()
        #expect(try await failure(plain, trusting) != nil, "a server without TLS isn't used")
    }

    @Test("A server that requires a client certificate accepts the right one only")
    func clientCertificate() async throws {
        let certificates = try Certificates()
        let server = try await server(certificates, "server", verifies: true)
        var trusting = options
        trusting.tls = FleetTLS(trustRoots: certificates.folder.path + "/ca.pem")
        #expect(try await failure(server, trusting) != nil)
        trusting.tls?.certificate = certificates.folder.path + "/client.pem"
        trusting.tls?.privateKey = certificates.folder.path + "/client.key"
        #expect(try await failure(server, trusting) == nil)
        trusting.tls?.privateKey = certificates.folder.path + "/missing.key"
        await #expect(throws: FleetError.self) { _ = try await failure(server, trusting) }
    }

    @Test("A process whose attempts to connect with TLS fail ends in order after it has closed the fleet")
    func exitDuringAttempt() async throws {
        let server = try await server(Certificates(), "server")
        let greeting = "INFO {\"proto\": 1, \"headers\": true, \"tls_required\": true, \"max_payload\": 1000}\r\n"
        let listener = try GarbageListener(greeting, closes: false)
        for number in 0..<(isSoak ? 400 : 40) {
            let port = number % 8 == 0 ? listener.port : server.port
            let child = try TestChild("AshlarFleetTestChild", ["leave", "tls://127.0.0.1:\(port)", "\(number % 40)"])
            #expect(try child.run() == "closed\n")
            #expect(child.process.terminationReason == .exit && child.process.terminationStatus == 0)
        }
    }

    @Test("A missing file of credentials is an error at once")
    func missingCredentials() async throws {
        let server = try await NatsServer()
        var options = options
        options.credentials = .file("/nonexistent/kiosk.creds")
        await #expect {
            _ = try await failure(server, options, scheme: "nats")
        } throws: { error in
            (error as? FleetError)?.code == .invalidOptions
        }
        let token = try await NatsServer(#"authorization { token: "t0p" }"#)
        options.credentials = .token("t0p")
        #expect(try await failure(token, options, scheme: "nats") == nil)
        options.credentials = .token("wrong")
        #expect(try await failure(token, options, scheme: "nats") != nil)
    }

    @Test("Events and subscriptions that the server rejects are counted")
    func permissions() async throws {
        let server = try await NatsServer(
            #"""
            authorization { users: [
                { user: w, password: p, permissions: { publish: { deny: "app.note.*" }, subscribe: { deny: "app.job.*" } } }
            ] }
            """#)
        let (note, job) = (Topic<Int>("note:saved"), Topic<Int>("job:new"))
        var topics = FleetTopics()
        topics.share(note)
        topics.share(job)
        var options = options
        options.credentials = .user("w", password: "p")
        let bus = EventBus()
        let fleet = try await Fleet.connect(bus, to: server.url, options: options, topics: topics)
        bus.trigger(note, 1)
        try await until("the event is rejected") { fleet.counters.rejected == 1 }
        let watch = bus.watch(job) { _ in }
        try await until("the subscription is rejected") { fleet.counters.rejected == 2 }
        #expect(fleet.state.isConnected)
        watch.cancel()
        await fleet.close()
    }

    @Test(
        "Events wait while the disk of the server is full, and are stored when there is room",
        .enabled(if: TemporaryDisk.isAvailable, "no file system can be mounted"))
    func fullDisk() async throws {
        let disk = try TemporaryDisk(megabytes: 32)
        let server = try await NatsServer(store: disk.path)
        let topic = Topic<[UInt8]>("data:added")
        var topics = FleetTopics()
        topics.shareBytes(topic, .atLeastOnce)
        let buses = [EventBus(), EventBus()]
        var reading = options
        reading.role = "reader"
        var sending = options
        sending.role = "sender"
        let sender = try Fleet(buses[0], server.url, sending, topics)
        defer { withExtendedLifetime(sender) {} }
        let seen = Recorder<UInt8>()
        let watch = buses[1].watch(topic) { seen.note($0.payload[0]) }
        let receiver = try Fleet(buses[1], server.url, reading, topics)
        defer { withExtendedLifetime(receiver) {} }
        try await until { receiver.state.isConnected && sender.state.isConnected }
        await buses[0].send(topic, [0])
        try disk.fill()
        for number in 1...40 { buses[0].trigger(topic, [UInt8(number)] + [UInt8](repeating: 7, count: 500_000)) }
        try await until("the disk is full") { disk.free < 600_000 }
        #expect(seen.items.count < 41, "the server confirms nothing that it can't store")
        let error = await #expect(throws: FleetError.self) {
            try await within(.seconds(60)) { try await sender.flush() }
        }
        // Some versions of the server don't respond to the events that they can't store.
        #expect(error?.code == .rejected || error?.code == .timedOut, "\(String(describing: error))")
        try disk.removeBallast()
        try await server.restart()
        try await until("all events arrive") { Set(seen.items).count == 41 }
        watch.cancel()
    }
}

/// A small file system in memory, which a test can fill.
private final class TemporaryDisk: Sendable {
    static let isAvailable = (try? TemporaryDisk(megabytes: 1)) != nil

    private let folder = TemporaryFolder()
    var path: String { folder.path }

    init(megabytes: Int) throws {
        try folder.make()
        guard Self.run("mount", "-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", folder.path) == 0 else {
            throw CocoaError(.fileWriteUnknown)
        }
    }

    deinit { _ = Self.run("umount", "-l", folder.path) }

    /// Uses all but 4 MB of the space.
    func fill() throws {
        try Data(count: max(0, free - (4 << 20))).write(to: URL(fileURLWithPath: path + "/ballast"))
    }

    /// The free space in bytes.
    var free: Int {
        let values = try? FileManager.default.attributesOfFileSystem(forPath: path)
        return (values?[.systemFreeSize] as? NSNumber)?.intValue ?? 0
    }

    func removeBallast() throws { try FileManager.default.removeItem(atPath: path + "/ballast") }

    private static func run(_ arguments: String...) -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return -1 }
        process.waitUntilExit()
        return process.terminationStatus
    }
}
