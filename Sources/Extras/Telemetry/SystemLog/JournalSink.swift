internal import AshlarCore
public import AshlarLogging

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
        self.identifier = identifier
        self.threshold = threshold
        socket = DatagramSocket(path: socketPath)
    }

    /// Sends the line.
    public func receive(_ record: LogRecord) -> Bool {
        var entry: [UInt8] = []
        Self.append("MESSAGE", record.message, atMost: Self.longestMessage, to: &entry)
        Self.append("PRIORITY", "\(record.level.syslogSeverity)", to: &entry)
        Self.append("SYSLOG_IDENTIFIER", identifier, to: &entry)
        Self.append("CODE_FILE", record.file, to: &entry)
        Self.append("CODE_LINE", "\(record.line)", to: &entry)
        Self.append("CODE_FUNC", record.function, to: &entry)
        Self.append("TID", "\(record.threadID)", to: &entry)
        Self.append("LOG_CONTEXT", record.context, to: &entry)
        for field in record.fields.elements where entry.count < Self.mostBytes {
            Self.append(Self.name(of: field.key), field.value.description, to: &entry)
        }
        return socket.send(entry)
    }

    /// Returns a name that the journal accepts: up to 64 capital letters, digits and underscores, starting with a
    /// letter.
    static func name(of key: String) -> String {
        var name = ""
        for byte in key.uppercased().utf8.prefix(64) {
            let isAllowed = byte.isLetter || (!name.isEmpty && (byte.isDigit || byte == UInt8(ascii: "_")))
            if isAllowed { name.unicodeScalars.append(UnicodeScalar(byte)) } else if !name.isEmpty { name += "_" }
        }
        if name.isEmpty { return "FIELD" }
        return ownNames.contains(name) ? "FIELD_" + name : name
    }

    /// Appends a field, whose value is truncated at a character boundary.
    private static func append(
        _ name: String, _ value: String, atMost limit: Int = longestValue, to entry: inout [UInt8]
    ) {
        let bytes = value.utf8.prefix(Escaping.characterBoundary(value, atMost: limit))
        let newline = UInt8(ascii: "\n")
        entry += name.utf8
        if bytes.contains(newline) {
            // A value with line ends follows its length.
            entry.append(newline)
            withUnsafeBytes(of: UInt64(bytes.count).littleEndian) { entry += $0 }
        } else {
            entry.append(UInt8(ascii: "="))
        }
        entry += bytes
        entry.append(newline)
    }
}
