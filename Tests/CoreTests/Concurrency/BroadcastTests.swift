import AshlarTestSupport
import Testing

@testable import AshlarCore

@Suite(.timeLimit(.minutes(5))) struct BroadcastTests {
    @Test("Changes start with the current value; a slow reader receives only the newest")
    func newest() async {
        let broadcast = Broadcast(1)
        var changes = broadcast.changes().makeAsyncIterator()
        #expect(await changes.next() == 1)
        for _ in 0..<10 { broadcast.update { $0 + 1 } }
        #expect(await changes.next() == 11)
        broadcast.update { _ in 5 }
        #expect(await changes.next() == 5)
        #expect(broadcast.current == 5 && broadcast.read { $0 * 2 } == 10)
    }

    @Test("A change to nil changes nothing and calls no listener")
    func unchanged() {
        let broadcast = Broadcast("a")
        let calls = Shared(0)
        let id = broadcast.add { calls.withLock { $0 += 1 } }
        #expect(broadcast.update { _ in nil } == "a")
        #expect(calls.withLock { $0 } == 0)
        #expect(broadcast.update { $0 + "b" } == "ab")
        broadcast.remove(id)
        broadcast.update { $0 + "c" }
        #expect(calls.withLock { $0 } == 1)
    }

    @Test("Listeners run in the order of addition, outside the lock")
    func order() {
        let broadcast = Broadcast(0)
        let record = Shared([Int]())
        for number in 1...3 {
            _ = broadcast.add { [weak broadcast] in
                let value = broadcast?.current ?? -1
                record.withLock { $0.append(number * 10 + value) }
                if number == 1, value == 1 { broadcast?.update { _ in 2 } }
            }
        }
        broadcast.update { _ in 1 }
        #expect(record.withLock { $0 } == [11, 12, 22, 32, 22, 32])
    }

    @Test("A part is returned when it differs")
    func parts() async {
        let broadcast = Broadcast((name: "a", count: 1))
        var names = broadcast.changes(of: { $0.name }, unless: { $0 == $1 }).makeAsyncIterator()
        #expect(await names.next() == "a")
        broadcast.update { ($0.name, $0.count + 1) }
        broadcast.update { ("b", $0.count) }
        #expect(await names.next() == "b")
        broadcast.update { ("c", $0.count) }
        broadcast.update { ("b", $0.count) }
        broadcast.update { ("d", $0.count) }
        #expect(await names.next() == "d")
    }

    @Test("A part that doesn't differ is skipped")
    func sameParts() async {
        let broadcast = Broadcast((name: "a", count: 1))
        let names = broadcast.changes(
            of: { $0.name },
            unless: { old, new in
                guard old == new else { return false }
                broadcast.update { ("b", $0.count) }
                return true
            })
        var iterator = names.makeAsyncIterator()
        #expect(await iterator.next() == "a")
        broadcast.update { ($0.name, $0.count + 1) }
        #expect(await iterator.next() == "b")
    }

    @Test("A change that is overtaken by another one runs again with the new value")
    func overtaken() {
        let broadcast = Broadcast([1])
        var seen: [[Int]] = []
        broadcast.update { value in
            seen.append(value)
            if seen.count == 1 { broadcast.update { $0 + [2] } }
            return value + [3]
        }
        #expect(seen == [[1], [1, 2]])
        #expect(broadcast.current == [1, 2, 3])
    }

    @Test("A reader receives a value once, even if two changes signal it")
    func nestedChanges() async throws {
        let broadcast = Broadcast(0)
        let values = Recorder<Int>()
        _ = broadcast.add { [weak broadcast] in broadcast?.update { $0.isMultiple(of: 2) ? nil : $0 + 1 } }
        let stream = broadcast.changes()
        let reader = Task { for await value in stream { values.note(value) } }
        for round in 0..<200 {
            try await until { values.items.last == 2 * round }
            broadcast.update { $0 + 1 }
        }
        try await until { values.items.last == 400 }
        // A reader that is awake between the two changes receives an odd value, too.
        #expect(values.items.filter { $0.isMultiple(of: 2) } == (0...200).map { $0 * 2 })
        #expect(zip(values.items, values.items.dropFirst()).allSatisfy { $0 < $1 })
        reader.cancel()
    }

    @Test("A removed listener is released outside the lock")
    func releasedListener() {
        let broadcast = Broadcast(7)
        let result = Recorder<Int>()
        let id = broadcast.add { [reader = OnRelease { result.note(broadcast.current) }] in
            withExtendedLifetime(reader) {}
        }
        broadcast.remove(id)
        #expect(result.items == [7])
    }

    @Test("A stream ends when the broadcast is released or its task is cancelled, and then has no listener")
    func end() async throws {
        var broadcast: Broadcast<Int>? = Broadcast(1)
        let ended = Shared(false)
        _ = broadcast?.add({}, ended: { ended.withLock { $0 = true } })
        do {
            let stream = try #require(broadcast?.changes())
            let cancelled = Task { () -> Int in
                var count = 0
                for await _ in stream { count += 1 }
                return count
            }
            cancelled.cancel()
            #expect(await cancelled.value <= 1)
        }
        #expect(broadcast?.state.withLock { $0.listeners.count } == 1)
        var changes = broadcast?.changes().makeAsyncIterator()
        #expect(await changes?.next() == 1)
        broadcast = nil
        #expect(await changes?.next() == nil)
        #expect(ended.withLock { $0 })
    }

    @Test("Concurrent changes are all applied, and every reader sees the last value")
    func concurrency() async {
        let broadcast = Broadcast(0)
        await withTaskGroup { group in
            for _ in 0..<4 {
                let stream = broadcast.changes()
                group.addTask {
                    var last = -1
                    for await value in stream {
                        #expect(value > last)
                        last = value
                        if value == 4000 { return }
                    }
                }
                group.addTask { for _ in 0..<1000 { broadcast.update { $0 + 1 } } }
            }
        }
        #expect(broadcast.current == 4000)
    }

    private final class Shared<Value: Sendable>: Sendable {
        private let value: Mutex<Value>
        init(_ value: Value) { self.value = Mutex(value) }
        func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result { value.withLock { body(&$0) } }
    }
}
