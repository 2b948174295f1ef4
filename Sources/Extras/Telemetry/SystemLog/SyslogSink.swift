internal import AshlarCore

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
        (self.tag, self.format, self.threshold) = (tag, format, threshold)
        socket = DatagramSocket(path: socketPath)
    }

    /// Sends the line.
    public func receive(_ record: borrowing LogRecord) -> Bool {
        let buffer = ByteBuffer()
        defer { buffer.deallocate() }
        buffer.append(byte: 60)
        buffer.append(decimal: UInt64(8 + record.level.syslogSeverity))
        buffer.append(byte: 62)
        Self.appendTime(record.time, to: buffer)
        buffer.append(byte: 32)
        buffer.append(tag)
        buffer.append(byte: 91)
        buffer.append(decimal: Int64(SystemCalls.processID))
        buffer.append("]: " as StaticString)
        // Many services reject larger datagrams.
        _ = format.compiled.write(record, to: buffer, limit: 8192)
        return socket.send(buffer.text)
    }

    /// Appends `Nov 20 13:22:32`.
    private static func appendTime(_ time: LogTime, to buffer: ByteBuffer) {
        let second = time.parts.second
        let day = Int((Double(second) / 86_400).rounded(.down))
        let date = CivilDate(daysSince1970: day)
        let names: [StaticString] = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        buffer.append(names[date.month - 1])
        buffer.append(date.day < 10 ? "  " as StaticString : " ")
        buffer.append(decimal: UInt64(date.day))
        buffer.append(byte: 32)
        LogTime.appendTimeOfDay(Int(second) - day * 86_400, to: buffer)
    }
}

extension SyslogSink: ForkAware {
    var forkLocks: [any ForkLock] { [socket.lock] }
    func becomeForkedChild() {}
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
