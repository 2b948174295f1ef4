/// The immutable settings of all lines; a change creates new ones.
final class PipelineSettings: Sendable {
    let store: (any LineStore)?
    let format: CompiledFormat
    let sinks: [SinkEntry]
    let maximumLineBytes: Int
    /// The fields of every line: a mark after the end of the run.
    let extraFields: LogFields
    /// The lines below the threshold that wait for an error.
    let recorder: LineRecorder?

    /// The closures of the app that complete the fields of each line.
    let fieldProvider: (@Sendable () -> LogFields)?
    let fieldHook: FieldHook?
    typealias FieldHook = @Sendable (_ fields: inout LogFields, _ context: String) -> Void

    /// Whether a line's time is used; reading the clock is a large part of a line's cost.
    let needsTime: Bool

    init(
        store: (any LineStore)?, format: CompiledFormat, sinks: [SinkEntry], maximumLineBytes: Int,
        extraFields: LogFields = [:], recorder: LineRecorder? = nil, fieldProvider: (@Sendable () -> LogFields)? = nil,
        fieldHook: FieldHook? = nil
    ) {
        self.store = store
        self.format = format
        self.sinks = sinks
        self.extraFields = extraFields
        self.recorder = recorder
        self.fieldProvider = fieldProvider
        self.fieldHook = fieldHook
        // The upper bound prevents overflow in sums with the limit.
        self.maximumLineBytes = min(max(1024, maximumLineBytes), 1 << 30)
        needsTime = store == nil || format.needsTime || !sinks.isEmpty
    }

    /// Returns the fields of a line with those of every line; the line's own values win.
    ///
    /// The closures of the app run without a lock.
    func completed(_ fields: LogFields, of context: LogContext) -> LogFields {
        var fields = fields
        if let fieldProvider { fields = fields.followed(byMissing: fieldProvider()) }
        if !extraFields.isEmpty { fields = fields.followed(byMissing: extraFields) }
        if let fieldHook, !fields.isEmpty { fieldHook(&fields, context.name) }
        return fields
    }

    /// Formats the line and stores it; returns whether a part of it was truncated.
    ///
    /// - Precondition: There is a store.
    func write(_ record: borrowing LineRecord, on thread: ThreadContext) -> Bool {
        let line = thread.line
        line.reset()
        let isCut = format.write(record, to: line, limit: maximumLineBytes)
        line.append(byte: .newline)
        store?.append(line.text, level: record.level)
        line.shrink()
        return isCut
    }

    /// Returns the same settings with some of them replaced.
    func with(
        format: CompiledFormat? = nil, adding fields: LogFields = [:], sinks: [SinkEntry]? = nil
    ) -> PipelineSettings {
        PipelineSettings(
            store: store, format: format ?? self.format, sinks: sinks ?? self.sinks,
            maximumLineBytes: maximumLineBytes, extraFields: extraFields.followed(by: fields), recorder: recorder,
            fieldProvider: fieldProvider, fieldHook: fieldHook)
    }
}
