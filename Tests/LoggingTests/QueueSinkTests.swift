import AshlarTestSupport
import Foundation
import Synchronization
import Testing

@testable import AshlarLogging

/// A sink that waits in its first line until it is released.
private final class StuckSink: LogSink {
    let threshold: LogLevel
    private let inner = RecordingSink()
    private let (entered, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))

    init(threshold: LogLevel = .verbose) { self.threshold = threshold }

    var records: [LogRecord] { inner.records }

    func receive(_ record: LogRecord) -> Bool {
        if record.message == "line 0" {
            entered.signal()
            #expect(gate.wait(timeout: .now() + 60) == .success)
        }
        return inner.receive(record)
    }

    func untilLineIsReceived() { #expect(entered.wait(timeout: .now() + 60) == .success) }

    func release() { gate.signal() }
}

/// A sink that stores the limits of its flushes.
private final class TimedSink: LogSink {
    private let stored = Mutex<[Duration]>([])

    var limits: [Duration] { stored.withLock { $0 } }

    func receive(_ record: LogRecord) -> Bool { true }

    func flush(within limit: Duration) -> Bool {
        stored.withLock { $0.append(limit) }
        return true
    }
}

/// A sink that reports its release.
private final class ReleasedSink: LogSink {
    private let inner = RecordingSink()
    private let released: @Sendable ([LogRecord]) -> Void

    init(_ released: @escaping @Sendable ([LogRecord]) -> Void) { self.released = released }

    deinit { released(inner.records) }

    func receive(_ record: LogRecord) -> Bool { inner.receive(record) }
}

@Suite struct QueueSinkTests {
    @Test("A queue delivers in order on another thread, and flush waits for it", .timeLimit(.minutes(5)))
    func queue() {
        let inner = RecordingSink()
        let sink = QueueSink(inner, bytes: 1 << 20)
        let system = TestSystem { $0.sinks = [sink] }
        for index in 1...500 { system.log().info("line \(index)") }
        #expect(system.flush(sync: false))
        #expect(inner.records.map(\.message) == (1...500).map { "line \($0)" })
        #expect(sink.dropped.isEmpty)
    }

    @Test("A released queue delivers its lines, ends its thread and releases the other sink", .timeLimit(.minutes(5)))
    func release() {
        let messages = Mutex<[String]>([])
        let isReleased = DispatchSemaphore(value: 0)
        var sink: QueueSink? = QueueSink(
            ReleasedSink { records in
                messages.withLock { $0 = records.map(\.message) }
                isReleased.signal()
            })
        for index in 1...3 { #expect(sink?.receive(.notice("line \(index)")) == true) }
        sink = nil
        #expect(isReleased.wait(timeout: .now() + 60) == .success)
        #expect(messages.withLock { $0 } == ["line 1", "line 2", "line 3"])
    }

    @Test("A flush gives the other sink the rest of its time", arguments: [Duration.zero, .seconds(5), .seconds(3600)])
    func flushLimit(limit: Duration) {
        let inner = TimedSink()
        #expect(QueueSink(inner).flush(within: limit))
        #expect(
            inner.limits.count == 1 && inner.limits.allSatisfy { .zero <= $0 && ($0 < limit || limit == .zero) },
            "\(inner.limits)")
    }

    @Test(
        "A stuck sink uses bounded memory; dropped lines are counted by level and reported", .timeLimit(.minutes(5)))
    func stuck() {
        let stuck = StuckSink()
        let sink = QueueSink(stuck, bytes: 4096)
        let system = TestSystem { $0.sinks = [sink] }
        system.log().info("line 0")
        stuck.untilLineIsReceived()
        for index in 1...200 { system.log().info("line \(index)") }
        let dropped = sink.dropped[.info] ?? 0
        #expect(dropped > 150)
        #expect(system.lines.count == 201)
        stuck.release()
        #expect(!sink.flush(within: .seconds(60)))
        system.log().info("line 201")
        #expect(sink.flush(within: .seconds(60)))
        let messages = stuck.records.map(\.message)
        let reported = messages.compactMap {
            $0.wholeMatch(of: /(\d+) lines lost \(queue full\)/).flatMap { Int($0.1) }
        }
        #expect(reported.reduce(0, +) == dropped)
        let lines = messages.filter { $0.hasPrefix("line ") }
        #expect(lines.count == 202 - dropped)
        #expect(lines.last == "line 201")
        #expect(lines.contains("line 1"))
        // Each notice is where the lines are missing.
        var next = 0
        for message in messages {
            if let lost = message.wholeMatch(of: /(\d+) lines lost .*/).flatMap({ Int($0.1) }) {
                next += lost
            } else {
                #expect(message == "line \(next)")
                next += 1
            }
        }
        #expect(next == 202)
    }

    @Test("A line that can't fit is dropped alone and without waiting", .timeLimit(.minutes(5)))
    func tooLong() {
        let stuck = StuckSink()
        let sink = QueueSink(stuck, bytes: 1024)
        let system = TestSystem { $0.sinks = [sink] }
        system.log().info("line 0")
        stuck.untilLineIsReceived()
        system.log().info("line 1")
        let start = ContinuousClock.now
        system.log().info("\(String(repeating: "x", count: 2000))")
        #expect(ContinuousClock.now - start < .seconds(10))
        stuck.release()
        _ = sink.flush(within: .seconds(5))
        #expect(sink.dropped == [.info: 1])
        #expect(stuck.records.map(\.message) == ["line 0", "line 1", "1 lines lost (queue full)"])
    }

    @Test("A sink for errors receives the report of lost lines as an error", .timeLimit(.minutes(5)))
    func lostErrors() {
        let stuck = StuckSink(threshold: .error)
        let sink = QueueSink(stuck, bytes: 1024)
        let system = TestSystem { $0.sinks = [sink] }
        system.log().error("line 0")
        stuck.untilLineIsReceived()
        for index in 1...50 { system.log().error("line \(index)") }
        stuck.release()
        _ = sink.flush(within: .seconds(5))
        let notices = stuck.records.filter { $0.context == "AshlarLogging" }
        #expect(notices.map(\.level) == [.error])
        #expect(notices.first?.message == "\(sink.dropped[.error] ?? 0) lines lost (queue full)")
    }

    @Test("Fields of waiting lines count as memory", .timeLimit(.minutes(5)))
    func largeFields() {
        let stuck = StuckSink()
        let sink = QueueSink(stuck, bytes: 1 << 20)
        let system = TestSystem { $0.sinks = [sink] }
        system.log().info("line 0")
        stuck.untilLineIsReceived()
        for _ in 1...100 { system.log().info("x", ["text": String(repeating: "x", count: 100_000)]) }
        let dropped = sink.dropped[.info] ?? 0
        #expect(dropped >= 89)
        stuck.release()
        #expect(!sink.flush(within: .seconds(60)))
    }
}
