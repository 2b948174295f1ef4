import Synchronization

/// The origin of an event: the part of the system, the time, and the work that it belongs to.
///
/// Metadata follows the triggers that a handler makes. A trigger takes the ``current`` metadata of its task; while a
/// handler runs, inline or queued, that is the work and the trace of its event. An ``EventInterceptor`` can change
/// the metadata of every event of a bus.
///
/// ```swift
/// let bus = EventBus()
/// let ordered = Topic<Int>("order:placed"), paid = Topic<Int>("order:paid")
/// let watches = [
///     bus.watch(ordered) { bus.trigger(paid, $0.payload) },
///     bus.watch(paid) { print($0.metadata?.correlationID ?? "") },  // request-7
/// ]
/// EventMetadata(correlationID: "request-7").whileCurrent {
///     bus.trigger(ordered, 5)
/// }
/// for watch in watches { watch.cancel() }
/// ```
///
/// Metadata costs nothing in a program that doesn't use it.
public struct EventMetadata: Hashable, Sendable {
    /// The part of the system that triggered the event, such as a device or a service.
    public var source: String?
    /// The time of the trigger, since 1970-01-01 00:00 UTC.
    public var time: Duration?
    /// The work that the event belongs to, such as a request.
    public var correlationID: String?
    /// The position in a distributed trace: the value of a `traceparent` header of W3C Trace Context.
    public var traceParent: String?
    /// The value of a `tracestate` header, the vendors' part of the trace, as received.
    public var traceState: String?
    /// Further values of the event by name, such as the headers of a broker's message.
    public var headers: [String: String]

    /// Creates metadata.
    public init(
        source: String? = nil, time: Duration? = nil, correlationID: String? = nil, traceParent: String? = nil,
        traceState: String? = nil, headers: [String: String] = [:]
    ) {
        self.source = source
        self.time = time
        self.correlationID = correlationID
        self.traceParent = traceParent
        self.traceState = traceState
        self.headers = headers
    }

    /// The metadata of the triggers inside a handler of the event: its work and its trace, but not what belongs to the
    /// event alone.
    fileprivate var inherited: EventMetadata {
        EventMetadata(correlationID: correlationID, traceParent: traceParent, traceState: traceState)
    }

    /// The metadata for triggers of the current task; nil if there is none.
    public static var current: EventMetadata? { MetadataBox.current?.metadata }

    /// Runs a closure whose triggers have this metadata.
    @discardableResult
    public func whileCurrent<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        MetadataBox.isUsed.store(true, ordering: .relaxed)
        // `withValue` rethrows any error, and a typed result keeps the closure's own.
        return try MetadataBox.$current.withValue(MetadataBox(self)) {
            Swift.Result { () throws(Failure) in try body() }
        }.get()
    }

    /// Runs an asynchronous closure whose triggers have this metadata.
    @discardableResult
    public func whileCurrent<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        MetadataBox.isUsed.store(true, ordering: .relaxed)
        return try await MetadataBox.$current.withValue(MetadataBox(self), operation: body)
    }
}

/// Metadata in one reference, which is nil for events without metadata.
final class MetadataBox: Sendable {
    let metadata: EventMetadata

    /// The metadata of the current task.
    @TaskLocal static var current: MetadataBox?
    /// Whether the process has ever made metadata current; otherwise triggers don't read the task-local value.
    static let isUsed = Atomic(false)

    init(_ metadata: EventMetadata) { self.metadata = metadata }

    /// The current metadata for a trigger.
    static var ofTrigger: MetadataBox? { isUsed.load(ordering: .relaxed) ? current : nil }

    /// The metadata for triggers inside a handler.
    private var inherited: MetadataBox {
        let inherited = metadata.inherited
        return inherited == metadata ? self : MetadataBox(inherited)
    }

    /// Runs a delivery as part of an event.
    static func deliver<Result>(_ box: MetadataBox?, _ body: () -> Result) -> Result {
        // Also for events without metadata, because the event may be from another thread than the caller's.
        guard box != nil || isUsed.load(ordering: .relaxed) else { return body() }
        isUsed.store(true, ordering: .relaxed)
        return $current.withValue(box?.inherited, operation: body)
    }

    /// Runs a queued handler as part of an event.
    static func handle<Result>(
        _ box: MetadataBox?, isolation: isolated (any Actor)?, _ body: () async throws -> Result
    ) async rethrows -> Result {
        guard let box else { return try await body() }
        return try await $current.withValue(box.inherited, operation: body, isolation: isolation)
    }
}
