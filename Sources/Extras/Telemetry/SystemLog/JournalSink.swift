/// Sends lines to the systemd journal, with their fields and positions as journal fields.
///
/// The sink uses the journal's native protocol (systemd.io/JOURNAL_NATIVE_PROTOCOL): `MESSAGE`, `PRIORITY`,
/// `SYSLOG_IDENTIFIER`, `CODE_FILE`, `CODE_LINE`, `CODE_FUNC`, `TID`, `LOG_CONTEXT`, and each field of the line under
/// its name in capital letters, with the prefix `FIELD_` if it has one of these names. The protocol permits any text,
/// so nothing is escaped.
public struct JournalSink: LogSink {
    /// The least severe level that is sent.
    public var threshold: LogLevel
    private let identifier: String
    private let socket: DatagramSocket

    /// Limits of one datagram, which must fit into the socket's buffer.
    private static let longestMessage = 32_768
    private static let longestValue = 4096
    private static let mostBytes = 131_072

    private static let ownNames: Set<String> = [
        "MESSAGE", "PRIORITY", "SYSLOG_IDENTIFIER", "CODE_FILE", "CODE_LINE", "CODE_FUNC", "TID", "LOG_CONTEXT",
    ]

    /// Creates a sink.
    ///
    /// - Parameters:
    ///   - identifier: The name of the program in the journal.
    ///   - threshold: The least severe level that is sent.
    ///   - socketPath: The socket of the journal.
    public init(
        identifier: String, threshold: LogLevel = .verbose, socketPath: String = "/run/systemd/journal/socket"
    ) {
        (self.identifier, self.threshold) = (identifier, threshold)
        socket = DatagramSocket(path: socketPath)
    }

    /// Sends the line.
    public func receive(_ record: borrowing LogRecord) -> Bool {
        let buffer = ByteBuffer(capacity: 1024)
        defer { buffer.deallocate() }
        append("MESSAGE", record.text, atMost: Self.longestMessage, to: buffer)
        append("PRIORITY", "\(record.level.syslogSeverity)", to: buffer)
        append("SYSLOG_IDENTIFIER", identifier, to: buffer)
        append("CODE_FILE", record.file, to: buffer)
        append("CODE_LINE", "\(record.line)", to: buffer)
        append("CODE_FUNC", record.function, to: buffer)
        append("TID", "\(record.threadID)", to: buffer)
        append("LOG_CONTEXT", record.context, to: buffer)
        for field in record.fields.elements where buffer.count < Self.mostBytes {
            append(Self.name(of: field.key), field.value.description, to: buffer)
        }
        return socket.send(buffer.text)
    }

    /// Returns a name that the journal accepts: up to 64 capital letters, digits and underscores, starting with a
    /// letter.
    static func name(of key: String) -> String {
        var name = ""
        for byte in key.uppercased().utf8.prefix(64) {
            let isLetter = 65...90 ~= byte
            let isAllowed = isLetter || (!name.isEmpty && (48...57 ~= byte || byte == 95))
            if isAllowed { name.unicodeScalars.append(UnicodeScalar(byte)) } else if !name.isEmpty { name += "_" }
        }
        if name.isEmpty { return "FIELD" }
        return ownNames.contains(name) ? "FIELD_" + name : name
    }

    private func append(_ name: String, _ value: String, to buffer: ByteBuffer) {
        LogText.withBytes(value) { append(name, $0, atMost: Self.longestValue, to: buffer) }
    }

    private func append(_ name: String, _ value: LogText, atMost limit: Int, to buffer: ByteBuffer) {
        let value = value.prefix(Escaping.characterBoundary(value, atMost: min(value.count, limit)))
        buffer.append(name)
        if value.contains(10) {
            // A value with line ends follows its length.
            buffer.append(byte: 10)
            for shift in 0..<8 {
                buffer.append(byte: UInt8(truncatingIfNeeded: UInt64(value.count) >> UInt64(shift * 8)))
            }
        } else {
            buffer.append(byte: 61)
        }
        buffer.append(value)
        buffer.append(byte: 10)
    }
}

extension JournalSink: ForkAware {
    var forkLocks: [any ForkLock] { [socket.lock] }
    func becomeForkedChild() {}
}
