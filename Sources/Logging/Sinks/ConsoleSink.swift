extension LogSink where Self == ConsoleSink {
    /// The terminal, in aligned columns and color, for development.
    public static var console: ConsoleSink { ConsoleSink() }
}

/// Prints lines to the terminal for a developer: aligned columns, colors by level and context, dimmed fields.
///
/// ```text
/// 14:22:32.123 WARN  net.http  slow answer  ms=1200 host=example.com
/// 14:22:32.125 ERROR Importer  unexpected value
///                              in line 3
/// ```
///
/// The time is local. The lines of a message are aligned, and fields that don't fit into the width of the terminal are
/// on their own lines. `COLUMNS` overrides the width. Environment variables control colors as for
/// ``StandardErrorSink``. If the standard error stream isn't a terminal, lines are printed in ``LogFormat/standard``.
public struct ConsoleSink: LogSink, StandardErrorPrinter {
    let printsToStandardError = true

    private let output: StandardErrorSink
    /// Returns the number of columns of the terminal; nil for other streams.
    private let width: @Sendable () -> Int?
    /// The width of the context column, which grows with the contexts.
    private let contextWidth = Guarded(8)

    private static let longestContext = 24
    /// The width of the columns for time and level.
    private static let headWidth = 19

    init() {
        let isTerminal = SystemCalls.isTerminal(2)
        var digits = Array((SystemCalls.environment("COLUMNS") ?? "").utf8)[...]
        let columns = digits.number().flatMap { digits.isEmpty ? Int(exactly: $0) : nil }
        self.init(StandardErrorSink()) {
            isTerminal ? columns ?? SystemCalls.terminalWidth(2) ?? 80 : nil
        }
    }

    init(_ output: StandardErrorSink, width: @escaping @Sendable () -> Int?) {
        self.output = output
        self.width = width
    }

    /// Prints the line.
    public func receive(_ record: LogRecord) -> Bool {
        guard let width = width() else { return output.receive(record) }
        var line: [UInt8] = []
        write(record, width: width, to: &line)
        return output.writeAll(line)
    }

    private func write(_ record: LogRecord, width: Int, to line: inout [UInt8]) {
        let context = Self.escaped(record.context, longest: Self.longestContext)
        let columns = contextWidth.withLock {
            $0 = max($0, context.count)
            return $0
        }
        let indent = min(record.depth, CompiledFormat.deepestShown) * 2
        let margin = Self.headWidth + columns + 2 + indent
        colored(.dim, &line) { appendTime(record.time, to: &$0) }
        line.add(.space)
        let level = record.level.row
        colored(level.color, &line) { $0.append(text: level.short) }
        line += repeatElement(.space, count: 6 - level.short.utf8.count)
        colored(Self.color(of: context), &line) { append(context, to: &$0) }
        line += repeatElement(.space, count: columns - context.count + 2 + indent)
        let message = record.message
        appendLines(message, margin: margin, to: &line)
        if !record.fields.isEmpty { appendFields(record.fields, after: message, margin: margin, width, to: &line) }
        line.add(.newline)
    }

    private func appendFields(
        _ fields: LogFields, after message: String, margin: Int, _ width: Int, to line: inout [UInt8]
    ) {
        var bytes: [UInt8] = []
        _ = LogfmtWriter.append(fields, to: &bytes, end: 65536, reserve: 64)
        let pairs = String(decoding: bytes.dropFirst(), as: UTF8.self)
        let last = Self.lines(of: message).last ?? ""
        colored(.dim, &line) { line in
            if margin + last.count + 2 + pairs.count <= width {
                line.append(text: "  \(pairs)")
                return
            }
            for field in fields.list {
                newLine(margin: margin, to: &line)
                append(field.key, to: &line)
                line.add(.equals)
                appendLines(field.value.description, margin: margin + field.key.count + 1, to: &line)
            }
        }
    }

    /// Appends text whose further lines start at a margin.
    private func appendLines(_ text: String, margin: Int, to line: inout [UInt8]) {
        for (index, part) in Self.lines(of: text).enumerated() {
            if index > 0 { newLine(margin: margin, to: &line) }
            append(String(part), to: &line)
        }
    }

    private static func lines(of text: String) -> [Substring] {
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    }

    private func newLine(margin: Int, to line: inout [UInt8]) {
        line.add(.newline)
        line += repeatElement(.space, count: margin)
    }

    private static func escaped(_ text: String, longest: Int) -> String {
        var bytes: [UInt8] = []
        _ = Escaping.text.append(text, to: &bytes, end: 1024)
        return String(String(decoding: bytes, as: UTF8.self).prefix(longest))
    }

    private func append(_ text: String, to line: inout [UInt8]) {
        _ = Escaping.text.append(text, to: &line, end: line.count + 65536)
    }

    private func appendTime(_ time: LogTime, to line: inout [UInt8]) {
        let (second, nanosecond) = time.parts
        let local = second + Int64(SystemCalls.localOffset(at: second))
        LogTime.appendTimeOfDay(Int(((local % 86_400) + 86_400) % 86_400), to: &line)
        line.add(UInt8(ascii: "."))
        line.append(nanosecond / 1_000_000, digits: 3)
    }

    private func colored(_ color: String, _ line: inout [UInt8], _ body: (inout [UInt8]) -> Void) {
        guard output.isColored else { return body(&line) }
        line.append(text: color)
        body(&line)
        line.append(text: "\u{1B}[0m")
    }

    /// Returns a color that is the same for a context in each run.
    private static func color(of context: String) -> String {
        let colors = ["\u{1B}[34m", "\u{1B}[35m", "\u{1B}[36m", "\u{1B}[32m", "\u{1B}[33m"]
        return colors[context.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF } % colors.count]
    }
}

extension String {
    /// The escape sequence of dimmed text.
    fileprivate static var dim: String { "\u{1B}[2m" }
}
