import AshlarCore
import Testing

@Suite(.timeLimit(.minutes(1))) struct BroadcastTests {
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

    @Test("A stream ends when the broadcast is released or its task is cancelled, and then has no listener")
    func end() async {
        var broadcast: Broadcast<Int>? = Broadcast(1)
        let ended = Shared(false)
        _ = broadcast?.add({}, ended: { ended.withLock { $0 = true } })
        if let stream = broadcast?.changes() {
            let cancelled = Task { () -> Int in
                var count = 0
                for await _ in stream { count += 1 }
                return count
            }
            cancelled.cancel()
            #expect(await cancelled.value <= 1)
        }
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
