internal import Synchronization

extension LogSink where Self == StandardErrorSink {
    /// The standard error stream, coloured if it is a terminal.
    public static var standardError: StandardErrorSink { StandardErrorSink() }
}

/// Prints lines to the standard error stream, each with one write.
///
/// A line is coloured by its level if the stream is a terminal, and if the environment does not say otherwise:
/// `NO_COLOR` goes before `CLICOLOR_FORCE`, that before `CLICOLOR`, that before `TERM=dumb`. A closed stream or a broken
/// pipe is a failure of the sink and never a signal to the process. On Apple systems this is a property of the stream
/// (`F_SETNOSIGPIPE`), so the program's own writes to a broken standard error stream return `EPIPE` too.
public struct StandardErrorSink: LogSink {
    /// How lines are printed.
    public var format: LogFormat
    /// The least severe level that is printed.
    public var threshold: LogLevel
    /// Whether lines are coloured.
    public var isColoured: Bool

    private let descriptor: Int32
    private let guardsSignals: Bool

    /// Creates the sink.
    ///
    /// - Parameters:
    ///   - format: How lines are printed.
    ///   - threshold: The least severe level that is printed.
    ///   - colours: Whether to colour lines; `nil` looks at the stream and the environment.
    public init(format: LogFormat = .standard, threshold: LogLevel = .verbose, colours: Bool? = nil) {
        self.init(descriptor: 2, format: format, threshold: threshold, colours: colours)
    }

    init(descriptor: Int32, format: LogFormat, threshold: LogLevel = .verbose, colours: Bool?) {
        (self.descriptor, self.format, self.threshold) = (descriptor, format, threshold)
        SystemCalls.disableSIGPIPE(on: descriptor)
        isColoured =
            colours
            ?? Self.wantsColour(
                isTerminal: SystemCalls.isTerminal(descriptor), environment: SystemCalls.environment)
        // Only a pipe or a socket can raise SIGPIPE, and only a file can raise SIGXFSZ.
        guardsSignals =
            SystemCalls.status(descriptor).map { $0.isPipeOrSocket || $0.isRegular && SystemCalls.fileSizeLimit != nil }
            ?? true
    }

    /// Whether the conventions of the environment ask for colour.
    ///
    /// Sources: no-color.org and bixense.com/clicolors.
    static func wantsColour(isTerminal: Bool, environment: (String) -> String?) -> Bool {
        if let value = environment("NO_COLOR"), !value.isEmpty { return false }
        if let value = environment("CLICOLOR_FORCE"), !value.isEmpty, value != "0" { return true }
        guard isTerminal else { return false }
        if environment("CLICOLOR") == "0" { return false }
        return environment("TERM") != "dumb"
    }

    /// Prints the line.
    public func receive(_ record: borrowing LogRecord) -> Bool {
        let line = ThreadContext.current.line
        line.reset()
        if isColoured { line.append(Self.colour(of: record.level)) }
        _ = format.compiled.write(record, to: line, limit: 65536)
        if isColoured { line.append("\u{1B}[0m" as StaticString) }
        line.append(byte: 10)
        defer { line.shrink() }
        return writeAll(line.bytes)
    }

    private func writeAll(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let part = rest
            let written =
                guardsSignals
                ? SystemCalls.withoutWriteSignals { SystemCalls.write(descriptor, part.baseAddress!, part.count) }
                : SystemCalls.write(descriptor, part.baseAddress!, part.count)
            guard written > 0 else { return false }
            rest = UnsafeRawBufferPointer(rebasing: rest[written...])
        }
        return true
    }

    private static func colour(of level: LogLevel) -> StaticString {
        switch level {
        case .unrecoverable, .critical: "\u{1B}[1;31m"
        case .error: "\u{1B}[31m"
        case .warning: "\u{1B}[33m"
        case .information: "\u{1B}[32m"
        case .logging: "\u{1B}[36m"
        case .debugging: "\u{1B}[0m"
        case .analytic, .verbose: "\u{1B}[2m"
        }
    }

    /// Nothing is held back.
    public func flush() {}
}
