public import Ashlar
internal import AshlarCore
public import AshlarEventBus
internal import AshlarLogging
internal import Foundation

/// The connection of an app to its other processes, by NATS.
///
/// Events of the topics in the table reach the other processes, and theirs arrive on the app's bus. Without a server,
/// the app works alone; the fleet connects when a server responds.
///
/// ```swift
/// import Ashlar
/// import AshlarFleet
///
/// let app = AshlarApp()
/// var topics = FleetTopics()
/// topics.share("note:*:shown", of: Int.self)
/// let fleet = try await Fleet.connect(app, to: "nats://127.0.0.1:4222", topics: topics)
/// await fleet.close()
/// ```
///
/// The state is ``state``, and each change of it is an event, ``stateChanged``. A fleet is thread-safe; it ends with
/// ``close()`` or when it is released.
public final class Fleet: Sendable {
    /// The event of each new state.
    public static let stateChanged = Topic<FleetState>("fleet:stateChanged", keeping: 1)

    /// The identity of this process in the fleet.
    public let id: String
    let connection: NatsConnection
    let bridge: FleetBridge
    let presence: FleetPresence
    let settingsBucket: KeyValueBucket
    let leaders: KeyValueBucket
    private let tasks: [Task<Void, Never>]

    /// Connects an app.
    ///
    /// Waits for the end of the first attempt to connect, at most ``FleetOptions/timeout`` for each server, or for the
    /// cancellation of the task, and blocks no thread. Attempts go on until the connection is closed.
    ///
    /// Keep the fleet in a property: it closes when it is released, and optimized code releases a local constant after its
    /// last use.
    ///
    /// - Parameters:
    ///   - app: The app.
    ///   - servers: The URL of a server, such as `nats://127.0.0.1:4222` or `tls://nats.example.org`, or several of them,
    ///     separated by commas.
    ///   - role: The role of the process, such as `worker`: letters, digits, `-` and `_`. The processes of one role share
    ///     at-least-once events, so a table with such topics requires it.
    ///   - options: The settings of the connection.
    ///   - topics: The topics that leave the process.
    /// - Returns: The fleet, connected or not; see ``state``.
    /// - Throws: ``FleetError`` with the code `libraryMissing` if the C client of NATS isn't installed, or
    ///   `invalidOptions`, also for at-least-once topics without a role, or of which a stream can't have both.
    public static func connect(
        _ app: AshlarApp, to servers: String, role: String? = nil, options: FleetOptions = FleetOptions(),
        topics: FleetTopics = FleetTopics()
    ) async throws(FleetError) -> Fleet {
        try await connect(app.bus, servers, role, options, topics, app)
    }

    /// Connects a bus without an app; see ``connect(_:to:role:options:topics:)-(AshlarApp,_,_,_,_)``.
    ///
    /// Such a process shares no settings.
    public static func connect(
        _ bus: EventBus, to servers: String, role: String? = nil, options: FleetOptions = FleetOptions(),
        topics: FleetTopics = FleetTopics()
    ) async throws(FleetError) -> Fleet {
        try await connect(bus, servers, role, options, topics, nil)
    }

    private static func connect(
        _ bus: EventBus, _ servers: String, _ role: String?, _ options: FleetOptions, _ topics: FleetTopics,
        _ app: AshlarApp?
    ) async throws(FleetError) -> Fleet {
        var options = options
        options.role = role
        let fleet = try Fleet(bus, servers, options, topics, app: app)
        await fleet.connection.firstAttempt()
        return fleet
    }

    init(
        _ bus: EventBus, _ servers: String, _ options: FleetOptions, _ topics: FleetTopics, app: AshlarApp? = nil
    ) throws(FleetError) {
        try topics.check(role: options.role)
        let connection = try NatsConnection(servers, options)
        let id = NatsConnection.randomToken()
        self.id = id
        self.connection = connection
        bridge = FleetBridge(bus, connection, topics)
        let prefix = options.prefix
        settingsBucket = KeyValueBucket(prefix + "_settings", connection)
        leaders = KeyValueBucket(prefix + "_leaders", connection)
        let process = ProcessInfo.processInfo
        let member = FleetMember(
            id: id, role: options.role ?? "", host: process.hostName, processID: process.processIdentifier,
            joined: Date())
        presence = FleetPresence(
            KeyValueBucket(prefix + "_members", connection, age: FleetPresence.limit), member)
        let started = app?.additions.lazy.compactMap { $0 as? FleetSettings }.first
        let states = Task { [weak bus] in
            for await state in connection.state.changes() {
                if case .reconnecting = state, state != NatsConnection.beginning {
                    Log("fleet").warning("\(state)")
                } else {
                    Log("fleet").info("\(state)")
                }
                bus?.trigger(Self.stateChanged, state)
            }
        }
        let settings =
            if let app, let started { [started.follow(settingsBucket, app)] } else { [Task<Void, Never>]() }
        tasks = [states] + settings
        app?.reports.withLock { reports in
            reports["Fleet"] = { [weak self] in self?.report ?? [] }
        }
    }

    deinit {
        bridge.stop()
        for task in tasks { task.cancel() }
    }

    /// The state of the connection.
    public var state: FleetState { connection.state.current }

    /// Returns the state, and then each new one.
    public func changes() -> AsyncStream<FleetState> { connection.state.changes() }

    /// What was sent, received and lost so far.
    public var counters: FleetCounters { bridge.counting.current }

    /// The rows of the app's debug report.
    private var report: [(title: String, subtitle: String?)] {
        [("\(state)", id)] + members.map { ("\($0.role)@\($0.host)[\($0.processID)]", nil) }
            + Mirror(reflecting: counters).children.map { ("\($0.label ?? ""): \($0.value)", nil) }
    }

    /// Waits until the server has stored all at-least-once events that were triggered before.
    ///
    /// - Throws: ``FleetError`` of an event that can't be stored; `CancellationError`; or the error of a connected server
    ///   that has stored no events for ``FleetOptions/timeout``, such as one without JetStream or with a full disk. The
    ///   events then still wait for a server that stores them. `send` of an event has the same error among its failures.
    public func flush() async throws { try await bridge.stored.flush() }

    /// Ends the connection, after everything that was published has been sent.
    ///
    /// At-least-once events that the server hasn't stored are lost, and counted in ``FleetCounters/unpublished``; call
    /// ``flush()`` before. Events that were received and not handled are given back. The method waits a quarter of a
    /// second for handlers that run; an event whose handler takes longer is delivered again after ten seconds. It also
    /// waits for the end of an attempt to connect, so that the process can end after it.
    public func close() async {
        await bridge.finish(within: .milliseconds(250))
        await presence.leave()
        let connection = connection
        await withCheckedContinuation { continuation in
            let end = { @Sendable in
                connection.close()
                continuation.resume()
            }
            if !HelperThread.start(end) { end() }
        }
        for task in tasks { task.cancel() }
    }
}
