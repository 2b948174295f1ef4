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
        _ collector: Collector, batchLines: Int = 4, maximumBytes: Int = 64 << 20, startsAlone: Bool = false
    ) -> OTLPSink {
        OTLPSink(
            OTLPDelivery(
                resource: ["service.name": "notes", "replica": 3], interval: .seconds(7), batchLines: batchLines,
                maximumBytes: maximumBytes, send: { collector.receive($0) },
                sleep: { pause in
                    // Otherwise only full batches and the test itself end a pause.
                    if startsAlone { await collector.pause(pause) } else { try await Task.sleep(for: .seconds(3600)) }
                }, note: { collector.note($0) }))
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

    @Test("Lines are sent in batches, in order")
    func batches() async throws {
        let collector = Collector()
        let sink = sink(collector)
        Collector.log(0..<10, to: sink)
        await sink.send()
        Collector.log(10..<11, to: sink)
        await sink.send()
        await sink.send()
        #expect(try collector.messages.flatMap(\.self) == (0..<11).map { "line \($0)" })
        #expect(try collector.messages.map(\.count) == [4, 4, 2, 1])
        #expect(sink.lostLines == 0)
    }

    @Test("After a failure the same batch is sent again, and rejected lines are counted")
    func answers() async throws {
        let collector = Collector([.retry(after: nil), nil, .rejected(message: "status 400")])
        let sink = sink(collector)
        Collector.log(0..<6, to: sink)
        for _ in 0..<3 { await sink.send() }
        let first = (0..<4).map { "line \($0)" }
        #expect(try collector.messages == [first, first, first, ["line 4", "line 5"]])
        #expect(sink.lostLines == 4)
        #expect(
            collector.state.withLock { $0.notes } == ["4 lines lost: the collector rejects their request (status 400)"])
    }

    @Test("Waiting lines are bounded: those that don't fit are lost and counted, and a flush says so once")
    func bounded() async throws {
        let collector = Collector([nil, nil])
        let sink = sink(collector, maximumBytes: 20_000)
        Collector.log(0..<20, to: sink)
        await sink.send()
        Collector.log(20..<400, to: sink)
        await sink.send()
        Collector.log(400..<401, to: sink)
        await sink.send()
        // Two attempts failed with the oldest batch.
        let sent = try collector.messages.dropFirst(2).flatMap(\.self).compactMap { Int($0.dropFirst(5)) }
        #expect(sent.count + sink.lostLines == 401 && sent.count > 20)
        #expect(sent == Array(0..<sent.count))
        Collector.log(401..<402, to: sink)
        #expect(try await offPool { sink.flush(within: .seconds(60)) })
    }

    @Test("Lines that exceed the limit while a batch is sent are lost or sent, never both")
    func boundedWhileSending() async throws {
        let collector = Collector([nil])
        let box = Guarded<OTLPSink?>(nil)
        let sink = OTLPSink(
            OTLPDelivery(
                resource: [:], interval: .seconds(7), batchLines: 4, maximumBytes: 20_000,
                send: { body in
                    // More lines arrive during the first two requests.
                    if collector.state.withLock({ $0.bodies.count }) < 2, let sink = box.withLock({ $0 }) {
                        Collector.log(100..<200, to: sink)
                    }
                    return collector.receive(body)
                }, sleep: { _ in try await Task.sleep(for: .seconds(3600)) }, note: { collector.note($0) }))
        box.withLock { $0 = sink }
        Collector.log(0..<4, to: sink)
        for _ in 0..<3 { await sink.send() }
        box.withLock { $0 = nil }
        // The first attempt failed.
        let sent = try collector.messages.dropFirst().flatMap(\.self)
        #expect(sent.count + sink.lostLines == 204 && sink.lostLines > 0, "\(sent.count) sent, \(sink.lostLines) lost")
    }

    @Test("Each line is accepted, rejected or dropped once, in any order of calls", arguments: 0..<20)
    func model(index: Int) async throws {
        let seed = UInt64.random(in: 0 ... .max) &+ UInt64(index)
        var generator = SeededRandom(seed: seed)
        let choices: [OTLPCollector.Outcome] = [.retry(), .accepted(), .accepted(rejectedLines: 1), .rejected()]
        let outcomes = (0..<30).map { _ in choices.randomElement(using: &generator) ?? .retry() }
        let collector = Collector(outcomes)
        let sink = sink(
            collector, batchLines: .random(in: 1...5, using: &generator),
            maximumBytes: .random(in: 1024...20_000, using: &generator))
        var count = 0
        for _ in 0..<60 {
            let lines = Int.random(in: 0...12, using: &generator)
            Collector.log(count..<count + lines, to: sink)
            count += lines
            if Bool.random(using: &generator) { await sink.send() }
        }
        for _ in 0..<30 { await sink.send() }
        let (bodies, used) = (try collector.messages, outcomes + Array(repeating: .accepted(), count: 1000))
        var (accepted, rejected) = ([Int](), 0)
        for (messages, outcome) in zip(bodies, used) {
            switch outcome {
            case .rejected: rejected += messages.count
            case .accepted(let lines, _):
                rejected += lines
                accepted += messages.compactMap { Int($0.dropFirst(5)) }
            case .retry: break
            }
        }
        #expect(accepted == accepted.sorted() && Set(accepted).count == accepted.count, "seed \(seed)")
        // A partial success contains the lines that it rejects.
        let partial = zip(bodies, used).count { $0.1 == .accepted(rejectedLines: 1) }
        #expect(accepted.count - partial + sink.lostLines == count && sink.lostLines >= rejected, "seed \(seed)")
    }

    @Test(
        "The sink sends after its interval, waits longer after each failure, and is idle when all lines are sent",
        .timeLimit(.minutes(5)))
    func alone() async throws {
        let collector = Collector([nil, nil, .retry(after: .seconds(90)), nil])
        let sink = sink(collector, startsAlone: true)
        Collector.log(0..<1, to: sink)
        try await until { collector.state.withLock({ $0.bodies.count }) >= 5 }
        let pauses = collector.state.withLock { $0.pauses }
        #expect(pauses.count == 5 && pauses[0] == .seconds(7) && pauses[3] == .seconds(90), "\(pauses)")
        for (pause, longest) in [(pauses[1], 1.0), (pauses[2], 2), (pauses[4], 8)] {
            #expect(pause <= .seconds(longest) && pause >= .zero, "\(pauses)")
        }
        #expect(try collector.messages == Array(repeating: ["line 0"], count: 5))
    }

    @Test("In a request, a key has its innermost value, once, and no planted secret is readable")
    func onTheWire() async throws {
        let collector = Collector()
        let otlp = OTLPSink(
            OTLPDelivery(
                resource: ["service.name": "a", "api_key": PlantedSecrets.mark], interval: .zero, batchLines: 512,
                maximumBytes: 64 << 20, send: { collector.receive($0) }, sleep: { _ in },
                note: { collector.note($0) }))
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
        for secret in PlantedSecrets.distinct { #expect(!text.contains(secret), "\(secret)") }
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
