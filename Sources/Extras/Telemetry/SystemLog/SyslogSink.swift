internal import AshlarCore
public import AshlarLogging

/// Sends lines to the machine's syslog through its datagram socket.
///
/// Each line is one message like those of the C library: `<14>Nov 20 13:22:32 tag[pid]: [LOGGING] Context - message`,
/// with the header of RFC 3164 without a host, in UTC, and the facility "user". The sink fails while the service
/// doesn't listen.
public struct SyslogSink: LogSink {
    /// The least severe level that is sent.
    public var threshold: LogLevel
    private let tag: String
    private let format: LogFormat
    let socket: DatagramSocket

    /// Many services reject larger datagrams.
    private static let longestText = 8192

    /// Creates a sink.
    ///
    /// - Parameters:
    ///   - tag: The name of the program in the system's log.
    ///   - format: The format of the text, by default without a time.
    ///   - threshold: The least severe level that is sent.
    ///   - socketPath: The socket of the service.
    public init(
        tag: String, format: LogFormat = .myLogger, threshold: LogLevel = .verbose, socketPath: String = "/dev/log"
    ) {
        self.tag = tag
        self.format = format
        self.threshold = threshold
        socket = DatagramSocket(path: socketPath)
    }

    /// Sends the line.
    public func receive(_ record: LogRecord) -> Bool {
        let priority = 8 + record.level.syslogSeverity
        let header = "<\(priority)>\(Self.text(of: record.time)) \(tag)[\(ProcessIdentity.current)]: "
        let text = record.formatted(as: format, maximumBytes: Self.longestText)
        return socket.send(Array((header + text).utf8))
    }

    /// Returns `Nov 20 13:22:32`.
    private static func text(of time: LogTime) -> String {
        let second = Int(time.parts.second)
        let day = second >= 0 ? second / 86_400 : (second - 86_399) / 86_400
        let date = CivilDate(daysSince1970: day)
        let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let rest = second - day * 86_400
        let clock = [rest / 3600, rest / 60 % 60, rest % 60].map { $0.digits(2) }.joined(separator: ":")
        return "\(names[date.month - 1]) \(date.day < 10 ? " " : "")\(date.day) \(clock)"
    }
}

extension LogLevel {
    /// The severity of syslog (RFC 5424) and the systemd journal.
    ///
    /// The most severe level is 1 (alert) and not 0 (emergency), which is shown on every terminal of the machine.
    var syslogSeverity: Int {
        switch self {
        case .unrecoverable: 1
        case .critical: 2
        case .error: 3
        case .warning: 4
        case .info: 5
        case .logging: 6
        case .debug, .analytic, .verbose: 7
        }
    }
}
