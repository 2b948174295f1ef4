import Ashlar
import AshlarFleet
import BenchmarkHarness
import Dispatch
import Foundation
import Synchronization

#if NATS
    import CNatsPeer
#endif

/// Compares two buses that a server connects with two connections of the C client.
// On the main actor, because the rows block their thread.
@main
@MainActor
struct FleetBenchmarks {
    private static var server: Server?

    /// Ends the program and its server.
    fileprivate static func fail(_ problem: String) -> Never {
        server?.stop()
        print(problem)
        exit(1)
    }

    static func main() async throws {
        var suite = BenchmarkSuite("AshlarFleet")
        guard let server = try await Server() else { return print("nats-server isn't installed") }
        Self.server = server
        defer { server.stop() }
        try await eventRows(&suite, server)
        try await settingsRow(&suite, server)
        suite.finish()
    }

    /// Waits until a condition holds, at most 20 seconds.
    fileprivate static func until(_ what: String, _ isTrue: () async -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(20)
        while await !isTrue() {
            guard ContinuousClock.now < end else { throw BenchmarkFailure(description: "\(what) didn't happen") }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    /// A payload whose JSON has 100 bytes.
    private struct Reading: Codable, Sendable {
        var sensor = "kitchen-window"
        var number: Int
        var unit = "degrees Celsius"
        var note = "measured to the north"
    }

    private static func eventRows(_ suite: inout BenchmarkSuite, _ server: Server) async throws {
        let reading = Reading(number: 1_000_000)
        let batch: Int32 = 20_000
        let size = try JSONEncoder().encode(reading).count
        precondition(size == 100, "the payload has \(size) bytes")
        let flood = Topic<Reading>("bench:flood")
        let raw = Topic<[UInt8]>("bench:raw")
        let ping = Topic<Reading>("bench:ping")
        let pong = Topic<Reading>("bench:pong")
        var topics = FleetTopics()
        for topic in [flood, ping, pong] { topics.share(topic) }
        topics.shareBytes(raw)
        let ready = RequestTopic<Int, Int>("bench:ready")
        topics.share(ready)
        let (near, far) = (EventBus(), EventBus())
        var options = FleetOptions()
        options.maximumWaiting = 1 << 20
        let counter = Counter()
        let watches = [
            far.watch(flood) { _ in counter.add() }, far.watch(raw) { _ in counter.add() },
            far.watch(ping) { [weak far] in _ = far?.trigger(pong, $0.payload) },
            near.watch(pong) { _ in counter.add() },
        ]
        let fleets = [
            try await Fleet.connect(near, to: server.url, options: options, topics: topics),
            try await Fleet.connect(far, to: server.url, options: options, topics: topics),
        ]
        // The server knows the other subscriptions when it knows the last ones.
        let responder = try far.respond(to: ready) { $0 }
        try await until("the first response") { (try? await near.request(ready, 1)) == 1 }

        let bytes = [UInt8](repeating: 7, count: size)
        #if NATS
            precondition(cnats_start(server.url) == 0, "the C client can't connect")
            defer { cnats_stop() }
            let cFlood = Contender("C client") { n in
                for _ in 0..<n { precondition(cnats_flood(batch, Int32(size)) == batch) }
            }
            let cPing = Contender("C client") { n in precondition(cnats_ping(Int32(n), Int32(size)) == n) }
        #else
            let cFlood = Contender.missing("C client", because: "libnats-dev isn't installed")
            let cPing = cFlood
        #endif
        suite.row(
            "\(batch) events of 100 bytes from bus to bus", note: "Codable, JSON",
            ours: Contender("AshlarFleet") { n in
                for _ in 0..<n {
                    counter.expect(Int(batch))
                    for _ in 0..<batch { near.trigger(flood, reading) }
                    counter.wait()
                }
            }, against: [Peer(cFlood, .atLeast(0.25))])
        // What any Swift program adds to the C client for such payloads.
        suite.value(
            "\(batch) payloads of 100 bytes encoded and decoded by Foundation on one thread, without events", unit: "ms"
        ) {
            let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
            let start = ContinuousClock.now
            for _ in 0..<batch {
                guard let text = try? encoder.encode(reading), (try? decoder.decode(Reading.self, from: text)) != nil
                else { fail("a payload can't be encoded") }
            }
            return start.duration(to: .now) / .milliseconds(1)
        }
        suite.row(
            "\(batch) events of 100 bytes from bus to bus", note: "bytes",
            ours: Contender("AshlarFleet") { n in
                for _ in 0..<n {
                    counter.expect(Int(batch))
                    for _ in 0..<batch { near.trigger(raw, bytes) }
                    counter.wait()
                }
            }, against: [Peer(cFlood)])
        suite.row(
            "event there and back, latency", note: "Codable, JSON",
            ours: Contender("AshlarFleet") { n in
                for _ in 0..<n {
                    counter.expect(1)
                    near.trigger(ping, reading)
                    counter.wait()
                }
            }, against: [Peer(cPing, .atMost(1.4))])
        for watch in watches + [responder] { watch.cancel() }
        withExtendedLifetime((fleets, far)) {}
    }

    /// Measures the time from a change of the settings to the last of 100 watchers.
    private static func settingsRow(_ suite: inout BenchmarkSuite, _ server: Server) async throws {
        guard
            let folder = try? FileManager.default.url(
                for: .itemReplacementDirectory, in: .userDomainMask, appropriateFor: URL(fileURLWithPath: "/tmp"),
                create: true)
        else { return }
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("{}".utf8).write(to: folder.appendingPathComponent("ApplicationConfig.json"))
        var configuration = AshlarApp.Configuration(resources: folder.path, environments: [], log: nil)
        configuration.storage = .memory
        var apps: [(app: AshlarApp, fleet: Fleet)] = []
        for _ in 0..<100 {
            configuration.fleet = FleetSettings()
            let app = AshlarApp(configuration)
            apps.append((app, try await Fleet.connect(app, to: server.url)))
        }
        let counter = Counter()
        let watches = apps.map { pair in
            Task.detached {
                var last: Int?
                for await config in pair.app.config.changes() {
                    let value = config.int(forKey: "number")
                    if value != nil, value != last { counter.add() }
                    last = value
                }
            }
        }
        let fleet = apps[0].fleet
        // The first change waits for the watches to begin.
        counter.expect(100)
        try await fleet.set("number", to: -1)
        try await until("the first change") { counter.isDone }
        counter.wait()
        suite.value(
            "settings: a change reaches the last of 100 apps, 99th percentile of 300", unit: "ms", bar: .below(10)
        ) {
            var times: [Double] = []
            for number in 0..<300 {
                counter.expect(100)
                let start = ContinuousClock.now
                Task.detached { try await fleet.set("number", to: number) }
                counter.wait()
                times.append(start.duration(to: .now) / .milliseconds(1))
            }
            return times.sorted()[times.count * 99 / 100]
        }
        for watch in watches { watch.cancel() }
        withExtendedLifetime(apps) {}
    }
}

/// Counts events on any thread, and wakes a thread when all have arrived.
private final class Counter: Sendable {
    private let rest = Atomic(0)
    private let done = DispatchSemaphore(value: 0)

    var isDone: Bool { rest.load(ordering: .sequentiallyConsistent) == 0 }
    func expect(_ count: Int) { rest.store(count, ordering: .sequentiallyConsistent) }
    func add() { if rest.subtract(1, ordering: .sequentiallyConsistent).newValue == 0 { done.signal() } }

    /// Waits for the events; ends the program if they don't arrive, because its figures would be wrong.
    @MainActor
    func wait() {
        if done.wait(timeout: .now() + 20) == .success { return }
        FleetBenchmarks.fail("\(rest.load(ordering: .relaxed)) events are missing")
    }
}

private struct BenchmarkFailure: Error, CustomStringConvertible {
    let description: String
}

/// A server in a process of its own.
@MainActor
private final class Server {
    let url: String
    private let process = Process()
    private let folder: URL

    init?() async throws {
        let paths = ["/usr/sbin/nats-server", "/usr/bin/nats-server", "/opt/homebrew/bin/nats-server"]
        guard let program = paths.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else { return nil }
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("fleet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let port = Int.random(in: 20_000..<30_000)
        url = "nats://127.0.0.1:\(port)"
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["-a", "127.0.0.1", "-p", "\(port)", "-js", "-sd", folder.path, "-l", folder.path + "/log"]
        try process.run()
        let log = folder.appendingPathComponent("log")
        try await FleetBenchmarks.until("the server's start") {
            (try? String(contentsOf: log, encoding: .utf8))?.contains("is ready") == true
        }
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }
}
