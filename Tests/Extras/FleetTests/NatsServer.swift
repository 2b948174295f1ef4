import AshlarTestSupport
import Foundation
import Testing

/// A NATS server in a process of its own, with its store in a temporary folder.
final class NatsServer: Sendable {
    static let path: String? = ["/usr/sbin/nats-server", "/usr/bin/nats-server", "/usr/local/bin/nats-server"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// Whether the server and the client are installed.
    static let isAvailable = path != nil && dlopen("libnats.so.3.4", RTLD_NOW) != nil

    private let folder = TemporaryFolder()
    private let settings: String
    private let process = Locked<Int32>(0)
    /// -1 until the server has chosen its port, so that no other process can take it first.
    private let chosenPort = Locked(-1)

    /// The port, which remains the same after a restart.
    var port: Int { chosenPort.withLock { $0 } }

    var url: String { "nats://127.0.0.1:\(port)" }
    /// The folder of the server's files.
    var path: String { folder.path }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - settings: Further lines of the configuration file.
    ///   - store: The folder of the stored messages; nil for one in the server's own folder.
    ///   - hasJetStream: Whether the server stores messages; otherwise, tests can answer the requests for JetStream.
    /// - Throws: An error if the server can't be started.
    init(_ settings: String = "", store: String? = nil, hasJetStream: Bool = true) async throws {
        try folder.make()
        let store = store ?? folder.path + "/store"
        let jetStream = "jetstream { store_dir: \"\(store)\", max_file_store: 2GB, max_memory_store: 64MB }\n"
        self.settings = (hasJetStream ? jetStream : "") + settings
        try start()
        try await waitUntilReady()
        let start = try #require(log.range(of: "client connections on 127.0.0.1:"))
        let number = try #require(Int(log[start.upperBound...].prefix { $0.isNumber }))
        chosenPort.withLock { $0 = number }
    }

    deinit { kill() }

    /// Starts the server again with the same port and store.
    func start() throws {
        try folder.write(
            """
            listen: "127.0.0.1:\(port)"
            \(settings)
            """, to: "server.conf")
        let new = Process()
        new.executableURL = URL(fileURLWithPath: Self.path ?? "")
        new.arguments = ["-c", folder.file("server.conf"), "-l", folder.file("log")]
        new.standardError = FileHandle.nullDevice
        new.standardOutput = FileHandle.nullDevice
        try new.run()
        let number = new.processIdentifier
        process.withLock { $0 = number }
    }

    /// Waits until the server accepts connections.
    func waitUntilReady() async throws {
        try await until("the server is ready") { self.log.contains("Server is ready") }
    }

    private var log: String { (try? String(contentsOfFile: folder.file("log"), encoding: .utf8)) ?? "" }

    /// Kills the server.
    func kill() {
        let old = process.withLock { process in
            defer { process = 0 }
            return process
        }
        guard old > 0 else { return }
        Foundation.kill(old, SIGKILL)
        // Foundation reaps the process.
        for _ in 0..<5000 where Foundation.kill(old, 0) == 0 { usleep(1000) }
        try? FileManager.default.removeItem(atPath: folder.file("log"))
    }

    /// Kills the server and starts it again.
    func restart() async throws {
        kill()
        try start()
        try await waitUntilReady()
    }

    /// Stops the server without ending it, or lets it go on.
    func pause(_ isPaused: Bool) {
        let number = process.withLock { $0 }
        if number > 0 { Foundation.kill(number, isPaused ? SIGSTOP : SIGCONT) }
    }
}
