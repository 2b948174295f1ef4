#if canImport(os)
    internal import os

    /// Sends lines to the unified logging system of Apple platforms, one category per context.
    ///
    /// Levels 0 and 1 have the type fault, 2 and 3 error, 4 default, 5 info, and 6 to 8 debug. The text is public in
    /// the unified log, because private values are redacted before.
    public final class OSLogSink: LogSink {
        private let subsystem: String
        private let loggers = Guarded<[String: os.Logger]>([:])

        /// Creates a sink for a subsystem, usually the bundle identifier.
        public init(subsystem: String) { self.subsystem = subsystem }

        /// Sends the line.
        public func receive(_ record: LogRecord) -> Bool {
            let context = record.context
            let logger = loggers.withLock { loggers in
                if let known = loggers[context] { return known }
                let made = os.Logger(subsystem: subsystem, category: context)
                if loggers.count < 1024 { loggers[context] = made }
                return made
            }
            logger.log(
                level: OSLogType(rawValue: record.level.row.unified), "\(record.unifiedLogText, privacy: .public)")
            return true
        }
    }
#endif

extension LogRecord {
    /// The message and the fields for the unified log of Apple systems, which shows the other parts itself.
    var unifiedLogText: String { message + fields.list.map { " \($0.key)=\($0.value)" }.joined() }
}
