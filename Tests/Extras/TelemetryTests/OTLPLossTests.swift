import AshlarLogging
import AshlarNetworking
import AshlarTestSupport
import Foundation
import Synchronization
import Testing

@testable import AshlarTelemetry

/// Bursts, flushes and partial successes.
@Suite(.timeLimit(.minutes(2))) struct OTLPLossTests {
    private func sink(
        _ collector: Collector, batchLines: Int = 512, maximumBytes: Int = 64 << 20,
        note: @escaping OTLPDelivery.Note
    ) -> OTLPSink {
        OTLPSink(
            OTLPDelivery(
                resource: [:], interval: .seconds(1000), batchLines: batchLines, maximumBytes: maximumBytes,
                send: { collector.receive($0) }, sleep: { try await Task.sleep(for: $0) }, note: note))
    }

    private func sink(_ collector: Collector, batchLines: Int = 512, maximumBytes: Int = 64 << 20) -> OTLPSink {
        sink(collector, batchLines: batchLines, maximumBytes: maximumBytes) { collector.note($0) }
    }

    @Test("With the default limits, a burst of 100,000 lines arrives completely and in few requests")
    func burst() async throws {
        let collector = Collector()
        let sink = sink(collector)
        let count = 100_000
        try await offPool { Collector.log(0..<count, to: sink) }
        #expect(try await offPool { sink.flush(within: .seconds(600)) })
        let messages = try collector.messages
        let isComplete = messages.flatMap(\.self) == (0..<count).map { "line \($0)" }
        #expect(isComplete)
        #expect(messages.count < count / 512 + 20 && sink.lostLines == 0)
    }

    @Test("With a small limit, calls wait for room while the collector responds, and no line is lost")
    func smallLimit() async throws {
        let collector = Collector()
        // The wait is longer than usual, so that a busy machine loses nothing either.
        let sink = OTLPSink(
            OTLPDelivery(
                resource: [:], interval: .seconds(1000), batchLines: 100, maximumBytes: 64 << 10,
                longestWait: .seconds(60), send: { collector.receive($0) }, sleep: { try await Task.sleep(for: $0) },
                note: { collector.note($0) }))
        try await offPool { Collector.log(0..<1000, to: sink) }
        #expect(try await offPool { sink.flush(within: .seconds(600)) })
        #expect(try collector.messages.flatMap(\.self) == (0..<1000).map { "line \($0)" })
        #expect(sink.lostLines == 0)
    }

    @Test("Lines beyond the limit of a collector that doesn't respond make the next flush false")
    func lossesInFlush() async throws {
        let collector = Collector([nil])
        let sink = sink(collector, maximumBytes: 4096)
        Collector.log(0..<1, to: sink)
        #expect(try await offPool { sink.flush(within: .seconds(60)) } == false)
        Collector.log(1..<2000, to: sink)
        let lost = sink.lostLines
        #expect(lost > 1000)
        #expect(try await offPool { sink.flush(within: .seconds(60)) } == false)
        #expect(try await offPool { sink.flush(within: .seconds(60)) })
        #expect(try collector.messages.dropFirst().flatMap(\.self).count == 2000 - lost)
        let notes = collector.state.withLock { $0.notes }
        #expect(
            notes == [
                "\(lost) lines lost: more lines wait for the collector than the limit of its sink allows"
            ])
    }

    @Test("A full batch is sent without waiting for the interval; the rest waits for it")
    func full() async throws {
        let collector = Collector()
        let sink = sink(collector, batchLines: 10)
        Collector.log(0..<25, to: sink)
        try await until { try collector.messages.count == 2 }
        Collector.log(25..<31, to: sink)
        try await until { try collector.messages.count == 3 }
        #expect(try collector.messages.map(\.count) == [10, 10, 10])
        await sink.send()
        #expect(try collector.messages.flatMap(\.self) == (0..<31).map { "line \($0)" })
    }

    @Test("A flush sends what was accepted before it, and is false if the collector can't be reached")
    func flush() async throws {
        let collector = Collector([nil])
        let sink = sink(collector)
        Collector.log(0..<3, to: sink)
        #expect(try await offPool { sink.flush(within: .seconds(60)) } == false)
        #expect(try collector.messages.count == 1 && sink.lostLines == 0)
        Collector.log(3..<5, to: sink)
        #expect(try await offPool { sink.flush(within: .seconds(60)) })
        #expect(try collector.messages.dropFirst().flatMap(\.self) == (0..<5).map { "line \($0)" })
        #expect(try await offPool { sink.flush(within: .seconds(60)) })
        #expect(try collector.messages.count <= 3)
    }

    @Test("Lines beyond the limit are counted by the process and noted in the log")
    func counted() async throws {
        let before = LogSystem.counters.lost
        let collector = Collector([nil])
        let sink = sink(collector, batchLines: 4, maximumBytes: 10_000)
        Collector.log(0..<1, to: sink)
        await sink.send()
        Collector.log(1..<200, to: sink)
        let lost = sink.lostLines
        #expect(lost > 100 && LogSystem.counters.lost - before >= lost)
        await sink.send()
        #expect(
            collector.state.withLock { $0.notes } == [
                "\(lost) lines lost: more lines wait for the collector than the limit of its sink allows"
            ])
        #expect(try collector.messages.dropFirst().flatMap(\.self).count == 200 - lost)
    }

    @Test(
        "The report of a loss isn't sent: a collector that rejects every request would cause one report after another")
    func ownReports() async throws {
        let collector = Collector(Array(repeating: .rejected(message: "status 401"), count: 9))
        let log = Guarded<Log?>(nil)
        let sink = sink(collector) { text in log.withLock { $0 }?.warning("\(text)") }
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
        let sink = sink(collector)
        Collector.log(0..<3, to: sink)
        await sink.send()
        #expect(sink.lostLines == lost)
        #expect(collector.state.withLock { $0.notes } == notes)
    }

    @Test("A batch that fills during a request doesn't end the pause after its failure", .timeLimit(.minutes(5)))
    func pauseAfterFailure() async throws {
        let collector = Collector([.retry(after: .seconds(90))])
        let (box, isCut) = (Guarded<OTLPSink?>(nil), Guarded(false))
        let sink = OTLPSink(
            OTLPDelivery(
                resource: [:], interval: .seconds(7), batchLines: 4, maximumBytes: 64 << 20,
                send: { body in
                    if collector.state.withLock({ $0.bodies.isEmpty }), let sink = box.withLock({ $0 }) {
                        Collector.log(4..<12, to: sink)
                    }
                    return collector.receive(body)
                },
                sleep: { pause in
                    guard pause >= .seconds(90) else { return try await Task.sleep(for: .seconds(3600)) }
                    do { try await Task.sleep(for: .milliseconds(200)) } catch {
                        isCut.withLock { $0 = true }
                        throw error
                    }
                }, note: { collector.note($0) }))
        box.withLock { $0 = sink }
        Collector.log(0..<4, to: sink)
        try await until { try collector.messages.count == 4 }
        box.withLock { $0 = nil }
        #expect(!isCut.withLock { $0 })
    }

    @Test("A flush ends with its time although the collector doesn't respond")
    func flushLimit() async throws {
        let gate = Gate()
        let sink = OTLPSink(
            OTLPDelivery(
                resource: [:], interval: .seconds(1000), batchLines: 512, maximumBytes: 64 << 20,
                send: { _ in
                    await gate.pass()
                    return .accepted()
                }, sleep: { try await Task.sleep(for: $0) }, note: { _ in }))
        Collector.log(0..<1, to: sink)
        #expect(try await offPool { sink.flush(within: .milliseconds(50)) } == false)
        gate.open()
        #expect(try await offPool { sink.flush(within: .seconds(60)) })
    }
}
