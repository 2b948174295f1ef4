internal import AshlarCore
internal import AshlarLogging

/// A step of a distributed trace; while it is active, every line has its identifiers.
///
/// The lines of the task and its child tasks, with any logger, have the fields `trace_id` and `span_id`, by which
/// collectors show a line with its trace. A span isn't sent anywhere itself.
///
/// ```swift
/// let span = TraceSpan()
/// span.whileActive {
///     Log("Order").info("placed")  // trace_id=… span_id=…
///     TraceSpan.next.whileActive { Log("Order").info("paid") }  // the same trace_id, another span_id
/// }
/// ```
public struct TraceSpan: Hashable, Sendable {
    private let parent: TraceParent

    /// The active span of the current task; nil if there is none.
    @TaskLocal public static var current: TraceSpan?

    private init(_ parent: TraceParent) { self.parent = parent }

    /// Creates the first span of a new trace.
    public init(isSampled: Bool = true) { self.init(TraceParent(isSampled: isSampled)) }

    /// Creates the next span of a trace from the `traceparent` field of a request (W3C Trace Context); nil if it is
    /// malformed.
    ///
    /// Only the form of the specification is accepted: lowercase hexadecimal digits, no identifier of zeros only, and not
    /// the version `ff`.
    public init?(traceparent text: String) {
        guard let parent = TraceParent(parsing: text) else { return nil }
        self.init(parent.child())
    }

    /// The identifier of the whole trace: 32 hexadecimal digits.
    public var traceID: String { parent.traceID }

    /// The identifier of this step: 16 hexadecimal digits.
    public var spanID: String { parent.parentID }

    /// Whether the trace is recorded.
    public var isSampled: Bool { parent.isSampled }

    /// The next span of the current task's trace, or the first one of a new trace.
    public static var next: TraceSpan { current?.child() ?? TraceSpan() }

    /// Returns a new span of the same trace.
    public func child() -> TraceSpan { TraceSpan(parent.child()) }

    /// The value of the `traceparent` field of a request that this span sends.
    public var traceparent: String { parent.description }

    private var fields: LogFields { ["trace_id": .public(traceID), "span_id": .public(spanID)] }

    /// Runs `body` while the span is active.
    ///
    /// - Throws: The error that `body` throws.
    public func whileActive<R>(_ body: () throws -> R) rethrows -> R {
        try Self.$current.withValue(self) { try LogSystem.withFields(fields) { try body() } }
    }

    /// Runs asynchronous work while the span is active.
    ///
    /// - Throws: The error that `body` throws.
    public nonisolated(nonsending) func whileActive<R>(
        _ body: nonisolated(nonsending) () async throws -> R
    ) async rethrows -> R {
        try await Self.$current.withValue(self) { try await LogSystem.withFields(fields) { try await body() } }
    }
}
