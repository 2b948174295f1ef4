/// Sends lines to the machine's syslog, over its datagram socket.
///
/// Each line is one message `<14>Nov 20 13:22:32 tag[pid]: [LOGGING] Context - message` as libc's `syslog` sends it: the
/// header of RFC 3164 without a host, in UTC, with the facility "user" and the severity of ``LogLevel/syslogSeverity``.
/// Where nobody listens, the sink fails and is left out for a second now and then.
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
    ///   - format: How the text is printed.
    ///   - threshold: The least severe level that is sent.
    ///   - socketPath: Where syslog listens.
    public init(
        tag: String, format: LogFormat = .standard, threshold: LogLevel = .verbose, socketPath: String = "/dev/log"
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
        // Larger datagrams are refused by many services.
        _ = format.compiled.write(record, to: buffer, limit: 8192)
        return socket.send(buffer.bytes)
    }

    private static func appendTime(_ time: LogTime, to buffer: ByteBuffer) {
        let second = time.parts.second
        let day = Int((Double(second) / 86_400).rounded(.down))
        let date = LogTime.date(ofDay: day)
        let names: [StaticString] = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        let rest = Int(second) - day * 86_400
        buffer.append(names[date.month - 1])
        buffer.append(date.day < 10 ? "  " as StaticString : " ")
        buffer.append(decimal: UInt64(date.day))
        buffer.append(byte: 32)
        buffer.append(rest / 3600, digits: 2)
        buffer.append(byte: 58)
        buffer.append(rest / 60 % 60, digits: 2)
        buffer.append(byte: 58)
        buffer.append(rest % 60, digits: 2)
    }

    /// Nothing is held back.
    public func flush() {}
}

extension SyslogSink: ForkAware {
    var forkLocks: [any ForkLock] { [socket.lock] }
    func becomeForkedChild() {}
}
