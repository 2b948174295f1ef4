/// How a line is printed.
///
/// A format is a pattern with placeholders, or one of the presets. Control characters, line ends and bidirectional marks
/// in what is logged are neutralised by every format, so that one call is one line.
///
/// ```swift
/// let seed = try LogFormat("%@[%@] %@ - %@")
/// let named = try LogFormat("{time} {indent}[{level}] {context} - {message}")
/// ```
public struct LogFormat: Sendable {
    let compiled: CompiledFormat

    init(_ compiled: CompiledFormat) { self.compiled = compiled }

    /// Creates the format of a pattern.
    ///
    /// A pattern has either exactly four `%@`, which stand for indent, level name, context and message (as in MyLogger;
    /// `%%` prints a percent sign), or named placeholders: `{indent}`, `{level}`, `{context}`, `{message}`, `{fields}`,
    /// `{time}` (ISO 8601, UTC, milliseconds), `{sequence}`, `{number}` (of the level), `{ftlevel}` (`FT_DEBUGGING`),
    /// `{file}`, `{function}` (`get(from:)`), `{method}` (`get`), `{line}`, `{thread}`; `{{` and `}}` print braces. Fields
    /// follow the message where the pattern has no `{fields}`. The pattern is printed as it stands; only what fills its
    /// placeholders is escaped.
    ///
    /// - Throws: ``LogError`` with ``LogError/Code/formatMalformed``.
    public init(_ pattern: String) throws { compiled = CompiledFormat(try PatternParser.parse(pattern)) }

    /// `[DEBUG] Context - message`, indented: MyLogger's `%@[%@] %@ - %@`.
    public static let standard = LogFormat(CompiledFormat(PatternParser.standard))

    /// MyLogger's format, the same as ``standard``.
    public static var myLogger: LogFormat { standard }

    /// FTToolBox's `FT_DEBUGGING(6):: Class, method:: message`.
    public static let ftToolBox = LogFormat(CompiledFormat(PatternParser.ftToolBox))

    /// `2026-11-20T13:22:32.123Z [DEBUG] Context - message`, indented.
    public static let timed = LogFormat(CompiledFormat(PatternParser.timed))

    /// One JSON object per line, with every member of the record; `message` is exact.
    ///
    /// ```text
    /// {"time":"2026-11-20T13:22:32.123Z","seq":7,"level":"DEBUG","severity":6,"depth":0,"context":"Upload",
    ///  "message":"done","fields":{"bytes":1024},"file":"App/Upload.swift","function":"run()","line":12,"thread":4711}
    /// ```
    public static let jsonLines = LogFormat(CompiledFormat(kind: .jsonLines))

    /// `time=… level=DEBUG context=Upload msg="all done" bytes=1024`.
    public static let logfmt = LogFormat(CompiledFormat(kind: .logfmt))

    /// The character of which the indent is made; a space at first, as in MyLogger.
    public var indentCharacter: Character {
        get { Character(String(decoding: compiled.indentUnit, as: UTF8.self)) }
        set { self = LogFormat(compiled.with(indentUnit: Array(String(newValue).utf8), width: compiled.indentWidth)) }
    }

    /// How many of ``indentCharacter`` make one level of indent; 2 at first, as in MyLogger.
    public var indentWidth: Int {
        get { compiled.indentWidth }
        set { self = LogFormat(compiled.with(indentUnit: compiled.indentUnit, width: max(0, newValue))) }
    }

    /// Whether a line end inside a message continues on a further line behind a `  | ` gutter, instead of printing `\n`.
    public var continuesLines: Bool {
        get { compiled.messageStyle == .continuation }
        set { self = LogFormat(compiled.with(messageStyle: newValue ? .continuation : .text)) }
    }
}
