import AshlarLogging
import Logging

/// Sends the lines of libraries that use swift-log to Ashlar.
///
///     LoggingSystem.bootstrap { AshlarLogHandler(label: $0) }
struct AshlarLogHandler: LogHandler {
    private let log: Log
    private var explicitLevel: Logging.Logger.Level?
    var metadata: Logging.Logger.Metadata = [:]
    var metadataProvider: Logging.Logger.MetadataProvider?

    init(label: String) { log = Log(label) }

    /// Below Ashlar's threshold, swift-log doesn't build the message.
    var logLevel: Logging.Logger.Level {
        get { explicitLevel ?? Logging.Logger.Level.allCases.first { log.isEnabled(Self.level($0)) } ?? .critical }
        set { explicitLevel = newValue }
    }

    subscript(metadataKey key: String) -> Logging.Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(metadataProvider?.get() ?? [:]) { $1 }.merging(event.metadata ?? [:]) { $1 }
        var fields = Self.fields(all)
        if let error = event.error { fields.append("error", LogFieldValue.error(error)) }
        if event.level == .notice { fields.append("severity", "notice") }
        fields.append("source", event.source)
        log.logRaw(
            Self.level(event.level), event.message.description, fields: fields, function: event.function,
            file: event.file, line: event.line)
    }

    /// Ashlar's default threshold `info` shows the same lines as swift-log's default `info`.
    static func level(_ level: Logging.Logger.Level) -> LogLevel {
        switch level {
        case .critical: .critical
        case .error: .error
        case .warning: .warning
        case .notice, .info: .info
        case .debug: .debug
        case .trace: .verbose
        }
    }

    private static func fields(_ metadata: Logging.Logger.Metadata) -> LogFields {
        var fields: LogFields = [:]
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) { fields.append(key, Self.value(value)) }
        return fields
    }

    private static func value(_ value: Logging.Logger.MetadataValue) -> LogFieldValue {
        switch value {
        case .string(let text): .string(text)
        // Numbers, booleans and times stay what they are.
        case .stringConvertible(let other):
            (other as? any LogFieldConvertible)?.logFieldValue ?? .string(other.description)
        case .array(let values): .array(values.map(Self.value))
        case .dictionary(let pairs): .object(fields(pairs))
        }
    }
}
