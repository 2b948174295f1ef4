/// A receiver of the lines of a closure, regardless of the thresholds and the switch.
package struct LogCapture: Sendable {
    /// The least severe level that the receiver gets.
    let threshold: LogLevel
    let receive: @Sendable (LogRecord) -> Void

    /// The captures around the current code; child tasks inherit them.
    @TaskLocal static var active: [LogCapture] = []

    /// Creates a capture.
    package init(at threshold: LogLevel, receive: @escaping @Sendable (LogRecord) -> Void) {
        self.threshold = threshold
        self.receive = receive
    }

    /// Runs `body` and passes the lines that it and its child tasks log to the receiver.
    ///
    /// Lines below the thresholds are written to no other destination.
    package func run<Result>(_ body: () throws -> Result) rethrows -> Result { try run(in: .shared, body) }

    /// Runs asynchronous work and passes the lines that it and its child tasks log to the receiver.
    package nonisolated(nonsending) func run<Result>(
        _ body: nonisolated(nonsending) () async throws -> Result
    ) async rethrows -> Result {
        LogPipeline.shared.beginCapture(threshold)
        defer { LogPipeline.shared.endCapture(threshold) }
        return try await Self.$active.withValue(Self.active + [self]) { try await body() }
    }

    func run<Result>(in pipeline: LogPipeline, _ body: () throws -> Result) rethrows -> Result {
        pipeline.beginCapture(threshold)
        defer { pipeline.endCapture(threshold) }
        return try Self.$active.withValue(Self.active + [self]) { try body() }
    }
}
