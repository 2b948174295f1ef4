import AshlarTestSupport
import Testing

@testable import AshlarEventBus

@Suite("Requests and replies", .timeLimit(.minutes(5)))
struct RequestTests {
    let bus = EventBus()
    let length = RequestTopic<String, Int>("text:length")

    @Test("A request returns the reply of the responder")
    func reply() async throws {
        let watch = try bus.respond(to: length) { $0.utf8.count }
        #expect(try await bus.request(length, "abc") == 3)
        #expect(try await bus.request(length, "") == 0)
        watch.cancel()
    }

    @Test("Only the first result of a request is stored, even if nobody waits for it yet")
    func firstResult() async throws {
        let slot = PendingResult<Int>()
        slot.finish(.success(1))
        slot.finish(.failure(Oops()))
        slot.finish(.success(2))
        #expect(try await slot.wait() == 1)
    }

    @Test("A request without a responder fails immediately, also after the responder has ended")
    func noResponder() async throws {
        let observer = bus.watch("**") { _ in }
        await expect("noResponder") { try await bus.request(length, "abc") }
        observer.cancel()
        try bus.respond(to: length) { $0.utf8.count }.cancel()
        await expect("noResponder") { try await bus.request(length, "abc") }
    }

    @Test("A topic has one responder; the error names both lines, and after its end another can follow")
    func oneResponder() async throws {
        let first = try bus.respond(to: length, fileID: "App/A.swift", line: 1) { _ in 1 }
        let error = #expect(throws: EventBusError.self) {
            try bus.respond(to: length, fileID: "App/B.swift", line: 2) { _ in 2 }
        }
        #expect(error?.code == .duplicateResponder)
        #expect(error?.location?.file == "App/B.swift")
        #expect(error?.otherLocation?.file == "App/A.swift")
        #expect(try await bus.request(length, "") == 1)
        first.cancel()
        let second = try bus.respond(to: length) { _ in 2 }
        #expect(try await bus.request(length, "") == 2)
        second.cancel()
    }

    @Test("A name has one request type and one reply type; others are errors for responders and requests")
    func otherTypes() async throws {
        let other = RequestTopic<Int, Int>("text:length")
        let first = try bus.respond(to: length) { $0.utf8.count }
        await expect("payloadMismatch") { try await bus.request(other, 1) }
        #expect(try await bus.request(length, "abc") == 3)
        first.cancel()
        let error = #expect(throws: EventBusError.self) { try bus.respond(to: other) { $0 } }
        #expect(error?.code == .payloadMismatch && error?.otherLocation != nil)
        await expect("payloadMismatch") { try await bus.request(other, 1) }
        let second = try bus.respond(to: length) { _ in 5 }
        #expect(try await bus.request(length, "abc") == 5)
        second.cancel()
        let bound = bus.watch(Topic<Int>("number")) { _ in }
        #expect(throws: EventBusError.self) { try bus.respond(to: RequestTopic<Int, Int>("number")) { $0 } }
        bound.cancel()
    }

    @Test("The error of the responder is thrown to the caller, and the next request is answered")
    func failure() async throws {
        let watch = try bus.respond(to: length) { text in
            if text.isEmpty { throw Oops(7) }
            return text.utf8.count
        }
        await #expect(throws: Oops(7)) { try await bus.request(length, "") }
        #expect(try await bus.request(length, "abc") == 3)
        watch.cancel()
    }

    @Test("A request fails after its limit, and a late reply is ignored")
    func timeout() async throws {
        let gate = Gate()
        let watch = try bus.respond(to: length) { text in
            if text == "slow" { await gate.pass() }
            return text.utf8.count
        }
        await expect("requestTimedOut") { try await bus.request(length, "slow", within: .milliseconds(20)) }
        gate.open()
        #expect(try await bus.request(length, "abc") == 3)
        watch.cancel()
    }

    @Test("Cancelling the caller ends its wait, and cancelling the responder ends the waiting requests")
    func cancellation() async throws {
        let (entered, gate) = (Gate(), Gate())
        let watch = try bus.respond(to: length, concurrency: 1) { _ in
            entered.open()
            await gate.pass()
            return 0
        }
        let requests = Recorder<String>()
        let observer = bus.watch("text:*") { requests.note($0.name) }
        let caller = Task { [bus, length] in try await bus.request(length, "first") }
        await entered.pass()
        let waiting = Task { [bus, length] in try await bus.request(length, "second") }
        try await until { requests.items.count >= 2 }
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
        watch.cancel()
        await expect("noReply") { try await waiting.value }
        gate.open()
        observer.cancel()
    }

    @Test("A request whose caller has left before its turn isn't answered")
    func abandoned() async throws {
        let gate = Gate()
        let answered = Recorder<String>()
        let watch = try bus.respond(to: length, concurrency: 1) { text in
            answered.note(text)
            await gate.pass()
            return text.utf8.count
        }
        let first = Task { try await bus.request(length, "first") }
        await gate.untilSomebodyComes()
        let second = Task { try await bus.request(length, "second") }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        gate.open()
        #expect(try await first.value == 5)
        #expect(try await bus.request(length, "third") == 5)
        #expect(answered.items == ["first", "third"])
        watch.cancel()
    }

    @Test("The timer of a request ends with the reply, and a limit of any length is permitted")
    func endOfTimer() async throws {
        let (clock, gate) = (ManualClock(), Gate())
        let watch = try bus.respond(to: length) { text in
            await gate.pass()
            return text.utf8.count
        }
        let request = Task { try await bus.request(length, "abc", within: .seconds(5), clock: clock) }
        await clock.untilSomebodySleeps()
        gate.open()
        #expect(try await request.value == 3)
        try await until { clock.pauses.isEmpty }
        #expect(try await bus.request(length, "abc", within: .seconds(Int64.max)) == 3)
        watch.cancel()
    }

    @Test("Of many concurrent requests each receives its own reply")
    func concurrency() async throws {
        let double = RequestTopic<Int, Int>("number:double")
        let watch = try bus.respond(to: double) { $0 * 2 }
        try await withThrowingTaskGroup(of: (Int, Int).self) { group in
            for number in 0..<200 { group.addTask { [bus] in (number, try await bus.request(double, number)) } }
            for try await (number, reply) in group { #expect(reply == number * 2) }
        }
        watch.cancel()
    }

    @Test("An ended responder leaves nothing behind on the bus")
    func endedResponder() throws {
        weak var slot: AnyObject?
        do {
            let topic = try RequestTopic<Int, Int>(named: "job:17")
            let watch = try bus.respond(to: topic) { $0 }
            slot = watch.host
            #expect(slot != nil)
            watch.cancel()
        }
        #expect(slot == nil)
        #expect(bus.currentWatches().topicCount == 0)
    }

    @Test("A request is an event at the line of its caller")
    func location() async throws {
        let traces = Recorder<String>()
        let tracing = bus.intercept(
            Topic(matching: "**"),
            with: Station { event, next in
                traces.note(event.location)
                return next(event)
            })
        let watch = try bus.respond(to: length) { $0.utf8.count }
        let line = #line + 1
        _ = try await bus.request(length, "abc")
        #expect(traces.items == ["\(#fileID):\(line)"])
        tracing.cancel()
        watch.cancel()
    }

    private func expect(_ code: String, _ body: () async throws -> Int) async {
        do {
            let reply = try await body()
            Issue.record("\(reply) instead of \(code)")
        } catch {
            #expect((error as? EventBusError)?.code.description == code, "\(error)")
        }
    }

    @Test(
        "A handler sees the remaining time, and is cancelled at the limit or with the caller", arguments: [true, false])
    func remainingTime(byCaller: Bool) async throws {
        let (clock, seen, gate, cancelled) = (ManualClock(), Recorder<Duration?>(), Gate(), Flag())
        let watch = try bus.respond(to: length) { _ in
            seen.note(EventRequest.current?.remaining)
            await withTaskCancellationHandler {
                await gate.pass()
            } onCancel: {
                cancelled.set()
                gate.open()
            }
            return 0
        }
        let caller = Task { [bus, length] in try await bus.request(length, "a", within: .seconds(5), clock: clock) }
        try await until { seen.items.count == 1 }
        await clock.untilSomebodySleeps()
        if byCaller { caller.cancel() } else { clock.advance(by: .seconds(5)) }
        _ = await caller.result
        try await until { cancelled.isSet }
        #expect(seen.items == [.seconds(5)])
        watch.cancel()
    }
}
