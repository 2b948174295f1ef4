import AshlarCore
import AshlarEventBus
import AshlarTestSupport
import Synchronization
import Testing

@Suite("Origin and metadata of events", .timeLimit(.minutes(2)))
struct MetadataTests {
    let bus = EventBus()
    let a = Topic<Int>("a")
    let b = Topic<Int>("b")
    let seen = Recorder<String>()
    let bag = WatchBag()

    private func note<Payload>(_ signal: Signal<Payload>) {
        seen.note("\(signal.name) \(signal.metadata?.correlationID ?? "-")")
    }

    @Test("Metadata follows the triggers that inline handlers make, through depths and errors")
    func inline() {
        bus.watch(a) { [bus, b] in
            note($0)
            bus.trigger(b, 1)
            throw Oops()
        }.store(in: bag)
        bus.watch(b) { note($0) }.store(in: bag)
        bus.trigger(a, 1)
        EventMetadata(correlationID: "one").whileCurrent {
            bus.trigger(a, 1)
            EventMetadata(correlationID: "two").whileCurrent { _ = bus.trigger(b, 1) }
            bus.trigger(b, 1)
        }
        bus.trigger(a, 1)
        #expect(seen.items == ["a -", "b -", "a one", "b one", "b two", "b one", "a -", "b -"])
    }

    @Test("Metadata has the values that it was created with, and a handler inherits the work and the trace only")
    func values() {
        let metadata = EventMetadata(
            source: "phone", time: .seconds(5), correlationID: "one", traceParent: "parent", traceState: "state",
            headers: ["priority": "1"])
        #expect(metadata.source == "phone" && metadata.time == .seconds(5) && metadata.correlationID == "one")
        #expect(metadata.traceParent == "parent" && metadata.traceState == "state")
        #expect(metadata.headers == ["priority": "1"])
        bus.watch(a) { [seen] signal in
            seen.note("\(signal.metadata == metadata)")
            let inherited = EventMetadata(correlationID: "one", traceParent: "parent", traceState: "state")
            seen.note("\(EventMetadata.current == inherited)")
        }.store(in: bag)
        metadata.whileCurrent { _ = bus.trigger(a, 1) }
        #expect(seen.items == ["true", "true"])
    }

    @Test("Metadata follows queued handlers: main actor, actor, mailbox, request", arguments: 0..<4)
    func queued(kind: Int) async throws {
        actor Place {}
        let place = Place()
        let request = RequestTopic<Int, Int>("request")
        let ends = bus.events(b)
        let handle: @Sendable () -> Void = { [bus, b] in _ = bus.trigger(b, 1) }
        switch kind {
        case 0: bus.watchOnMain(a, alwaysQueued: true) { _ in handle() }.store(in: bag)
        case 1: bus.watch(a, on: place) { _, _ in handle() }.store(in: bag)
        case 2:
            bus.watch(a, buffer: .unbounded) { _ in
                await Task.yield()
                handle()
            }.store(in: bag)
        default:
            try bus.respond(to: request) {
                handle()
                return $0
            }.store(in: bag)
        }
        // One queue serves events with and without metadata.
        for id in ["one", nil, "two"] {
            if kind == 3 {
                let metadata = id.map { EventMetadata(correlationID: $0) }
                if let metadata {
                    _ = try await metadata.whileCurrent { try await bus.request(request, 1) }
                } else {
                    _ = try await bus.request(request, 1)
                }
            } else if let id {
                EventMetadata(correlationID: id).whileCurrent { _ = bus.trigger(a, 1) }
            } else {
                bus.trigger(a, 1)
            }
        }
        var found: [String] = []
        for await signal in ends {
            found.append(signal.metadata?.correlationID ?? "-")
            if found.count == 3 { break }
        }
        #expect(found == ["one", "-", "two"])
    }

    @Test("Stored events carry the metadata of their own trigger")
    func postponed() async {
        let stored = Topic<Int>("stored", keeping: 2)
        EventMetadata(correlationID: "one").whileCurrent { _ = bus.trigger(stored, 1) }
        bus.trigger(stored, 2)
        EventMetadata(correlationID: "other").whileCurrent {
            bus.watch(stored) { [bus, b] in
                note($0)
                bus.trigger(b, 1)
            }.store(in: bag)
        }
        #expect(seen.items == ["stored one", "stored -"])
    }

    @Test("A topic that one thread delivers for another doesn't mix their metadata")
    func ordered() async {
        let ordered = Topic<Int>("ordered", keeping: 1)
        let wrong = Atomic(0)
        bus.watch(ordered) { [bus, b] signal in
            if signal.metadata?.correlationID != (signal.payload < 0 ? nil : "\(signal.payload)") {
                wrong.add(1, ordering: .relaxed)
            }
            if EventMetadata.current?.correlationID != signal.metadata?.correlationID {
                wrong.add(1, ordering: .relaxed)
            }
            bus.trigger(b, 1)
        }.store(in: bag)
        await withTaskGroup(of: Void.self) { group in
            for thread in -1..<3 {
                group.addTask { [bus] in
                    for _ in 0..<2000 {
                        if thread < 0 {
                            bus.trigger(ordered, -1)
                        } else {
                            EventMetadata(correlationID: "\(thread)").whileCurrent { _ = bus.trigger(ordered, thread) }
                        }
                    }
                }
            }
        }
        #expect(wrong.load(ordering: .relaxed) == 0)
    }

    @Test("Asynchronous scopes end with their closure, and throw its error")
    func scopes() async throws {
        try await EventMetadata(correlationID: "one").whileCurrent {
            try await Task.sleep(for: .milliseconds(1))
            #expect(EventMetadata.current?.correlationID == "one")
            await Task { #expect(EventMetadata.current?.correlationID == "one") }.value
            await Task.detached { #expect(EventMetadata.current == nil) }.value
        }
        #expect(EventMetadata.current == nil)
        #expect(throws: Oops.self) { try EventMetadata().whileCurrent { () throws(Oops) in throw Oops() } }
        await #expect(throws: Oops.self) {
            try await EventMetadata().whileCurrent { () async throws in throw Oops() }
        }
    }
}
