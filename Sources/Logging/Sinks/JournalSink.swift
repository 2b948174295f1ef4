/// Sends lines to the systemd journal, with all that is known of them as journal fields.
///
/// Uses the journal's native protocol over its datagram socket (systemd.io/JOURNAL_NATIVE_PROTOCOL): `MESSAGE`,
/// `PRIORITY`, `SYSLOG_IDENTIFIER`, `CODE_FILE`, `CODE_LINE`, `CODE_FUNC`, `TID`, `LOG_CONTEXT`, and each field of the
/// line under its name in capitals, behind `FIELD_` where it would be taken for one of these. The message is not escaped,
/// because the protocol can hold any text.
public struct JournalSink: LogSink {
    /// The least severe level that is sent.
    public var threshold: LogLevel
    private let identifier: String
    private let socket: DatagramSocket

    /// A longer message or value is cut, and fields that are too much left out: a datagram has to fit into the socket's
    /// buffer.
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
    ///   - socketPath: Where the journal listens.
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
        let shown = Escaping.characterBoundary(
            record.messageStart, record.messageCount, atMost: min(record.messageCount, Self.longestMessage))
        append("MESSAGE", record.messageStart, shown, to: buffer)
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
        return socket.send(buffer.bytes)
    }

    /// A name the journal accepts: capitals, digits and underscores, not at the start, at most 64.
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
        LogText.withBytes(value) {
            let shown = Escaping.characterBoundary($0.start, $0.count, atMost: min($0.count, Self.longestValue))
            append(name, $0.start, shown, to: buffer)
        }
    }

    private func append(_ name: String, _ start: UnsafePointer<UInt8>, _ count: Int, to buffer: ByteBuffer) {
        buffer.append(name)
        if UnsafeBufferPointer(start: start, count: count).contains(10) {
            // A value with line ends goes behind its length.
            buffer.append(byte: 10)
            withUnsafeBytes(of: UInt64(count).littleEndian) {
                buffer.append($0.baseAddress!.assumingMemoryBound(to: UInt8.self), 8)
            }
        } else {
            buffer.append(byte: 61)
        }
        buffer.append(start, count)
        buffer.append(byte: 10)
    }

    /// Nothing is held back.
    public func flush() {}
}

extension JournalSink: ForkAware {
    var forkLocks: [any ForkLock] { [socket.lock] }
    func becomeForkedChild() {}
}
