import AshlarLogging
import AshlarNetworking
import AshlarTestSupport
import Foundation
import Synchronization
import Testing

@testable import AshlarTelemetry

/// Requests of an ``OTLPSink``, with a collector and pauses that the test controls.
@Suite struct OTLPSinkTests {
    private func sink(
        _ collector: Collector, folder: String? = nil, limits: OTLPBacklog.Limits = .init(batchLines: 4),
        startsAlone: Bool = false
    ) -> OTLPSink {
        OTLPSink(
            resource: ["service.name": "notes", "replica": 3], threshold: .verbose, interval: .seconds(7),
            limits: limits, folder: folder.map { OTLPSpillFolder($0) }, send: { collector.receive($0) },
            sleep: { pause in
                // Otherwise the test sends by itself.
                guard startsAlone else { throw Collector.NoTask() }
                try await collector.pause(pause)
            }, note: { collector.note($0) })
    }

    @Test("A request has the resource and the records of a batch, by OTLP's names and types")
    func body() async throws {
        let collector = Collector()
        let sink = sink(collector)
        Collector.log(0..<1, to: sink)
        await sink.send()
        let bodies = collector.state.withLock { $0.bodies }
        #expect(bodies.count == 1)
        #expect(
            String(decoding: try #require(bodies.first), as: UTF8.self) == """
                {"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"notes"}},\
                {"key":"replica","value":{"intValue":"3"}}]},"scopeLogs":[{"scope":{"name":"AshlarLogging"},\
                "logRecords":[{"timeUnixNano":"1700000000000000001","severityNumber":17,"severityText":"ERROR",\
                "body":{"stringValue":"line 0"},"attributes":[\
                {"key":"code.file.path","value":{"stringValue":"A/B.swift"}},\
                {"key":"code.function.name","value":{"stringValue":"f()"}},\
                {"key":"code.line.number","value":{"intValue":"3"}},{"key":"thread.id","value":{"intValue":"9"}},\
                {"key":"log.context","value":{"stringValue":"net"}},\
                {"key":"k","value":{"arrayValue":{"values":[{"intValue":"1"},{"boolValue":true}]}}}]}]}]}]}
                """)
    }

    @Test("Lines are sent in batches, in order", arguments: [nil, "spill"])
    func batches(name: String?) async throws {
        let folder = TemporaryFolder()
        let collector = Collector()
        let sink = sink(collector, folder: name.map { "\(folder.path)/\($0)" })
        Collector.log(0..<10, to: sink)
        await sink.send()
        Collector.log(10..<11, to: sink)
        await sink.send()
        await sink.send()
        #expect(try collector.messages == [Array(0..<4), Array(4..<8), [8, 9], [10]].map { $0.map { "line \($0)" } })
        #expect(sink.lostLines == 0)
    }

    @Test("After a failure the same batch is sent again, and rejected lines are counted", arguments: [nil, "spill"])
    func answers(name: String?) async throws {
        let folder = TemporaryFolder()
        let collector = Collector([.retry(after: nil), nil, .rejected(message: "status 400")])
        let sink = sink(collector, folder: name.map { "\(folder.path)/\($0)" })
        Collector.log(0..<6, to: sink)
        for _ in 0..<3 { await sink.send() }
        let first = (0..<4).map { "line \($0)" }
        #expect(try collector.messages == [first, first, first, ["line 4", "line 5"]])
        #expect(sink.lostLines == 4)
        #expect(
            collector.state.withLock { $0.notes } == ["4 lines lost: the collector rejects their request (status 400)"])
        #expect(name == nil || TemporaryFolderNames.of(folder, name).isEmpty)
    }

    @Test("The next process sends the lines that this one couldn't send")
    func restart() async throws {
        let folder = TemporaryFolder()
        do {
            let sink = sink(Collector([nil]), folder: folder.path)
            Collector.log(0..<6, to: sink)
            await sink.send()
            Collector.log(6..<7, to: sink)
            sink.flush()
        }
        try await folder.waitForSinks()
        #expect(folder.batches.count == 3, "\(folder.batches)")
        // Other files and files with damaged names aren't changed.
        for other in ["otlp-x-1.json", "otlp-1.json", "notes.txt"] {
            try Data("mine".utf8).write(to: URL(fileURLWithPath: "\(folder.path)/\(other)"))
        }
        let collector = Collector()
        let sink = sink(collector, folder: folder.path)
        Collector.log(7..<8, to: sink)
        await sink.send()
        #expect(try collector.messages.flatMap(\.self) == (0..<8).map { "line \($0)" })
        #expect(folder.batches == ["notes.txt", "otlp-1.json", "otlp-x-1.json"])
    }

    @Test("Waiting lines are bounded: the oldest are lost and counted", arguments: [nil, "spill"])
    func bounded(name: String?) async throws {
        let folder = TemporaryFolder()
        let collector = Collector([nil, nil])
        let sink = sink(
            collector, folder: name.map { "\(folder.path)/\($0)" },
            limits: .init(batchLines: 4, memoryBytes: 20_000, diskBytes: 20_000))
        Collector.log(0..<20, to: sink)
        await sink.send()
        Collector.log(20..<400, to: sink)
        await sink.send()
        Collector.log(400..<401, to: sink)
        await sink.send()
        // Two attempts failed with the batch that was the oldest then.
        let sent = try collector.messages.dropFirst(2).flatMap(\.self)
        #expect(sent.last == "line 400" && sent.count + sink.lostLines == 401 && sent.count > 20)
        // Memory and the folder have limits of their own, so the oldest lines of each are lost.
        let numbers = sent.compactMap { Int($0.dropFirst(5)) }
        #expect(numbers == numbers.sorted() && (name != nil || numbers.first == 401 - sent.count))
    }

    @Test("Lines that exceed the limit while a batch is sent are lost or sent, never both", arguments: [nil, "spill"])
    func boundedWhileSending(name: String?) async throws {
        let folder = TemporaryFolder()
        let path = name.map { "\(folder.path)/\($0)" }
        let collector = Collector([nil])
        let box = Guarded<OTLPSink?>(nil)
        let sink = OTLPSink(
            resource: [:], threshold: .verbose, interval: .seconds(7),
            limits: .init(batchLines: 4, memoryBytes: 20_000, diskBytes: 20_000),
            folder: path.map { OTLPSpillFolder($0) },
            send: { body in
                // More lines arrive during the first two requests.
                if collector.state.withLock({ $0.bodies.count }) < 2, let sink = box.withLock({ $0 }) {
                    Collector.log(100..<200, to: sink)
                }
                return collector.receive(body)
            }, sleep: { _ in throw Collector.NoTask() }, note: { collector.note($0) })
        box.withLock { $0 = sink }
        Collector.log(0..<4, to: sink)
        await sink.send()
        await sink.send()
        // The last lines may be a batch that isn't full.
        await sink.send()
        box.withLock { $0 = nil }
        // The first attempt failed.
        let sent = try collector.messages.dropFirst().flatMap(\.self)
        #expect(sent.count + sink.lostLines == 204 && sink.lostLines > 0, "\(sent.count) sent, \(sink.lostLines) lost")
    }

    @Test(
        "The sink sends after its interval, waits longer after each failure, and is idle when all lines are sent",
        .timeLimit(.minutes(5)))
    func alone() async throws {
        let collector = Collector([nil, nil, .retry(after: .seconds(90)), nil])
        let sink = sink(collector, startsAlone: true)
        Collector.log(0..<2, to: sink)
        try await until { collector.state.withLock({ $0.bodies.count }) >= 5 }
        let pauses = collector.state.withLock { $0.pauses }
        #expect(pauses.count == 5 && pauses[0] == .seconds(7) && pauses[3] == .seconds(90), "\(pauses)")
        for (pause, longest) in [(pauses[1], 1.0), (pauses[2], 2), (pauses[4], 8)] {
            #expect(pause <= .seconds(longest) && pause >= .zero, "\(pauses)")
        }
        #expect(try collector.messages == Array(repeating: ["line 0", "line 1"], count: 5))
        collector.end()
    }

    @Test("In a request, a key has its innermost value, once, and no planted secret is readable")
    func onTheWire() async throws {
        let collector = Collector()
        let otlp = OTLPSink(
            resource: ["service.name": "a", "api_key": PlantedSecrets.mark], threshold: .verbose, interval: .zero,
            limits: .init(), folder: nil, send: { collector.receive($0) }, sleep: { _ in }, note: { collector.note($0) }
        )
        let system = TestSystem {
            $0.sinks = [otlp]
            $0.fieldProvider = { ["k": "provider"] }
        }
        LogSystem.withFields(["k": "outer", "trace_id": "x"]) {
            system.log().with(["k": "with"]).info("one", ["k": "call", "k": "last", "log.context": "own"])
        }
        for planted in PlantedSecrets.all { system.log().logRaw(.info, planted.text, fields: ["field": planted.text]) }
        await otlp.send()
        let bodies = collector.state.withLock { $0.bodies }
        let text = bodies.map { String(decoding: $0, as: UTF8.self) }.joined()
        #expect(text.contains(#"{"key":"k","value":{"stringValue":"last"}}"#))
        for secret in Set(PlantedSecrets.all.map(\.secret)) { #expect(!text.contains(secret), "\(secret)") }
        let first = try #require(JSONSerialization.jsonObject(with: Data(bodies[0])) as? [String: Any])
        #expect(Self.repeatedKeys(in: first) == [])
    }

    /// The keys that are repeated in a list of attributes of a request.
    private static func repeatedKeys(in value: Any) -> [String] {
        if let object = value as? [String: Any] { return object.values.flatMap { repeatedKeys(in: $0) } }
        guard let list = value as? [Any] else { return [] }
        let keys = list.compactMap { ($0 as? [String: Any])?["key"] as? String }
        let repeated = Dictionary(grouping: keys) { $0 }.filter { $0.value.count > 1 }.map(\.key)
        return repeated + list.flatMap { repeatedKeys(in: $0) }
    }

    @Test(
        "HTTP statuses are interpreted by OTLP's rules",
        arguments: [
            (200, "accepted"), (204, "accepted"), (400, "rejected"), (401, "rejected"), (404, "rejected"),
            (429, "retry"), (500, "rejected"), (502, "retry"), (503, "retry"), (504, "retry"), (301, "rejected"),
        ])
    func statuses(status: Int, meaning: String) {
        #expect("\(OTLPCollector.Outcome(status: status))".hasPrefix(meaning))
        #expect(OTLPCollector.Outcome(status: 503, retryAfter: .seconds(3)) == .retry(after: .seconds(3)))
    }
}

/// Bursts, flushes and partial successes.
@Suite(.timeLimit(.minutes(2))) struct OTLPLossTests {
    private func sink(
        _ collector: Collector, folder: TemporaryFolder? = nil, limits: OTLPBacklog.Limits = .init(),
        interval: Duration = .milliseconds(50)
    ) -> OTLPSink {
        OTLPSink(
            resource: [:], threshold: .verbose, interval: interval, limits: limits,
            folder: folder.map { OTLPSpillFolder($0.path) }, send: { collector.receive($0) },
            sleep: { try await Task.sleep(for: $0) }, note: { collector.note($0) })
    }

    @Test(
        "With the default limits, a burst of 100,000 lines arrives completely and in few requests",
        arguments: [false, true])
    func burst(hasFolder: Bool) async throws {
        let folder = TemporaryFolder()
        let collector = Collector()
        // On a slow machine, shorter intervals would end while the lines are logged.
        let sink = sink(collector, folder: hasFolder ? folder : nil, interval: .seconds(1000))
        let count = 100_000
        try await offPool { Collector.log(0..<count, to: sink) }
        #expect(try await offPool { sink.flush(within: .seconds(600)) })
        await sink.send()
        let messages = try collector.messages
        let isComplete = messages.flatMap(\.self) == (0..<count).map { "line \($0)" }
        #expect(isComplete)
        #expect(messages.count < count / 512 + 20 && sink.lostLines == 0)
        #expect(folder.batches == [])
    }

    @Test("A full batch is sent without waiting for the interval; the rest waits for it")
    func full() async throws {
        let collector = Collector()
        let sink = sink(collector, limits: .init(batchLines: 10), interval: .seconds(1000))
        Collector.log(0..<25, to: sink)
        try await until { try collector.messages.count == 2 }
        Collector.log(25..<31, to: sink)
        try await until { try collector.messages.count == 3 }
        #expect(try collector.messages.map(\.count) == [10, 10, 10])
        await sink.send()
        #expect(try collector.messages.flatMap(\.self) == (0..<31).map { "line \($0)" })
    }

    @Test("A flush without a folder sends what was accepted before it, and is false if the collector can't be reached")
    func flush() async throws {
        let collector = Collector([nil])
        let sink = sink(collector, interval: .seconds(1000))
        Collector.log(0..<3, to: sink)
        #expect(try await offPool { sink.flush(within: .seconds(60)) } == false)
        #expect(try collector.messages.count == 1 && sink.lostLines == 0)
        Collector.log(3..<5, to: sink)
        #expect(try await offPool { sink.flush(within: .seconds(60)) })
        #expect(try collector.messages.dropFirst().flatMap(\.self) == (0..<5).map { "line \($0)" })
        #expect(try await offPool { sink.flush(within: .seconds(60)) })
        #expect(try collector.messages.count <= 3)
    }

    @Test("An outage loses no line while the folder has room, and small batches are sent together")
    func outage() async throws {
        let folder = TemporaryFolder()
        let isOnline = Guarded(false)
        let collector = Collector()
        let limits = OTLPBacklog.Limits(batchLines: 100)
        let sink = OTLPSink(
            resource: [:], threshold: .verbose, interval: .milliseconds(1), limits: limits,
            folder: OTLPSpillFolder(folder.path),
            send: { isOnline.withLock { $0 } ? collector.receive($0) : .retry() },
            sleep: { try await Task.sleep(for: min($0, .milliseconds(20))) }, note: { collector.note($0) })
        for part in 0..<130 {
            Collector.log(part * 100..<part * 100 + 100, to: sink)
            if part % 10 == 0 { sink.flush() }
            if part % 50 == 0 { try await Task.sleep(for: .milliseconds(5)) }
        }
        for index in 13_000..<13_040 {
            Collector.log(index..<index + 1, to: sink)
            sink.flush()
        }
        isOnline.withLock { $0 = true }
        await sink.send()
        let messages = try collector.messages
        let isComplete = messages.flatMap(\.self).map { Int($0.dropFirst(5)) } == Array(0..<13_040)
        #expect(isComplete)
        #expect(messages.count < 200 && sink.lostLines == 0 && folder.batches == [], "\(messages.count)")
    }

    @Test("Lines beyond the limits are counted by the process and noted in the log")
    func counted() async throws {
        let before = LogSystem.counters.dropped
        let collector = Collector([nil])
        let sink = sink(collector, limits: .init(batchLines: 4, memoryBytes: 10_000), interval: .seconds(1000))
        Collector.log(0..<1, to: sink)
        await sink.send()
        Collector.log(1..<200, to: sink)
        let lost = sink.lostLines
        #expect(lost > 100 && LogSystem.counters.dropped - before >= lost)
        await sink.send()
        #expect(
            collector.state.withLock { $0.notes } == [
                "\(lost) lines lost: more lines wait for the collector than the limits of its sink allow"
            ])
        #expect(try collector.messages.dropFirst().flatMap(\.self).count == 200 - lost)
    }

    @Test(
        "The report of a loss isn't sent: a collector that rejects every request would cause one report after another")
    func ownReports() async throws {
        let collector = Collector(Array(repeating: .rejected(message: "status 401"), count: 9))
        let log = Guarded<Log?>(nil)
        let sink = OTLPSink(
            resource: [:], threshold: .verbose, interval: .seconds(1000), limits: .init(), folder: nil,
            send: { collector.receive($0) }, sleep: { try await Task.sleep(for: $0) },
            note: { text in log.withLock { $0 }?.warning(text) })
        let system = TestSystem { $0.sinks = [sink] }
        log.withLock { $0 = system.log(OTLPSink.ownContext) }
        system.log().info("one")
        for _ in 0..<3 { await sink.send() }
        #expect(try collector.messages == [["one"]])
        let text = try #require(PriorRun.all(in: system.folder.path).first).log
        #expect(text.hasSuffix("AshlarTelemetry - 1 line lost: the collector rejects their request (status 401)\n"))
    }

    @Test(
        "Rejected records of a partial success are counted, and its message is noted",
        arguments: [
            (
                #"{"partialSuccess":{"rejectedLogRecords":"2","errorMessage":"too old"}}"#, 2,
                ["2 lines lost: the collector rejects them (too old)"]
            ),
            (#"{"partialSuccess":{"rejectedLogRecords":1}}"#, 1, ["1 line lost: the collector rejects them"]),
            (#"{"partialSuccess":{"rejectedLogRecords":"99"}}"#, 3, ["3 lines lost: the collector rejects them"]),
            (#"{"partialSuccess":{"errorMessage":"slow down"}}"#, 0, ["the collector warns: slow down"]),
            (#"{"partialSuccess":{}}"#, 0, []), ("{}", 0, []), ("", 0, []), ("OK", 0, []),
            (#"{"partialSuccess":{"rejectedLogRecords":"-4"}}"#, 0, []), (#"{"partialSuccess":[1]}"#, 0, []),
        ] as [(String, Int, [String])])
    func partialSuccess(body: String, lost: Int, notes: [String]) async throws {
        let collector = Collector([OTLPCollector.Outcome(status: 200, body: Array(body.utf8))])
        let sink = sink(collector, interval: .seconds(1000))
        Collector.log(0..<3, to: sink)
        await sink.send()
        #expect(sink.lostLines == lost)
        #expect(collector.state.withLock { $0.notes } == notes)
    }
}

/// Requests through the package's client.
@Suite struct OTLPRequestTests {
    @Test("A request is a POST of JSON with the given fields; 503 with Retry-After is sent again, 400 isn't")
    func requests() async throws {
        let statuses = Mutex([503, 200, 400])
        let transport = StubTransport { _ throws(NetworkError) in
            let status = statuses.withLock { $0.removeFirst() }
            return .status(status, headers: status == 503 ? ["Retry-After": "7"] : [:])
        }
        let collector = OTLPCollector(
            url: try HTTPURL("http://collector.example.com:4318/v1/logs"), headers: ["Api-Key": "k"],
            client: NetworkClient(transport: transport))
        #expect(await collector.send([1]) == .retry(after: .seconds(7)))
        #expect(await collector.send([2]) == .accepted())
        #expect(await collector.send([3]) == .rejected(message: "status 400"))
        let request = try #require(transport.requests.first)
        #expect(request.method == .post && request.url.description == "http://collector.example.com:4318/v1/logs")
        #expect(request.headers["Content-Type"] == "application/json" && request.headers["Api-Key"] == "k")
    }

    @Test("A collector that can't be reached is tried again; the public sink sends through its client")
    func offline() async throws {
        let isOnline = Mutex(false)
        let transport = StubTransport { _ throws(NetworkError) in
            guard isOnline.withLock({ $0 }) else { throw NetworkError(.timedOut) }
            return .status(200)
        }
        let sink = OTLPSink(
            to: try HTTPURL("http://localhost:4318/v1/logs"), client: NetworkClient(transport: transport),
            interval: .seconds(1000))
        Collector.log(0..<2, to: sink)
        await sink.send()
        #expect(sink.lostLines == 0 && transport.requests.count == 1)
        isOnline.withLock { $0 = true }
        await sink.send()
        await sink.send()
        #expect(sink.lostLines == 0 && transport.requests.count == 2)
    }
}

private enum TemporaryFolderNames {
    /// The names in a folder, except those of locks.
    static func of(_ folder: TemporaryFolder, _ name: String?) -> [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/\(name ?? "")")
        return (names ?? []).filter { !$0.hasSuffix(".lock") }
    }
}
