import Synchronization

/// What a bus knows: its topics with their watchers, its patterns, and its interceptors.
///
/// The state is a value behind the one mutex of the bus. It is ready to be read: each topic has the list of its watchers in
/// calling order, in which those of matching patterns are merged when a watch is added. A trigger reads the list once.
///
/// No function runs code of a user. Watchers that a function removes are returned, and released outside the mutex.
struct BusState: Sendable {
    /// The topics that are watched, or store events, or have a literal name; a free place has an empty name.
    private var topics: [TopicState] = []
    private var indices: [String: Int] = [:]
    private var freeIndices: [Int] = []
    /// The topics by their segments, from the first pattern with segments on.
    private var names: SegmentTree<Int>?
    /// The watchers of patterns, without those of one source.
    private var patterns = SegmentTree<WatcherList>()
    /// The watchers of events of any topic from one object.
    private var bySource: [ObjectIdentifier: SourceWatchers] = [:]
    private var interceptors: [InterceptorEntry] = []
    /// Whether there is no pattern, no watcher of any topic from one object, and no interceptor.
    private var hasTopicsOnly = true
    /// The places of the topics that store events.
    private var storing: Set<Int> = []
    /// The number of the last delivered event.
    private var lastSequence: UInt64 = 0
    /// A number for the current places of topics, by which a topic recognizes the place that it has cached.
    private var stamp = BusState.nextStamp()
    /// The number of watches with an owner or a source, and the number at which those that have ended are searched for.
    private var ownedCount = 0
    private var sweepAt = 64
    var failureHook: (@Sendable (EventFailure) throws -> Void)?
    var undeliveredHook: (@Sendable (Signal<any Sendable>) -> Void)?

    private static let stamps = Atomic<UInt64>(0)

    private static func nextStamp() -> UInt64 { stamps.wrappingAdd(1, ordering: .relaxed).newValue }

    // MARK: Reading

    /// What a trigger reads.
    struct Reading: Sendable {
        /// The watchers of the event, in calling order.
        var watchers = WatcherList()
        /// The number of the event; 0 if it has no watcher, or isn't delivered at once.
        var sequence: UInt64 = 0
        /// What most events don't have; nil if the event has none of it.
        var special: Special?
    }

    struct Special: Sendable {
        var interceptors: [InterceptorEntry] = []
        /// Runs the triggers of a topic that stores events one after the other.
        var runner: SerialRunner?
        /// Whether undelivered events are reported.
        var isObserved = false
        /// Whether the topic is bound to another payload type than that of the event.
        var isMismatch = false

        /// Whether the event passes more stages than its delivery.
        var isStaged: Bool { runner != nil || !interceptors.isEmpty }
    }

    /// Returns whether nobody receives an event, at little cost: row "trigger to 0 watchers".
    func isUnheard(_ name: String, _ core: TopicCore?) -> Bool {
        hasTopicsOnly && undeliveredHook == nil && core?.keeping ?? 0 == 0 && index(of: name, core) == nil
    }

    var isHeard: Bool { !hasTopicsOnly || !indices.isEmpty || undeliveredHook != nil }

    /// Notes a change of what concerns other topics than those that have a place.
    private mutating func noteOthers() {
        hasTopicsOnly = patterns.isEmpty && bySource.isEmpty && interceptors.isEmpty
    }

    /// Reads the watchers of an event, and counts the event if it is delivered at once.
    mutating func read(
        _ name: String, _ core: TopicCore?, from source: AnyObject?, into reading: inout Reading, isPlain: Bool = true
    ) {
        let isObserved = undeliveredHook != nil
        if let index = index(of: name, core) {
            reading.watchers = topics[index].watchers(of: source)
            reading.special = topics[index].special(core, isObserved: isObserved)
        } else {
            reading.watchers = patternWatchers(of: name)
            let interceptors = interceptors.filter { $0.concerns(name) }
            if isObserved || !interceptors.isEmpty {
                reading.special = Special(interceptors: interceptors, isObserved: isObserved)
            }
        }
        // The group of an earlier object with the same address is not that of this one.
        if let source, let group = bySource[ObjectIdentifier(source)], group.source.object === source {
            reading.watchers = reading.watchers.merged(with: group.list.matching(name))
        }
        if isPlain, reading.special?.isStaged != true { count(&reading) }
    }

    /// Stores an event of a topic that stores events, and reads its watchers; returns the events that it replaces.
    mutating func store(
        _ payload: any Sendable, _ name: String, _ core: TopicCore?, _ call: TriggerCall
    ) -> (Reading, gone: [StoredEvents.Stored]) {
        // The topic may have been removed since the trigger began.
        if let core { keep(core) }
        var reading = Reading()
        read(name, core, from: call.source, into: &reading, isPlain: false)
        guard let index = index(of: name, core), topics[index].stored.limit > 0 else {
            count(&reading)
            return (reading, [])
        }
        lastSequence += 1
        let gone = topics[index].stored.add(payload, call, sequence: lastSequence)
        if !reading.watchers.isEmpty { reading.sequence = lastSequence }
        return (reading, gone)
    }

    private mutating func count(_ reading: inout Reading) {
        guard !reading.watchers.isEmpty else { return }
        lastSequence += 1
        reading.sequence = lastSequence
    }

    private func patternWatchers(of name: String) -> WatcherList {
        patterns.onlyEverything
            ?? patterns.values(matching: name).reduce(WatcherList()) { $0.merged(with: $1) }
    }

    /// Returns the place of a topic; the topic of a program caches it.
    private func index(of name: String, _ core: TopicCore?) -> Int? {
        if let core { index(of: name, core) } else { indices[name] }
    }

    private func index(of name: String, _ core: TopicCore) -> Int? {
        let cached = core.place.load(ordering: .relaxed)
        if cached >> 24 == stamp { return cached & 0xFF_FFFF == 0 ? nil : Int(cached & 0xFF_FFFF) - 1 }
        let index = indices[name]
        // Row "trigger to 0 watchers": the search takes 30 ns.
        if index ?? 0 < 0xFF_FFFF { core.place.store(stamp << 24 | UInt64((index ?? -1) + 1), ordering: .relaxed) }
        return index
    }

    // MARK: Adding and removing

    /// The consequences of a new watch, outside the mutex.
    struct Addition: Sendable {
        /// The handlers for an earlier object with the same address, which have ended.
        var ended: [EventHandler] = []
        /// The topics whose stored events the watcher receives first, with the numbers of the oldest ones.
        var storing: [(name: String, runner: SerialRunner, oldest: UInt64)] = []
        var mustSweep = false
    }

    /// Adds a watcher that names a topic.
    ///
    /// - Throws: ``EventBusError`` with the code `payloadMismatch` or `duplicateResponder`.
    mutating func add(
        _ handler: EventHandler, _ core: TopicCore, _ source: AnyObject?
    ) throws(EventBusError) -> Addition {
        var addition = Addition()
        let watcher = handler.watcher
        let name = watcher.watched
        let index = indices[name] ?? makeTopic(name)
        defer { removeIfUnused(index) }
        if let payload = core.payload { try bind(payload, at: index, watcher.location) }
        if watcher.isResponder {
            if let other = topics[index].responder {
                throw EventBusError(
                    .duplicateResponder, subject: name, expected: "one responder", location: watcher.location,
                    otherLocation: other.location)
            }
            topics[index].responder = watcher
        }
        // The name of a literal stays bound, because it is a part of the program.
        if core.isLiteral, core.payload != nil { topics[index].isDeclared = true }
        keep(core, at: index)
        if let source {
            topics[index].insert(handler, source, &addition)
            for ended in addition.ended { topics[index].count(ended.watcher, -1) }
            ownedCount -= addition.ended.count
        } else {
            topics[index].insert(handler)
        }
        topics[index].count(watcher, 1)
        join(watcher, at: index, &addition)
        count(watcher, &addition)
        return addition
    }

    /// Adds a watcher of a pattern.
    ///
    /// - Complexity: O(*n*) in the number of topics that the pattern matches.
    mutating func add(_ handler: EventHandler, _ pattern: TopicPattern, _ source: AnyObject?) -> Addition {
        var addition = Addition()
        let watcher = handler.watcher
        count(watcher, &addition)
        if let source {
            bySource.add(handler, source, &addition)
            ownedCount -= addition.ended.count
            noteOthers()
            for index in storing where pattern.matches(topics[index].name) {
                join(watcher, at: index, &addition)
            }
            return addition
        }
        change(pattern) { $0.insert(handler) }
        for index in topicIndices(of: pattern) {
            topics[index].insert(handler)
            join(watcher, at: index, &addition)
        }
        return addition
    }

    /// Changes the watchers of a pattern in place.
    private mutating func change(_ pattern: TopicPattern, _ body: (inout WatcherList) -> Void) {
        var list = patterns[pattern.segments, hasTail: pattern.hasTail] ?? WatcherList()
        patterns[pattern.segments, hasTail: pattern.hasTail] = nil
        body(&list)
        if !list.isEmpty { patterns[pattern.segments, hasTail: pattern.hasTail] = list }
        noteOthers()
    }

    private mutating func count(_ watcher: Watcher, _ addition: inout Addition) {
        guard watcher.details?.isOwned == true else { return }
        ownedCount += 1
        guard ownedCount >= sweepAt else { return }
        sweepAt = ownedCount * 2
        addition.mustSweep = true
    }

    /// Makes a new watcher receive the stored events of a topic first.
    private func join(_ watcher: Watcher, at index: Int, _ addition: inout Addition) {
        guard let runner = topics[index].runner else { return }
        watcher.beginJoining(topics[index].name)
        addition.storing.append((topics[index].name, runner, topics[index].stored.events.first?.sequence ?? .max))
    }

    /// Removes an ended watch, and returns its handler.
    ///
    /// - Complexity: O(log *n*), amortized; for a pattern, O(*n*) in the number of topics that it matches.
    mutating func remove(_ watcher: Watcher) -> EventHandler? {
        var handler: EventHandler?
        if let pattern = watcher.details?.pattern {
            if let source = watcher.details?.sourceID {
                handler = bySource.remove(watcher, source)
                noteOthers()
            } else {
                change(pattern) { handler = $0.remove(watcher) }
                for index in topicIndices(of: pattern) { _ = topics[index].remove(watcher) }
            }
        } else if let index = indices[watcher.watched] {
            handler = topics[index].remove(watcher)
            if topics[index].responder === watcher { topics[index].responder = nil }
            if handler != nil { topics[index].count(watcher, -1) }
            removeIfUnused(index)
        }
        if handler != nil, watcher.details?.isOwned == true { ownedCount -= 1 }
        return handler
    }

    /// All handlers, in any order.
    var handlers: [EventHandler] {
        let named = topics.flatMap { topic in
            topic.watchers.handlers.filter { $0.watcher.details?.pattern == nil } + topic.bySource.handlers
        }
        return named + patterns.values.flatMap { Array($0.handlers) } + bySource.handlers
    }

    // MARK: Topics

    private mutating func makeTopic(_ name: String) -> Int {
        let topic = TopicState(
            name: name, watchers: patternWatchers(of: name), interceptors: interceptors.filter { $0.concerns(name) })
        let index = freeIndices.popLast() ?? topics.count
        if index == topics.count { topics.append(topic) } else { topics[index] = topic }
        indices[name] = index
        names?[TopicName.segments(of: name)] = index
        stamp = Self.nextStamp()
        return index
    }

    private mutating func removeIfUnused(_ index: Int) {
        guard topics[index].isUnused else { return }
        let name = topics[index].name
        topics[index] = TopicState(name: "")
        indices[name] = nil
        freeIndices.append(index)
        storing.remove(index)
        names?[TopicName.segments(of: name)] = nil
        stamp = Self.nextStamp()
    }

    /// Returns the places of the topics that a pattern matches.
    private mutating func topicIndices(of pattern: TopicPattern) -> [Int] {
        if pattern.isEverything { return Array(indices.values) }
        if names == nil {
            names = SegmentTree()
            for (name, index) in indices { names?[TopicName.segments(of: name)] = index }
        }
        return names?.values(matchedBy: pattern) ?? []
    }

    /// Binds a topic to a payload type as long as it is watched, or for good if its name is a literal.
    private mutating func bind(_ payload: Any.Type, at index: Int, _ location: EventLocation) throws(EventBusError) {
        guard let binding = topics[index].binding else {
            topics[index].binding = TopicBinding(payload: payload, location: location)
            return
        }
        if binding.payload != payload { throw binding.mismatch(topics[index].name, payload, location) }
    }

    /// Makes a topic store events, if it is declared so.
    private mutating func keep(_ core: TopicCore, at index: Int) {
        guard core.keeping > 0, core.keeping > topics[index].stored.limit else { return }
        topics[index].stored.limit = core.keeping
        if topics[index].runner == nil { topics[index].runner = SerialRunner() }
        storing.insert(index)
    }

    /// Makes the topic of a trigger exist if it stores events.
    mutating func keep(_ core: TopicCore) {
        if core.keeping > 0 { keep(core, at: indices[core.name] ?? makeTopic(core.name)) }
    }

    func topic(_ name: String) -> TopicState? { indices[name].map { topics[$0] } }

    /// Removes the stored events of a topic, and returns them.
    mutating func clearStored(_ name: String) -> [StoredEvents.Stored] {
        guard let index = indices[name] else { return [] }
        defer { removeIfUnused(index) }
        return topics[index].stored.removeAll()
    }

    var topicCount: Int { indices.count }

    /// The number of nodes in the tree of patterns.
    var patternNodeCount: Int { patterns.nodeCount }

    /// Returns the kinds of interest in a name or pattern.
    func interest(in pattern: TopicPattern) -> Set<EventInterest.Kind> {
        guard let name = pattern.exactName else {
            return patterns[pattern.segments, hasTail: pattern.hasTail] == nil ? [] : [.events]
        }
        return topic(name)?.interest ?? []
    }

    // MARK: Interceptors

    /// - Complexity: O(*n*) in the number of topics.
    mutating func add(_ interceptor: InterceptorEntry) {
        interceptors.append(interceptor)
        noteOthers()
        for index in indices.values where interceptor.concerns(topics[index].name) {
            topics[index].interceptors.append(interceptor)
        }
    }

    mutating func remove(_ interceptor: InterceptorEntry) {
        interceptors.removeAll { $0 === interceptor }
        noteOthers()
        for index in topics.indices { topics[index].interceptors.removeAll { $0 === interceptor } }
    }
}
