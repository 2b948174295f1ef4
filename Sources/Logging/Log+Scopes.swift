import Synchronization

extension Log {
    /// Runs `body` between two lines and indents what it logs, also in the child tasks that it starts.
    ///
    /// The second line repeats the name with `DONE` and the duration, or with `FAILED`, the duration and the error that
    /// `body` threw. The lines inside are indented whatever the level of the scope. Calls of `indent` that `body` leaves
    /// out of balance are put right at the end and counted.
    ///
    /// ```swift
    /// let log = Log("Importer")
    /// let count = log.scope("import", ["files": 3]) {
    ///     log.info("reading")
    ///     return 42
    /// }
    /// ```
    ///
    /// prints
    ///
    /// ```text
    /// [DEBUG] Importer - import files=3
    ///   [INFO] Importer - reading
    /// [DEBUG] Importer - import DONE duration=0.120ms
    /// ```
    ///
    /// - Throws: What `body` throws.
    @discardableResult
    public func scope<Value, Failure: Error>(
        _ name: @autoclosure () -> LogMessage, _ fields: @autoclosure () -> LogFields = LogFields(),
        level: LogLevel = .debugging, file: StaticString = #fileID, function: StaticString = #function,
        line: UInt = #line, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let scope = OpenScope(self, level, isEnabled(level) ? name() : nil, fields, (file, function, line))
        let result = LogIndent.$scopeDepth.withValue(scope.depth) { () -> Result<Value, Failure> in
            do throws(Failure) {
                return .success(try body())
            } catch {
                return .failure(error)
            }
        }
        scope.close(result)
        return try result.get()
    }

    /// Runs asynchronous work between two lines and indents what it logs, also in its child tasks and task groups.
    ///
    /// The work stays on the caller's actor. Otherwise as the synchronous form.
    ///
    /// - Throws: What `body` throws.
    @discardableResult
    public nonisolated(nonsending) func scope<Value, Failure: Error>(
        _ name: @autoclosure () -> LogMessage, _ fields: @autoclosure () -> LogFields = LogFields(),
        level: LogLevel = .debugging, file: StaticString = #fileID, function: StaticString = #function,
        line: UInt = #line, _ body: nonisolated(nonsending) () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let scope = OpenScope(self, level, isEnabled(level) ? name() : nil, fields, (file, function, line))
        let result = await LogIndent.$scopeDepth.withValue(scope.depth) { () async -> Result<Value, Failure> in
            do throws(Failure) {
                return .success(try await body())
            } catch {
                return .failure(error)
            }
        }
        scope.close(result)
        return try result.get()
    }
}

/// A scope between its two lines.
private struct OpenScope {
    private let log: Log
    private let level: LogLevel
    /// The name, if the first line was written.
    private let name: LogMessage?
    private let place: (file: StaticString, function: StaticString, line: UInt)
    private let begin: Int64
    private let indentBefore: Int
    /// The depth inside.
    let depth: Int

    init(
        _ log: Log, _ level: LogLevel, _ name: LogMessage?, _ fields: () -> LogFields,
        _ place: (StaticString, StaticString, UInt)
    ) {
        (self.log, self.level, self.name, self.place) = (log, level, name, place)
        if let name, log.core.begin() {
            log.core.emit(level, name, fields(), place.0, place.1, place.2)
        }
        LogIndent.openScopes.add(1, ordering: .relaxed)
        depth = LogIndent.scopeDepth + 1
        indentBefore = LogIndent.imperativeDepth(on: .current)
        begin = SystemCalls.monotonicClock()
    }

    func close<Value, Failure>(_ result: Result<Value, Failure>) {
        let duration = Duration.nanoseconds(SystemCalls.monotonicClock() - begin)
        LogIndent.openScopes.subtract(1, ordering: .relaxed)
        let thread = ThreadContext.current
        if LogIndent.imperativeDepth(on: thread) != indentBefore {
            LogIndent.setImperativeDepth(indentBefore, on: thread)
            log.core.pipeline.counters.withLock { $0.unbalancedIndents += 1 }
        }
        // The switch may have been turned off meanwhile.
        guard let name, log.isEnabled(level), log.core.begin() else { return }
        var fields: LogFields = ["duration": duration]
        let message: LogMessage
        switch result {
        case .success: message = "\(name) DONE"
        case .failure(let error):
            message = "\(name) FAILED"
            fields.append("error", String(describing: error))
        }
        log.core.emit(level, message, fields, place.file, place.function, place.line)
    }
}
