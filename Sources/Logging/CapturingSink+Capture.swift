extension CapturingSink {
    /// Stores all lines that `body` and its child tasks log, down to `level`, regardless of thresholds and the switch.
    ///
    /// Lines below the thresholds are written to no other destination. Lines that are less severe than `level` aren't
    /// stored, even if another capture or the thresholds enable them.
    ///
    /// - Throws: The error that `body` throws.
    @discardableResult
    public func capture<R>(at level: LogLevel = .verbose, _ body: () throws -> R) rethrows -> R {
        try capture(at: level, in: .shared, body)
    }

    /// Stores all lines that asynchronous work and its child tasks log, down to `level`.
    ///
    /// - Throws: The error that `body` throws.
    @discardableResult
    public nonisolated(nonsending) func capture<R>(
        at level: LogLevel = .verbose, _ body: nonisolated(nonsending) () async throws -> R
    ) async rethrows -> R {
        LogPipeline.shared.beginCapture(level)
        defer { LogPipeline.shared.endCapture(level) }
        let active = Self.active + [Capture(sink: self, threshold: level)]
        return try await Self.$active.withValue(active) { try await body() }
    }

    func capture<R>(at level: LogLevel, in pipeline: LogPipeline, _ body: () throws -> R) rethrows -> R {
        pipeline.beginCapture(level)
        defer { pipeline.endCapture(level) }
        return try Self.$active.withValue(Self.active + [Capture(sink: self, threshold: level)]) { try body() }
    }
}
