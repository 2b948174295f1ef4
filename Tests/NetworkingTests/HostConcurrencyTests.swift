import AshlarNetworking
import AshlarTestSupport
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct HostConcurrencyTests {
    private static let isSoak = ProcessInfo.processInfo.environment["ASHLAR_SOAK"] == "1"

    @Test("64 readers and a writer: no reader sees the scheme of one environment with the host of another")
    func pairs() async throws {
        let text = #"""
            {"configurations": [{"canonical_host": "api.example.com", "canonical_protocol": "https", "hosts": [
              {"key": "A", "host": "a-secure.example.com", "protocol": "https"}, {"key": "B", "host": "b-plain.example.com", "protocol": "http"},
              {"key": "USER"}]}]}
            """#
        let hosts = HostSwitch(try HostMap(json: Array(text.utf8), strict: true))
        let valid: Set<ProtocolHostPair?> = [
            nil, ProtocolHostPair(scheme: "https", host: "a-secure.example.com"),
            ProtocolHostPair(scheme: "http", host: "b-plain.example.com"),
            ProtocolHostPair(scheme: "https", host: "u.example:1"),
        ]
        let done = Flag()
        let switches = Self.isSoak ? 200_000 : 4000
        let (reads, mixed, seen) = await withTaskGroup(of: (Int, Int, Set<ProtocolHostPair?>).self) { group in
            for _ in 0..<64 {
                group.addTask {
                    var (reads, mixed) = (0, 0)
                    var seen: Set<ProtocolHostPair?> = []
                    while !done.isSet {
                        for _ in 0..<50 {
                            let pair = hosts.resolve("API.example.com")
                            if !valid.contains(pair) { mixed += 1 }
                            seen.insert(pair)
                            reads += 1
                        }
                        // The selected row and the resolved host of one snapshot agree.
                        let snapshot = hosts.current
                        let ticked = snapshot.rows[0].rows.first(where: \.isSelected)?.title
                        if ticked != snapshot.resolve("api.example.com")?.host { mixed += 1 }
                        await Task.yield()
                    }
                    return (reads, mixed, seen)
                }
            }
            group.addTask {
                for number in 0..<switches {
                    switch number % 4 {
                    case 0: try? hosts.select("A", for: "api.example.com")
                    case 1: try? hosts.select("B", for: "api.example.com")
                    case 2: try? hosts.select("USER", for: "api.example.com", userHost: "u.example:1")
                    default: hosts.reset()
                    }
                    if number % 16 == 0 { await Task.yield() }
                }
                done.set()
                return (0, 0, [])
            }
            return await group.reduce((0, 0, Set<ProtocolHostPair?>())) { ($0.0 + $1.0, $0.1 + $1.1, $0.2.union($1.2)) }
        }
        #expect(mixed == 0)
        #expect(reads > 1000 && seen.count > 1, "\(reads) reads saw \(seen.count) choices")
    }

    @Test("Choices from many threads reach the store one at a time, in order, and the last one is stored")
    func store() async throws {
        final class Watching: Sendable {
            let state = Mutex<(isSaving: Bool, overlaps: Int, last: JSONEntity)>((false, 0, .missing))
            func save(_ choices: JSONEntity) {
                state.withLock { state in
                    if state.isSaving { state.overlaps += 1 }
                    state.isSaving = true
                }
                sched_yield()
                state.withLock { $0 = (false, $0.overlaps, choices) }
            }
        }
        let store = Watching()
        let hosts = HostSwitch(
            try exampleMap(), store: HostChoiceStore(load: { .missing }, save: { store.save($0) }))
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<200 {
                        try? hosts.select("USER", for: "httpbin.org", userHost: "h\(task)-\(number).example")
                    }
                }
            }
        }
        let state = store.state.withLock { $0 }
        #expect(state.overlaps == 0)
        #expect(state.last["httpbin.org"]["host"].string() == hosts.resolve("httpbin.org")?.host)
    }

    #if os(Linux) || os(macOS)
        @Test("A process killed during a save leaves either the old choice or the new one")
        func kills() async throws {
            let path = NSTemporaryDirectory() + "kill-\(UUID()).json"
            defer { for name in [path, path + ".tmp"] { try? FileManager.default.removeItem(atPath: name) } }
            for _ in 0..<(Self.isSoak ? 100 : 6) {
                await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
                    let hosts = HostSwitch(try exampleMap(), store: .file(path))
                    try hosts.select("USER", for: "httpbin.org", userHost: "x.x.x.example")
                    Thread.detachNewThread {
                        usleep(UInt32.random(in: 500...40_000))
                        kill(getpid(), SIGKILL)
                    }
                    while true {
                        for length in [1, 60] {
                            let label = String(repeating: "x", count: length)
                            try hosts.select("USER", for: "httpbin.org", userHost: "\(label).\(label).\(label).example")
                        }
                    }
                }
                let host = try #require(HostSwitch(try exampleMap(), store: .file(path)).resolve("httpbin.org")?.host)
                let labels = host.split(separator: ".")
                #expect(labels.count == 4 && Set(labels.dropLast()).count == 1 && [1, 60].contains(labels[0].count))
            }
        }
    #endif

    @Test("A store can make a selection while it saves, without a deadlock")
    func reentrantStore() throws {
        final class Reentrant: Sendable {
            let hosts = Mutex<HostSwitch?>(nil)
            let saves = Atomic(0)
            func save(_ choices: JSONEntity) throws(NetworkError) {
                if saves.add(1, ordering: .relaxed).oldValue == 0 {
                    try hosts.withLock { $0 }?.select("DEV", for: "httpbin.org")
                }
            }
        }
        let store = Reentrant()
        let hosts = HostSwitch(
            try exampleMap(),
            store: HostChoiceStore(
                load: { .missing }, save: { choices throws(NetworkError) in try store.save(choices) }))
        store.hosts.withLock { $0 = hosts }
        defer { store.hosts.withLock { $0 = nil } }
        try hosts.select("QA", for: "httpbin.org")
        #expect(hosts.resolve("httpbin.org")?.host == "dev.httpbin.org")
        #expect(store.saves.load(ordering: .relaxed) == 2)
    }
}

/// A flag that one task sets and others see.
private final class Flag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .relaxed) }
    func set() { value.store(true, ordering: .relaxed) }
}
