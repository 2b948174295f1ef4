import AshlarEventBus
import AshlarTestSupport
import Synchronization
import Testing

/// The specification of a bus in its simplest form: a list of watches that is searched in order.
private final class ModelBus {
    struct Entry {
        let id: Int
        let topic: String?
        let pattern: String?
        let source: Int?
        let priority: Int
        let once: Bool
        let script: Script
        var isLive = true
    }

    private(set) var entries: [Entry] = []
    private(set) var log: [String] = []
    private var depth = 0
    let depthLimit: Int

    init(depthLimit: Int) { self.depthLimit = depthLimit }

    func watch(_ entry: Entry) { entries.append(entry) }

    func cancel(_ id: Int) {
        if let index = entries.firstIndex(where: { $0.id == id }) { entries[index].isLive = false }
    }

    func kill(source: Int) {
        for index in entries.indices where entries[index].source == source { entries[index].isLive = false }
    }

    func trigger(_ topic: String, _ value: Int, from source: Int?, run: (Script, Int) throws -> Void) {
        guard depth < depthLimit else {
            log.append("refused \(topic)")
            return
        }
        let snapshot = entries.filter { entry in
            entry.isLive && (entry.source == nil || entry.source == source)
                && (entry.topic == topic || entry.pattern.map { meets($0, topic) } ?? (entry.topic == nil))
        }.sorted { ($1.priority, $0.id) < ($0.priority, $1.id) }
        depth += 1
        defer { depth -= 1 }
        for entry in snapshot {
            guard let index = entries.firstIndex(where: { $0.id == entry.id }), entries[index].isLive else { continue }
            if entry.once { entries[index].isLive = false }
            log.append("\(entry.id) \(topic) \(value) @\(depth - 1)")
            do { try run(entry.script, value) } catch { log.append("threw \(entry.id)") }
        }
    }

    private func meets(_ pattern: String, _ name: String) -> Bool {
        if pattern == "**" { return true }
        let (pattern, name) = (pattern.split(separator: ":"), name.split(separator: ":"))
        if pattern.last == "**" { return name.starts(with: pattern.dropLast()) }
        return pattern.count == name.count && zip(pattern, name).allSatisfy { $0 == "*" || $0 == $1 }
    }
}

/// The actions of a handler when it is called.
private enum Script: Sendable {
    case nothing
    case fail
    case trigger(topic: Int, source: Int?)
    case cancel(Int)
    case watch(topic: Int, source: Int?, priority: Int8)
}

/// Drives a bus and its model with the same random steps, all on one thread.
private final class Rig: @unchecked Sendable {
    // Unchecked because handlers run inside `trigger`, on the thread of the test.
    static let names = ["a", "a:b", "a:c", "a:b:c", "d"]
    static let topics = names.map { try? Topic<Int>(named: $0) }
    static let patterns = ["a:*", "a:**", "**", "*", "a:*:c"]

    let bus: EventBus
    let model: ModelBus
    var log: [String] = []
    var watches: [Int: Watch] = [:]
    var sources: [Int: Thing] = [:]
    var lastID = 0
    var random: SeededRandom

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        let limit = Int.random(in: 1...6, using: &random)
        (bus, model) = (EventBus(depthLimit: limit), ModelBus(depthLimit: limit))
        for id in 0..<3 { sources[id] = Thing() }
        bus.onFailure { [unowned self] failure in
            if (failure.error as? EventBusError)?.code == .nestedTooDeep { log.append("refused \(failure.name)") }
        }
    }

    func step() {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<6: addWatch()
        case 6..<9:
            let id = Int.random(in: 0...max(lastID, 1), using: &random)
            watches[id]?.cancel()
            model.cancel(id)
        case 9:
            let source = Int.random(in: 0..<3, using: &random)
            model.kill(source: source)
            sources[source] = Thing()
        default:
            let topic = Int.random(in: 0..<Self.names.count, using: &random)
            trigger(topic, from: Bool.random(using: &random) ? nil : Int.random(in: 0..<3, using: &random))
        }
    }

    private func addWatch() {
        let kind = Int.random(in: 0..<10, using: &random)
        let source = Int.random(in: 0..<3, using: &random) == 0 ? Int.random(in: 0..<3, using: &random) : nil
        let priority = Int8(Int.random(in: 0..<4, using: &random) == 0 ? Int.random(in: -2...2, using: &random) : 0)
        let once = Int.random(in: 0..<6, using: &random) == 0
        if kind < 6 {
            watch(
                topic: Int.random(in: 0..<Self.names.count, using: &random), source: source, priority: priority,
                once: once, script: script())
        } else if kind < 9 {
            watch(pattern: Self.patterns.randomElement(using: &random)!, source: source, priority, once, script())
        } else {
            watch(pattern: "**", source: source ?? 0, priority, once, script())
        }
    }

    private func script() -> Script {
        switch Int.random(in: 0..<10, using: &random) {
        case 0: .fail
        case 1, 2:
            .trigger(
                topic: Int.random(in: 0..<Self.names.count, using: &random),
                source: Bool.random(using: &random) ? nil : Int.random(in: 0..<3, using: &random))
        case 3: .cancel(Int.random(in: 0...lastID + 2, using: &random))
        case 4: .watch(topic: Int.random(in: 0..<Self.names.count, using: &random), source: nil, priority: 1)
        default: .nothing
        }
    }

    private func watch(topic: Int, source: Int?, priority: Int8, once: Bool, script: Script) {
        lastID += 1
        let id = lastID
        model.watch(
            .init(
                id: id, topic: Self.names[topic], pattern: nil, source: source, priority: Int(priority), once: once,
                script: script))
        watches[id] = bus.watch(
            Self.topics[topic]!, from: source.flatMap { sources[$0] }, priority: priority, once: once
        ) { [unowned self] in
            log.append("\(id) \($0.name) \($0.payload) @\($0.depth)")
            do { try run(script, $0.payload) } catch {
                log.append("threw \(id)")
                throw error
            }
        }
    }

    private func watch(pattern: String, source: Int?, _ priority: Int8, _ once: Bool, _ script: Script) {
        lastID += 1
        let id = lastID
        model.watch(
            .init(
                id: id, topic: nil, pattern: pattern, source: source, priority: Int(priority), once: once,
                script: script))
        watches[id] = try? bus.watch(
            TopicPattern(parsing: pattern), from: source.flatMap { sources[$0] }, priority: priority, once: once
        ) { [unowned self] in
            log.append("\(id) \($0.name) \($0.payload as? Int ?? -1) @\($0.depth)")
            do { try run(script, $0.payload as? Int ?? -1) } catch {
                log.append("threw \(id)")
                throw error
            }
        }
    }

    private func run(_ script: Script, _ value: Int) throws {
        switch script {
        case .nothing: break
        case .fail: throw Oops(value)
        case .trigger(let topic, let source):
            bus.trigger(Self.topics[topic]!, value + 1, from: source.flatMap { sources[$0] })
        case .cancel(let id): watches[id]?.cancel()
        case .watch(let topic, _, let priority):
            nestedID += 1
            let id = nestedID
            watches[id] = bus.watch(Self.topics[topic]!, priority: priority) { [unowned self] in
                log.append("\(id) \($0.name) \($0.payload) @\($0.depth)")
            }
        }
    }

    /// The numbers of the watches that scripts make, counted on both sides.
    private var nestedID = 0
    private var modelNestedID = 0

    private func trigger(_ topic: Int, from source: Int?) {
        (nestedID, modelNestedID) = (lastID, lastID)
        let before = model.log.count
        log = []
        bus.trigger(Self.topics[topic]!, 0, from: source.flatMap { sources[$0] })
        func runModel(_ script: Script, _ value: Int) throws {
            switch script {
            case .nothing: break
            case .fail: throw Oops(value)
            case .trigger(let topic, let source):
                model.trigger(Self.names[topic], value + 1, from: source, run: runModel)
            case .cancel(let id): if id <= modelNestedID { model.cancel(id) }
            case .watch(let topic, _, let priority):
                modelNestedID += 1
                model.watch(
                    .init(
                        id: modelNestedID, topic: Self.names[topic], pattern: nil, source: nil,
                        priority: Int(priority), once: false, script: .nothing))
            }
        }
        model.trigger(Self.names[topic], 0, from: source, run: runModel)
        lastID = nestedID
        let expected = Array(model.log[before...])
        #expect(log == expected)
        #expect(nestedID == modelNestedID)
    }

    func checkLiveness() {
        let live = Set(model.entries.filter { $0.isLive && $0.source == nil }.map(\.id))
        let dead = Set(model.entries.filter { !$0.isLive && $0.source == nil }.map(\.id))
        for (id, watch) in watches {
            if live.contains(id) { #expect(watch.isLive) }
            if dead.contains(id) { #expect(!watch.isLive) }
        }
    }
}

@Suite("The bus against a sequential model", .timeLimit(.minutes(5)))
struct ModelTests {
    @Test("Random scripts of watch, cancel, trigger, throw and nest agree step by step", arguments: 0..<60)
    func scripts(seed: Int) {
        let rounds = soak ? 40 : 2
        for round in 0..<rounds {
            let rig = Rig(seed: UInt64(seed * 1000 + round))
            for _ in 0..<120 { rig.step() }
            rig.checkLiveness()
        }
    }
}
