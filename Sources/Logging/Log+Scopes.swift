internal import Synchronization

extension Log {
    /// Changes the depth of the following lines by one level.
    ///
    /// As in MyLogger, all loggers share the depth. Log the first line before `indent(true)`, and the last line after
    /// `indent(false)`. The depth belongs to the current task, or to the current thread outside of tasks. It changes
    /// even if the logger's level is below the threshold. A surplus `indent(false)` changes nothing.
    ///
    /// ```swift
    /// let log = Log("EntryFieldHelper")
    /// log.debug("initWithView:")
    /// log.indent(true)
    /// log.indent(false).debug("initWithView: DONE")
    /// ```
    ///
    /// Code that awaits, throws or returns early should use `scope(_:_:level:file:function:line:_:)` instead.
    @discardableResult
    public func indent(_ deeper: Bool) -> Log {
        LogIndent.change(deeper, counters: core.pipeline.counters)
        return self
    }

    /// Runs `body` between two lines, and indents its lines and those of its child tasks.
    ///
    /// The second line repeats the name with `DONE` and the duration, or with `FAILED`, the duration and the error that
    /// `body` throws. All lines of the scope have the fields. If its level is below the threshold, the scope evaluates
    /// neither the name nor the fields. An unbalanced `indent` in `body` is corrected at the end.
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
    ///   [INFO] Importer - reading files=3
    /// [DEBUG] Importer - import DONE files=3 duration=120.000us
    /// ```
    ///
    /// - Throws: The error that `body` throws.
    @discardableResult
    public func scope<Value, Failure: Error>(
        _ name: @autoclosure () -> LogMessage, _ fields: @autoclosure () -> LogFields = LogFields(),
        level: LogLevel = .debug, file: String = #fileID, function: String = #function,
        line: UInt = #line, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let site = CallSite(file: file, function: function, line: line)
        let scope = OpenScope(self, level, name: isEnabled(level) ? name() : nil, fields: fields, site: site)
        let result = ScopeState.$current.withValue(scope.state) { () -> Result<Value, Failure> in
            do throws(Failure) {
                return .success(try body())
            } catch {
                return .failure(error)
            }
        }
        scope.close(result)
        return try result.get()
    }

    /// Runs asynchronous work between two lines, and indents its lines and those of its child tasks.
    ///
    /// The work stays on the caller's actor. In other respects, the method is the same as the synchronous one.
    ///
    /// - Throws: The error that `body` throws.
    @discardableResult
    public nonisolated(nonsending) func scope<Value, Failure: Error>(
        _ name: @autoclosure () -> LogMessage, _ fields: @autoclosure () -> LogFields = LogFields(),
        level: LogLevel = .debug, file: String = #fileID, function: String = #function,
        line: UInt = #line, _ body: nonisolated(nonsending) () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let site = CallSite(file: file, function: function, line: line)
        let scope = OpenScope(self, level, name: isEnabled(level) ? name() : nil, fields: fields, site: site)
        let result = await ScopeState.$current.withValue(scope.state) { () async -> Result<Value, Failure> in
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
    private let site: CallSite
    private let start: Int64
    private let indentBefore: Int
    private let fields: LogFields
    /// The state inside the scope.
    let state: ScopeState

    init(_ log: Log, _ level: LogLevel, name: LogMessage?, fields: () -> LogFields, site: CallSite) {
        self.log = log
        self.level = level
        self.name = name
        self.site = site
        self.fields = name == nil ? [:] : fields()
        if let name {
            log.write(level, { name }, { [fields = self.fields] in fields }, site.file, site.function, site.line)
        }
        ScopeState.openScopes.add(1, ordering: .relaxed)
        state = ScopeState.current.entering(self.fields, depth: 1)
        indentBefore = LogIndent.exactDepth
        start = SystemCalls.monotonicClock()
    }

    func close<Value, Failure>(_ result: Result<Value, Failure>) {
        let duration = Duration.nanoseconds(SystemCalls.monotonicClock() - start)
        ScopeState.openScopes.subtract(1, ordering: .relaxed)
        if LogIndent.exactDepth != indentBefore {
            LogIndent.set(indentBefore)
            log.core.pipeline.counters.withLock { $0.unbalancedIndents += 1 }
        }
        // The threshold may have changed in between.
        guard let name, log.isEnabled(level) else { return }
        var fields = fields
        fields.append("duration", duration)
        let message: LogMessage
        switch result {
        case .success: message = "\(name) DONE"
        case .failure(let error):
            message = "\(name) FAILED"
            fields.append("error", String(describing: error))
        }
        log.write(level, { message }, { fields }, site.file, site.function, site.line)
    }
}

/// The place of a call in the program.
private struct CallSite {
    let file: String
    let function: String
    let line: UInt
}
