/// The format of lines: a pattern with placeholders, or a preset.
///
/// Every format escapes control characters, line ends and bidirectional marks, so one call prints one line.
///
/// ```swift
/// let original = try LogFormat("%@[%@] %@ - %@")
/// let named = try LogFormat("{time} {indent}[{level}] {context} - {message}")
/// ```
public struct LogFormat: Sendable {
    var compiled: CompiledFormat

    init(_ compiled: CompiledFormat) { self.compiled = compiled }

    /// Creates a format from a pattern.
    ///
    /// A pattern has exactly four `%@` for indent, level name, context and message (as in MyLogger; `%%` prints a percent
    /// sign), or named placeholders: `{indent}`, `{level}`, `{context}`, `{message}`, `{fields}`, `{time}`, `{sequence}`,
    /// `{number}` (of the level), `{ftlevel}` (`FT_DEBUGGING`), `{file}`, `{function}` (`get(from:)`), `{method}` (`get`),
    /// `{line}`, `{thread}`; `{{` and `}}` print braces. Fields follow the message if the pattern has no `{fields}`.
    /// Text of the pattern isn't escaped.
    ///
    /// A message that contains ` name=` is printed in quotes, because it could be read as a field.
    ///
    /// - Throws: An error that describes a wrong number of placeholders or an unknown one.
    public init(_ pattern: String) throws { compiled = CompiledFormat(.pattern(try PatternParser.parse(pattern))) }

    /// Returns the format with another pattern, and the same indent and time style.
    package func replacing(pattern: String) throws -> LogFormat {
        var format = self
        format.compiled.kind = .pattern(try PatternParser.parse(pattern))
        return format
    }

    /// `2026-11-20T13:22:32.123Z [DEBUG] Context - message`, indented.
    public static let standard = LogFormat(CompiledFormat(.pattern(PatternParser.standard)))

    /// MyLogger's `%@[%@] %@ - %@`: `[DEBUG] Context - message`, indented, without a time.
    public static let myLogger = LogFormat(CompiledFormat(.pattern(PatternParser.myLogger)))

    /// FTToolBox's `FT_DEBUGGING(6):: Class, method:: message`, without a time.
    public static let ftToolBox = LogFormat(CompiledFormat(.pattern(PatternParser.ftToolBox)))

    /// One JSON object per line, with all members of the record; `message` isn't changed by escapes.
    ///
    /// ```text
    /// {"time":"2026-11-20T13:22:32.123Z","seq":7,"level":"DEBUG","severity":6,"depth":0,"file":"App/Upload.swift",
    ///  "function":"run()","line":12,"thread":4711,"context":"Upload","message":"done","fields":{"bytes":1024}}
    /// ```
    public static let jsonLines = LogFormat.json(.standard)

    /// One JSON object per line, with the member names of a profile.
    package static func json(_ profile: LogJSONProfile) -> LogFormat { LogFormat(CompiledFormat(.json(profile))) }

    /// Pairs such as `time=… level=DEBUG context=Upload msg="all done" bytes=1024`.
    public static let logfmt = LogFormat(CompiledFormat(.logfmt))

    /// The character of the indent; a space by default, as in MyLogger.
    public var indentCharacter: Character {
        get { Character(String(decoding: compiled.indentUnit, as: UTF8.self)) }
        set { compiled.indentUnit = Array(String(newValue).utf8) }
    }

    /// The number of ``indentCharacter`` for each level of indent; 2 by default, as in MyLogger.
    public var indentWidth: Int {
        get { compiled.indentWidth }
        set { compiled.indentWidth = max(0, newValue) }
    }

    /// Whether a line end inside a message continues on a new line after a `  | ` gutter, instead of printing `\n`.
    public var continuesLines: Bool {
        get { compiled.messageStyle == .continuation }
        set { compiled.messageStyle = newValue ? .continuation : .text }
    }

    /// Whether times are in the local time zone with its offset, such as `+01:00`; otherwise they are in UTC with `Z`.
    public var usesLocalTime: Bool {
        get { compiled.time.isLocal }
        set { compiled.time.isLocal = newValue }
    }

    /// Whether times have six digits after the second; otherwise they have three.
    public var hasMicroseconds: Bool {
        get { compiled.time.hasMicroseconds }
        set { compiled.time.hasMicroseconds = newValue }
    }
}

/// The format of a line's time (RFC 3339).
struct LogTimeStyle: Equatable {
    var isLocal = false
    var hasMicroseconds = false

    /// The texts of the latest seconds in UTC and in local time: most lines come in the second of the line before.
    private static let utc = Guarded(SecondText())
    private static let local = Guarded(SecondText())

    /// Appends a time.
    func append(_ time: LogTime, to line: inout [UInt8]) {
        let (second, nanosecond) = time.parts
        (isLocal ? Self.local : Self.utc).withLock { latest in
            if latest.second != second { latest = SecondText(second, isLocal: isLocal) }
            line += latest.date
            line.append(nanosecond / (hasMicroseconds ? 1000 : 1_000_000), digits: hasMicroseconds ? 6 : 3)
            line += latest.zone
        }
    }
}

/// The parts of a time that don't change during a second.
private struct SecondText {
    /// Seconds since 1970; no time has the initial value.
    private(set) var second = Int64.min
    /// The date and the time, as in `2026-11-20T13:22:32.`, with the point.
    private(set) var date: [UInt8] = []
    /// The offset from UTC: `Z` or `+01:00`.
    private(set) var zone: [UInt8] = [UInt8(ascii: "Z")]

    init() {}

    init(_ second: Int64, isLocal: Bool) {
        let offset = isLocal ? SystemCalls.localOffset(at: second) : 0
        self.second = second
        LogTime.append(second: second + Int64(offset), to: &date)
        date.add(UInt8(ascii: "."))
        guard isLocal else { return }
        zone = [UInt8(ascii: offset < 0 ? "-" : "+")]
        zone.append(abs(offset) / 3600, digits: 2)
        zone.add(UInt8(ascii: ":"))
        zone.append(abs(offset) / 60 % 60, digits: 2)
    }
}
