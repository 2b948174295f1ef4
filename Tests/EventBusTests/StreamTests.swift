import AshlarEventBus
import AshlarTestSupport
import Testing

@Suite("Streams and backpressure", .timeLimit(.minutes(5)))
struct StreamTests {
    let bus = EventBus()
    let number = Topic<Int>("number")

    @Test(
        "Each policy buffers the expected events and counts the dropped ones",
        arguments: [
            (EventBuffer.newest(3), [7, 8, 9], 7), (.oldest(3), [0, 1, 2], 7), (.newest(1), [9], 9),
            (.unbounded, Array(0..<10), 0), (.suspend(3), [0, 1, 2], 7),
        ])
    func policies(buffer: EventBuffer, kept: [Int], dropped: Int) async {
        let stream = bus.events(number, buffer: buffer)
        let receipts = (0..<10).map { bus.trigger(number, $0) }
        #expect(receipts.reduce(0) { $0 + $1.dropped } == dropped)
        #expect(stream.dropped == dropped)
        #expect(stream.waiting == kept.count)
        var iterator = stream.makeAsyncIterator()
        var got: [Int] = []
        for _ in kept { if let signal = await iterator.next() { got.append(signal.payload) } }
        #expect(got == kept)
        #expect(stream.waiting == 0)
        #expect(got.count + stream.dropped == 10)
    }

    @Test("A stream watches from its creation; every iterator receives all events from then on")
    func iterators() async {
        let stream = bus.events(number)
        bus.trigger(number, 1)
        var first = stream.makeAsyncIterator()
        var second = stream.makeAsyncIterator()
        bus.trigger(number, 2)
        #expect(await first.next()?.payload == 1)
        #expect(await first.next()?.payload == 2)
        #expect(await second.next()?.payload == 2)
    }

    @Test("A waiting reader is woken, and elements carry the number of the trigger")
    func waiting() async {
        let stream = bus.events(Topic(matching: "number"))
        let reader = Task {
            var sequences: [UInt64] = []
            for await signal in stream {
                sequences.append(signal.sequence)
                if sequences.count == 50 { break }
            }
            return sequences
        }
        var sent: [UInt64] = []
        for i in 0..<50 {
            sent.append(bus.trigger(number, i).sequence)
            await Task.yield()
        }
        #expect(await reader.value == sent)
    }

    @Test("A cancelled task's iterator ends and stops watching")
    func cancellation() async {
        let stream = bus.events(number)
        let reader = Task { () -> Int in
            var count = 0
            for await _ in stream { count += 1 }
            return count
        }
        bus.trigger(number, 1)
        await Task.yield()
        reader.cancel()
        #expect(await reader.value <= 1)
        #expect(bus.currentWatches().entries.isEmpty)
        #expect(bus.trigger(number, 2).isUndelivered)
    }

    @Test("An iterator in a cancelled task returns no buffered event and stops watching before its release")
    func cancelledIterator() async {
        let stream = bus.events(number)
        bus.trigger(number, 1)
        let gate = Gate()
        let reader = Task { [bus] in
            var iterator = stream.makeAsyncIterator()
            await gate.pass()
            let signal = await iterator.next()
            let watches = bus.currentWatches().entries.count
            return (signal?.payload, watches, stream.waiting)
        }
        reader.cancel()
        gate.open()
        let (payload, watches, buffered) = await reader.value
        #expect(payload == nil)
        #expect(watches == 0)
        #expect(buffered == 1)
    }

    @Test("A released stream or iterator stops watching")
    func goingAway() async {
        do {
            let stream = bus.events(number)
            #expect(bus.currentWatches().entries.count == 1)
            _ = consume stream
        }
        #expect(bus.currentWatches().entries.isEmpty)
        do {
            var iterator = bus.events(number).makeAsyncIterator()
            bus.trigger(number, 1)
            #expect(await iterator.next()?.payload == 1)
        }
        #expect(bus.currentWatches().entries.isEmpty)
    }

    @Test("A stream ends with its bus, after the buffered events")
    func endOfBus() async {
        var bus: EventBus? = EventBus()
        let stream = bus!.events(number)
        bus!.trigger(number, 1)
        bus = nil
        var iterator = stream.makeAsyncIterator()
        #expect(await iterator.next()?.payload == 1)
        #expect(await iterator.next() == nil)
        var second = stream.makeAsyncIterator()
        #expect(await second.next() == nil)
    }

    @Test("Senders wait for room in order of arrival")
    func backPressure() async throws {
        let stream = bus.events(number, buffer: .suspend(2))
        let (done, executor) = (Recorder<Int>(), StepExecutor())
        for i in 0..<2 { #expect(await bus.send(number, i).queued == 1) }
        let senders = Task(executorPreference: executor) { [bus, number] in
            for i in 2..<6 {
                let receipt = await bus.send(number, i)
                #expect(receipt.queued == 1)
                #expect(receipt.dropped == 0)
                done.note(i)
            }
        }
        executor.run()
        #expect(stream.waiting == 3)
        var iterator = stream.makeAsyncIterator()
        for i in 0..<6 {
            #expect(done.items == Array(2..<2 + i).filter { $0 < 6 })
            #expect(await iterator.next()?.payload == i)
            executor.run()
        }
        await senders.value
        #expect(stream.dropped == 0 && stream.waiting == 0)
    }

    @Test("A sender that waits for two readers continues only after both have made room")
    func twoReaders() async throws {
        let (first, second) = (
            bus.events(number, buffer: .suspend(1)), bus.events(number, buffer: .suspend(1))
        )
        await bus.send(number, 0)
        let (done, executor) = (Recorder<Int>(), StepExecutor())
        let sender = Task(executorPreference: executor) { [bus, number] in
            defer { done.note(1) }
            return await bus.send(number, 1)
        }
        executor.run()
        #expect(second.waiting == 2)
        var (slow, quick) = (first.makeAsyncIterator(), second.makeAsyncIterator())
        #expect(await quick.next()?.payload == 0)
        #expect(await quick.next()?.payload == 1)
        executor.run()
        #expect(done.items.isEmpty)
        #expect(await slow.next()?.payload == 0)
        executor.run()
        #expect(await sender.value.queued == 2)
        #expect(await slow.next()?.payload == 1)
    }

    @Test("Sending waits if the event is queued for the main actor or by the order of a topic")
    func backPressureBehindQueues() async throws {
        for isOrdered in [false, true] {
            let bus = EventBus(delivery: isOrdered ? .inline : .queuedOnMain)
            let topic = Topic<Int>("number", keeping: isOrdered ? 1 : 0)
            let stream = bus.events(topic, buffer: .suspend(1))
            let done = Recorder<Int>()
            await bus.send(topic, 0)
            #expect(stream.waiting == 1)
            let sender = Task {
                let receipt = await bus.send(topic, 1)
                #expect(receipt.queued >= 1)
                #expect(receipt.dropped == 0)
                done.note(1)
            }
            try await until { stream.waiting >= 2 }
            for _ in 0..<50 { await Task.yield() }
            #expect(done.items.isEmpty)
            var iterator = stream.makeAsyncIterator()
            #expect(await iterator.next()?.payload == 0)
            #expect(await iterator.next()?.payload == 1)
            await sender.value
            #expect(stream.dropped == 0)
        }
    }

    @Test("A sender behind a main actor's queue stops waiting when the bus is released")
    @MainActor
    func endOfQueuedBus() async {
        var bus: EventBus? = EventBus(delivery: .queuedOnMain)
        let sender = Task { @MainActor [weak bus, number] in await bus?.send(number, 1) }
        await Task.yield()
        bus = nil
        _ = await sender.value
    }

    @Test("Reading on an actor doesn't leave it")
    @MainActor
    func isolation() async {
        let stream = bus.events(number)
        for i in 0..<3 { bus.trigger(number, i) }
        var iterator = stream.makeAsyncIterator()
        for i in 0..<3 {
            #expect(await iterator.next(isolation: MainActor.shared)?.payload == i)
            MainActor.preconditionIsolated()
        }
    }

    @Test("A sender stops waiting if it is cancelled or its reader is released")
    func endOfWaiting() async throws {
        let stream = bus.events(number, buffer: .suspend(1))
        await bus.send(number, 0)
        let cancelled = Task { [bus, number] in await bus.send(number, 1) }
        try await until { stream.waiting >= 2 }
        cancelled.cancel()
        let receipt = await cancelled.value
        #expect(receipt.dropped == 1)
        #expect(receipt.queued == 0)
        let abandoned = Task { [bus, number] in await bus.send(number, 2) }
        try await until { stream.waiting >= 2 }
        do { _ = stream.makeAsyncIterator() }
        #expect(await abandoned.value.dropped == 1)
        // Of three events, one was queued.
        #expect(stream.dropped == 2 && stream.waiting == 1)
    }

    @Test("An event that comes after the cancellation of a reader isn't lost")
    @MainActor
    func cancelledReader() async {
        let stream = bus.events(number)
        let reader = Task { @MainActor in
            var iterator = stream.makeAsyncIterator()
            return await iterator.next(isolation: MainActor.shared)?.payload
        }
        await Task.yield()
        // The reader can't continue on this actor before the counts are checked.
        reader.cancel()
        bus.trigger(number, 1)
        #expect(stream.dropped == 0 && stream.waiting == 1)
        #expect(await reader.value == nil)
    }

    @Test("A cancelled sender's event is queued if a reader makes room first, and otherwise dropped")
    @MainActor
    func cancelledSender() async throws {
        for round in 0..<200 {
            let stream = bus.events(number, buffer: .suspend(1))
            var iterator: EventStream<Int>.Iterator? = stream.makeAsyncIterator()
            await bus.send(number, 0)
            let sender = Task { [bus, number] in await bus.send(number, 1) }
            try await until { stream.waiting == 2 }
            sender.cancel()
            if round.isMultiple(of: 2) {
                #expect(await iterator?.next(isolation: MainActor.shared)?.payload == 0)
            } else {
                iterator = nil
            }
            let result = await sender.value
            let read = round.isMultiple(of: 2) ? 1 : 0
            #expect(result.queued == (read == 1 ? stream.waiting : 0))
            #expect(result.queued + result.dropped == 1)
            #expect(read + stream.dropped + stream.waiting == 2)
        }
    }

    @Test("Of concurrent senders, none loses its event to another one")
    func concurrentSenders() async {
        let stream = bus.events(number, buffer: .suspend(1))
        let reader = Task { () -> Int in
            var count = 0
            for await _ in stream {
                count += 1
                if count == 40000 { break }
            }
            return count
        }
        let dropped = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask { [bus, number] in
                    var dropped = 0
                    for i in 0..<10000 { dropped += await bus.send(number, i).dropped }
                    return dropped
                }
            }
            return await group.reduce(0, +)
        }
        #expect(dropped == 0)
        if dropped > 0 { reader.cancel() }
        #expect(await reader.value == 40000)
    }

    @Test("With threads on both sides, every event is consumed, dropped or buffered exactly once")
    func conservation() async throws {
        for buffer in [EventBuffer.newest(8), .oldest(8), .newest(1), .unbounded, .suspend(8)] {
            let stream = bus.events(number, buffer: buffer)
            let reader = Task { () -> Int in
                var count = 0
                for await _ in stream { count += 1 }
                return count
            }
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<2 {
                    group.addTask { [bus, number] in
                        for i in 0..<2000 {
                            if i % 3 == 0 { await bus.send(number, i) } else { bus.trigger(number, i) }
                        }
                    }
                }
            }
            try await until { stream.waiting == 0 }
            reader.cancel()
            let read = await reader.value
            #expect(read + stream.dropped + stream.waiting == 4000)
        }
    }

    @Test("A cancelled sender that waits for handlers drops an event without room")
    func cancelledAwaitingSender() async throws {
        let stream = bus.events(number, buffer: .suspend(1))
        bus.trigger(number, 0)
        let sender = Task { [bus, number] in await bus.send(number, 1, awaitingHandlers: true) }
        try await until { stream.waiting == 2 }
        sender.cancel()
        let result = await sender.value
        #expect(result.dropped == 1 && result.queued == 0 && stream.waiting == 1)
    }

    @Test("An event whose sender waits for a watcher isn't undelivered")
    func awaitedIsDelivered() async throws {
        let undelivered = Recorder<Int>()
        bus.onUndelivered { undelivered.note($0.payload as? Int ?? -1) }
        let watch = bus.watch(number, buffer: .unbounded) { _ in }
        #expect(await bus.send(number, 1, awaitingHandlers: true).delivered == 1)
        watch.cancel()
        let stream = bus.events(number, buffer: .suspend(1))
        await bus.send(number, 2)
        let sender = Task { [bus, number] in await bus.send(number, 3) }
        try await until { stream.waiting == 2 }
        var iterator = stream.makeAsyncIterator()
        _ = await iterator.next()
        _ = await sender.value
        #expect(undelivered.items == [])
    }
}
