/// The immutable settings of all lines; a change creates new ones.
final class PipelineSettings: Sendable {
    /// The destinations with one format, for which a line is formatted once; without a format, they receive records.
    ///
    /// A reference, because a copy of a format would count several references for each line.
    final class Group: Sendable {
        let format: LogFormat?
        let sinks: [SinkEntry]

        init(format: LogFormat?, sinks: [SinkEntry]) {
            self.format = format
            self.sinks = sinks
        }

        func line(of record: LogRecord, limit: Int) -> (bytes: [UInt8], isCut: Bool)? {
            format?.compiled.line(of: record, limit: limit)
        }
    }

    /// The run file, which is one of the destinations.
    let store: (any LineStore)?
    let format: LogFormat
    let sinks: [SinkEntry]
    let groups: [Group]
    /// The group of the run file only, for lines that a sink logs.
    let storeOnly: [Group]
    let maximumLineBytes: Int
    /// The fields of every line: a mark after the end of the run.
    let extraFields: LogFields
    /// The lines below the threshold that wait for an error.
    let recorder: LineRecorder?

    /// The closures of the app that complete the fields of each line.
    let fieldProvider: (@Sendable () -> LogFields)?
    let fieldHook: FieldHook?
    typealias FieldHook = @Sendable (_ fields: inout LogFields, _ context: String) -> Void

    init(
        store: (any LineStore)?, format: LogFormat, sinks: [SinkEntry], maximumLineBytes: Int,
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
        storeOnly = store.map { [Group(format: format, sinks: [SinkEntry($0, format: format)])] } ?? []
        var groups = storeOnly
        for entry in sinks {
            if let index = groups.firstIndex(where: { $0.format?.compiled == entry.format?.compiled }) {
                groups[index] = Group(format: entry.format, sinks: groups[index].sinks + [entry])
            } else {
                groups.append(Group(format: entry.format, sinks: [entry]))
            }
        }
        self.groups = groups
    }

    /// Returns the fields of a line with those of every line; the line's own values win.
    ///
    /// The closures of the app run without a lock.
    func completed(_ fields: LogFields, of context: String) -> LogFields {
        var fields = fields
        if let fieldProvider { fields = fields.followed(byMissing: fieldProvider()) }
        if !extraFields.isEmpty { fields = fields.followed(byMissing: extraFields) }
        if let fieldHook, !fields.isEmpty { fieldHook(&fields, context) }
        return fields
    }

    /// Returns the same settings with some of them replaced.
    func with(
        format: LogFormat? = nil, adding fields: LogFields = [:], sinks: [SinkEntry]? = nil
    ) -> PipelineSettings {
        PipelineSettings(
            store: store, format: format ?? self.format, sinks: sinks ?? self.sinks,
            maximumLineBytes: maximumLineBytes, extraFields: extraFields.followed(by: fields), recorder: recorder,
            fieldProvider: fieldProvider, fieldHook: fieldHook)
    }
}

/// Stores the newest lines below the threshold until an error writes them.
final class LineRecorder: Sendable {
    private let records: Guarded<BoundedQueue<LogRecord>>
    /// The least severe level that is recorded.
    let level: LogLevel

    init(_ level: LogLevel, capacity: Int) {
        self.level = level
        records = Guarded(BoundedQueue(capacity: capacity))
    }

    func append(_ record: LogRecord) { records.withLock { _ = $0.appendNewest(record) } }

    func take() -> [LogRecord] { records.withLock { $0.takeAll() } }
}
