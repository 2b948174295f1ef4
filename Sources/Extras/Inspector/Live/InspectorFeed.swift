internal import Ashlar
internal import AshlarCore
internal import AshlarEventBus
internal import AshlarLogging
internal import AshlarNetworking
internal import AshlarTelemetry
internal import Foundation

/// The newest lines, requests and events of an app, in limited memory.
///
/// Each browser has a cursor into these lists instead of a queue, so a slow one costs nothing: it misses items, and
/// receives their number.
final class InspectorFeed: Sendable {
    static let lineLimit = 5000
    static let requestLimit = 1000
    static let eventLimit = 1000

    private struct State: Sendable {
        var lines = InspectorRing<LiveLine>(capacity: InspectorFeed.lineLimit)
        var requests = InspectorRing<LiveRequest>(capacity: InspectorFeed.requestLimit)
        var events = InspectorRing<InspectedEvent>(capacity: InspectorFeed.eventLimit)
        /// The lines that were logged before the earlier ones were read; nil after that.
        var waiting: [LiveLine]? = []
        /// The starts of the running requests by their numbers.
        var running: [UInt64: LiveRequest] = [:]
    }

    private let state = Mutex(State())

    /// Adds a line; before ``begin(after:)``, it waits.
    func add(_ line: LiveLine) {
        state.withLock { state in
            if state.waiting == nil { state.lines.append(line) } else { state.waiting?.append(line) }
        }
    }

    /// Adds the lines that were logged before the first waiting one, and then those that wait.
    ///
    /// A line that was written to the run file and is waiting occurs once.
    func begin(after earlier: [LiveLine]) {
        state.withLock { state in
            let waiting = state.waiting ?? []
            state.waiting = nil
            // The time in a run file has milliseconds.
            let first = waiting.first.map { $0.time / 1000 } ?? .max
            let known = Set(waiting.map(\.text))
            for line in earlier where line.time / 1000 < first || !known.contains(line.text) {
                state.lines.append(line)
            }
            for line in waiting { state.lines.append(line) }
        }
    }

    /// Adds an event with the next number.
    func add(_ event: InspectedEvent) {
        state.withLock { state in
            var event = event
            event.number = state.events.end + 1
            state.events.append(event)
        }
    }

    func begin(_ activity: NetworkEvent) {
        let request = LiveRequest(id: activity.id, activity.request)
        state.withLock { state in
            state.requests.append(request)
            if state.running.count < Self.requestLimit { state.running[request.id] = request }
        }
    }

    /// Adds the measurements of an exchange to its request, unless that has ended, as after a cancellation.
    func measure(_ activity: NetworkEvent) {
        guard let metrics = activity.metrics else { return }
        state.withLock { $0.running[activity.id]?.measure(metrics) }
    }

    func end(_ activity: NetworkEvent) {
        let now = LogTime.now.nanoseconds / 1000
        let unknown = LiveRequest(id: activity.id, activity.request)
        let error = activity.error.map { error in
            error.message.isEmpty ? error.code.rawValue : "\(error.code.rawValue): \(error.message)"
        }
        state.withLock { state in
            var request = state.running.removeValue(forKey: activity.id) ?? unknown
            request.duration = Double(now - request.startedAt) / 1000
            request.status = activity.status
            request.size = activity.received
            request.error = error
            state.requests.append(request)
        }
    }

    /// Returns the items after a cursor, and moves it behind them.
    func take(after cursor: inout InspectorCursor, sections: [String: JSONEntity] = [:]) -> InspectorBatch {
        let state = state.withLock { $0 }
        let (lines, missedLines) = state.lines.items(from: cursor.line)
        let (requests, missedRequests) = state.requests.items(from: cursor.request)
        let (events, missedEvents) = state.events.items(from: cursor.event)
        cursor.line = state.lines.end
        cursor.request = state.requests.end
        cursor.event = state.events.end
        return InspectorBatch(
            lines: lines, requests: requests, events: events, sections: sections,
            missed: .init(lines: missedLines, requests: missedRequests, events: missedEvents))
    }
}

/// The newest items of an unlimited sequence, numbered from 0.
struct InspectorRing<Item: Sendable>: Sendable {
    private let capacity: Int
    private var items: [Item] = []
    /// The place of the oldest item in `items`; once the array is full, items replace the oldest ones.
    private var start = 0
    /// The number of the next item.
    private(set) var end = 0

    init(capacity: Int) { self.capacity = capacity }

    mutating func append(_ item: Item) {
        if items.count < capacity {
            items.append(item)
        } else {
            items[start] = item
            start = (start + 1) % capacity
        }
        end += 1
    }

    /// Returns the items from a number on, and the number of those before them that are gone.
    func items(from number: Int) -> (items: [Item], missed: Int) {
        let first = end - items.count
        let skipped = max(0, number - first)
        guard skipped < items.count else { return ([], 0) }
        let ordered = items[start...] + items[..<start]
        return (Array(ordered.dropFirst(skipped)), max(0, first - number))
    }
}

/// The connections of a feed to an app, which end with this object.
final class InspectorTaps: Sendable {
    private let sink: Int
    private let watches = WatchBag()
    private let exchangeTaps: ExchangeTaps
    private let exchanges: Int

    init(_ feed: InspectorFeed, to app: AshlarApp) {
        let lines = ClosureSink { record in
            feed.add(LiveLine(record))
            return true
        }
        sink = LogSystem.attach(lines)
        exchangeTaps = app.exchangeTaps
        exchanges = app.exchangeTaps.add { feed.measure($0) }
        app.bus.watch(NetworkEvent.on) { feed.begin($0.payload) }.store(in: watches)
        app.bus.watch(NetworkEvent.off) { feed.end($0.payload) }.store(in: watches)
        app.bus.intercept(Topic(matching: "**"), with: InspectorTap(feed: feed)).store(in: watches)
        feed.begin(after: Self.earlierLines(of: app))
    }

    deinit {
        LogSystem.detach(sink)
        exchangeTaps.remove(exchanges)
    }

    /// The last lines of this run's file.
    private static func earlierLines(of app: AshlarApp) -> [LiveLine] {
        guard let folder = app.logFolder, let run = PriorRun.own(in: folder) else { return [] }
        LogSystem.flush()
        let lines = Array(LogReader(folder: folder).lines(of: run)).suffix(InspectorFeed.lineLimit)
        return lines.map { $0.record.map { LiveLine($0) } ?? LiveLine($0) }
    }
}

extension AshlarApp {
    /// The folder of the log; nil for a log in memory, or none.
    var logFolder: String? {
        guard case .file(let path)? = logging?.storage, let end = path.lastIndex(of: "/") else { return nil }
        return String(path[..<end])
    }
}

extension PriorRun {
    /// The run of this process in a folder.
    static func own(in folder: String) -> PriorRun? { all(in: folder).first(where: \.isOwn) }

    /// Whether the run is that of this process.
    var isOwn: Bool { outcome == .stillRunning && processID == ProcessInfo.processInfo.processIdentifier }
}
