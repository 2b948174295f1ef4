import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarAppConfig

extension TemporaryFolder {
    func file() -> String { file("ApplicationConfig.json") }

    func write(_ text: String, atomically: Bool = false) throws {
        try write(text, to: "ApplicationConfig.json", atomically: atomically)
    }

    func plan() -> ConfigPlan { ConfigPlan(files: .directory(path), environments: []) }
}

@Suite(.timeLimit(.minutes(5))) struct StoreTests {
    @Test("After a failed reload, the last valid values remain and the error is published")
    func lastGood() async throws {
        let scratch = try TemporaryFolder([:])
        try scratch.write("{\"n\": 1}")
        let store = try ConfigStore(loading: scratch.plan())
        var events = store.events().makeAsyncIterator()
        store.update { $0["runtime"] = "kept" }
        for bad in ["", "{\"n\": ", "{\"n\": 2} x"] {
            try scratch.write(bad)
            let error = #expect(throws: ConfigError.self) { try store.reload() }
            #expect(error?.code == .malformedSource)
            #expect(store.current.int(forKey: "n") == 1)
            #expect(store.errors.map(\.description) == [error?.description])
            guard case .failure(let published)? = await events.next() else {
                Issue.record("no failure was published")
                return
            }
            #expect(published.description == error?.description)
        }
        try scratch.write("{\"n\": 3, \"new\": true}")
        let diff = try store.reload()
        #expect(diff.description == "n: 1 → 3\nnew: nothing → true")
        #expect(store.current.int(forKey: "n") == 3)
        #expect(store.current.string(forKey: "runtime") == "kept")
        #expect(store.errors.isEmpty)
        guard case .success(diff)? = await events.next() else {
            Issue.record("no reload was published")
            return
        }
        #expect(try store.reload().isEmpty)
    }

    @Test("The process has all of its environment variables, and a debug build the environment debug")
    func process() {
        #expect(ConfigProcess.variables == ProcessInfo.processInfo.environment)
        #if DEBUG
            #expect(ConfigEnvironment.current == [.debug])
        #else
            #expect(ConfigEnvironment.current.isEmpty)
        #endif
    }

    @Test("Of concurrent reloads, the one that began last applies")
    func lastBegun() throws {
        let scratch = try TemporaryFolder([:])
        try scratch.write("{\"n\": 0}")
        let store = try ConfigStore(loading: scratch.plan())
        // The first reload reads its files before the second one begins, and ends after it.
        let first = store.beginReload()
        try scratch.write("{\"n\": 1}")
        let slow = try ApplicationConfig.load(scratch.plan())
        try scratch.write("{\"n\": 22}")
        #expect(try store.reload().description == "n: 0 → 22")
        _ = store.settle(first, slow)
        #expect(store.current.int(forKey: "n") == 22)
        #expect(store.errors.isEmpty)
    }

    @Test("A write during an update is not lost")
    func updateInUpdate() {
        let store = ConfigStore(["n": 0, "other": 0])
        let isFirst = Counter()
        store.update { config in
            // Another write happens after this closure received its copy.
            if isFirst.next() == 0 { store.update { $0["other"] = 2 } }
            config["n"] = 1
        }
        #expect(store.current.int(forKey: "other") == 2)
        #expect(store.current.int(forKey: "n") == 1)
    }

    @Test("A reload that changes no value notifies no listener")
    func quietReload() async throws {
        let scratch = try TemporaryFolder([:])
        try scratch.write("{\"n\": 1, \"m\": 1}")
        let store = try ConfigStore(loading: scratch.plan())
        var events = store.events().makeAsyncIterator()
        try scratch.write("{\"m\": 1,\n\"n\": 1}")
        #expect(try store.reload().isEmpty)
        try scratch.write("{\"m\": 2}")
        try store.reload()
        guard case .success(let diff)? = await events.next() else {
            Issue.record("no reload was published")
            return
        }
        #expect(diff.description == "m: 1 → 2\nn: 1 → nothing")
    }

    @Test("A store that cannot load throws, or holds the sources that load")
    func loading() throws {
        let scratch = try TemporaryFolder([:])
        try scratch.write("{\"n\": 1}")
        try scratch.write("{", to: "ApplicationConfig.debug.json", atomically: false)
        var plan = scratch.plan()
        plan.environments = [.debug]
        #expect(throws: ConfigError.self) { try ConfigStore(loading: plan) }
        let store = ConfigStore(loadingBestEffort: plan)
        #expect(store.current.int(forKey: "n") == 1)
        #expect(store.errors.map(\.code) == [.malformedSource])
    }

    @Test("Changes start with the current value and skip values that are equal as the key's type")
    func changes() async throws {
        let store = ConfigStore(["n": 1, "other": 1])
        let key = ConfigKey("n", default: 0)
        var changes = store.changes(of: key).makeAsyncIterator()
        #expect(await changes.next() == 1)
        store.update { $0["other"] = 2 }
        store.update { $0["n"] = "1" }
        store.update { $0["n"] = 2 }
        #expect(await changes.next() == 2)
        store.update { $0["n"] = 3 }
        store.update { $0["n"] = 4 }
        #expect(await changes.next() == 4)
        store.update { $0["n"] = nil }
        #expect(await changes.next() == 0)
        let task = Task { () -> Int in
            var count = 0
            for await _ in store.changes(of: key) { count += 1 }
            return count
        }
        task.cancel()
        #expect(await task.value <= 1)
    }

    @Test("Updates from many threads all apply")
    func updates() async {
        let store = ConfigStore(["n": 0])
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<50 { store.update { $0["n"] = .integer(Int64(($0.int(forKey: "n") ?? 0) + 1)) } }
                }
            }
        }
        #expect(store.current.int(forKey: "n") == 400)
    }

    @Test("Readers receive complete generations only, and invalid writes lose no values")
    func torture() async throws {
        let scratch = try TemporaryFolder([:])
        func text(_ generation: Int) -> String {
            "{\"a\": \(generation), \"b\": {\"c\": \(generation)}, \"d\": [\(generation)]}"
        }
        try scratch.write(text(0))
        let store = try ConfigStore(loading: scratch.plan())
        let generations = rounds(200, soak: 5_000)
        let isDone = Flag()
        let torn = await withTaskGroup(of: (torn: Int, reads: Int).self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var (torn, reads, last) = (0, 0, 0)
                    repeat {
                        let config = store.current
                        let a = config.int(forKey: "a") ?? -1
                        let isWhole = config.int(forKey: "b.c") == a && config.int(forKey: "d[0]") == a
                        if !isWhole || a < last { torn += 1 }
                        (reads, last) = (reads + 1, a)
                        if reads % 64 == 0 { await Task.yield() }
                    } while !isDone.isSet
                    return (torn, reads)
                }
            }
            group.addTask {
                var random = SeededRandom(seed: 41)
                var (lost, bad) = (0, 0)
                for generation in 1...generations {
                    let whole = text(generation)
                    let isBad = random.chance(30)
                    let written = isBad ? String(whole.dropLast(1 + random.below(whole.count - 1))) : whole
                    try? scratch.write(written)
                    let before = store.current.int(forKey: "a")
                    do {
                        _ = try store.reload()
                        if isBad || store.current.int(forKey: "a") != generation { lost += 1 }
                    } catch {
                        bad += 1
                        if !isBad || store.current.int(forKey: "a") != before || store.errors.isEmpty { lost += 1 }
                    }
                    await Task.yield()
                }
                isDone.set()
                return (lost + (bad > 0 ? 0 : 1), 0)
            }
            return await group.reduce(into: (torn: 0, reads: 0)) {
                ($0.torn, $0.reads) = ($0.torn + $1.torn, $0.reads + $1.reads)
            }
        }
        #expect(torn.torn == 0)
        #expect(torn.reads > generations)
    }
}
