internal import AshlarBase

/// Prints lines to the standard error stream, each with one write.
///
/// Lines are colored by level if the stream is a terminal. Environment variables override this: `NO_COLOR` takes
/// precedence over `CLICOLOR_FORCE`, `CLICOLOR`, and `TERM=dumb`, in this order. A closed stream or a broken pipe is a
/// failure of the sink and never raises a signal. On Apple systems, this is a property of the stream
/// (`F_SETNOSIGPIPE`), so the program's own writes to a broken standard error stream also return `EPIPE`. A sink that is
/// created while the stream is closed stays without one, because a file of the app may get the stream's number.
public struct StandardErrorSink: LineSink, StandardErrorPrinter {
    /// The format of lines.
    package var format: LogFormat?
    /// The least severe level that is printed.
    public var threshold: LogLevel
    /// Whether lines are in color.
    var isColored: Bool
    /// Whether lines begin with their priority.
    private let hasPriorities: Bool

    var printsToStandardError: Bool { descriptor == 2 }

    private let descriptor: Int32
    private let isClosed: Bool
    private let blocksSignals: Bool

    /// Creates a sink.
    ///
    /// - Parameters:
    ///   - format: The format of lines.
    ///   - threshold: The least severe level that is printed.
    ///   - isColored: Whether lines are in color; if nil, the stream and the environment decide.
    ///   - hasPriorities: Whether lines begin with their priority, such as `<3>` for an error. For a service of systemd, the
    ///     journal removes and records it (sd-daemon(3)); a format without a time is enough there.
    public init(
        format: LogFormat = .standard, threshold: LogLevel = .leastSevere, isColored: Bool? = nil,
        hasPriorities: Bool = false
    ) {
        self.init(
            descriptor: 2, format: format, threshold: threshold, isColored: isColored, hasPriorities: hasPriorities)
    }

    init(
        descriptor: Int32, format: LogFormat, threshold: LogLevel = .leastSevere, isColored: Bool?,
        hasPriorities: Bool = false
    ) {
        self.descriptor = descriptor
        self.format = format
        self.threshold = threshold
        self.hasPriorities = hasPriorities
        SystemCalls.disableSIGPIPE(on: descriptor)
        self.isColored =
            isColored
            ?? Self.wantsColor(isTerminal: SystemCalls.isTerminal(descriptor), environment: SystemCalls.environment)
        let status = FileStatus(descriptor: descriptor)
        isClosed = status == nil
        // Only pipes and sockets raise SIGPIPE, and only files raise SIGXFSZ.
        blocksSignals =
            status.map { $0.isPipeOrSocket || $0.kind == .regular && SystemCalls.fileSizeLimit != nil } ?? false
    }

    /// Whether the environment asks for color, by the conventions of no-color.org and bixense.com/clicolors.
    static func wantsColor(isTerminal: Bool, environment: (String) -> String?) -> Bool {
        if let value = environment("NO_COLOR"), !value.isEmpty { return false }
        if let value = environment("CLICOLOR_FORCE"), !value.isEmpty, value != "0" { return true }
        guard isTerminal else { return false }
        if environment("CLICOLOR") == "0" { return false }
        return environment("TERM") != "dumb"
    }

    /// Prints the line.
    public func receive(_ record: LogRecord) -> Bool { writeLine(of: record) }

    package func write(_ line: [UInt8], of record: LogRecord) -> Bool {
        guard hasPriorities || isColored else { return writeAll(line) }
        let row = record.level.row
        let (color, end) = isColored ? (row.color, "\u{1B}[0m\n") : ("", "\n")
        return writeAll(
            Array("\(hasPriorities ? "<\(row.syslog)>" : "")\(color)".utf8) + line.dropLast() + end.utf8)
    }

    func writeAll(_ bytes: [UInt8]) -> Bool {
        if isClosed { return false }
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = rest
            let written =
                blocksSignals
                ? SystemCalls.withoutWriteSignals { SystemCalls.write(descriptor, part) }
                : SystemCalls.write(descriptor, part)
            guard written > 0 else { return false }
            rest = rest.dropFirst(written)
        }
        return true
    }
}
