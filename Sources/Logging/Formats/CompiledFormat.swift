/// A format prepared for printing.
struct CompiledFormat: Equatable, Sendable {
    enum Kind: Equatable, Sendable {
        case pattern([FormatPiece])
        case json(LogJSONProfile)
        case logfmt
    }

    /// The number of levels that an indent shows; for a deeper line, it shows the number of further levels, too.
    static let deepestShown = 64
    static let longestIndent = 256
    /// The maximum length of contexts, functions and keys in a line.
    static let longestName = 1024
    /// The maximum length of a line in bytes, unless a configuration sets another one.
    static let standardLimit = 65536
    /// The longest ` ...[+12 fields]`.
    private static let fieldsMarkLength = 24

    var kind: Kind { didSet { tailLength = Self.tailLength(of: kind) } }
    /// The length of the literals after the message, which is reserved when a long message is truncated.
    private var tailLength: Int
    var indentUnit: [UInt8] = [.space]
    var indentWidth = 2
    var messageStyle = Escaping.text
    var time = LogTimeStyle()

    init(_ kind: Kind) {
        self.kind = kind
        tailLength = Self.tailLength(of: kind)
    }

    private static func tailLength(of kind: Kind) -> Int {
        guard case .pattern(let pieces) = kind else { return 0 }
        return pieces.reduce(0) { $1.kind == .message ? 0 : $0 + $1.literal.count }
    }

    /// Returns the line of a record with its line end, and whether a part was truncated to stay within `limit`.
    func line(of record: LogRecord, limit: Int = CompiledFormat.standardLimit) -> (bytes: [UInt8], isCut: Bool) {
        var line: [UInt8] = []
        line.reserveCapacity(min(record.message.utf8.count, limit) + 120)
        let isCut =
            switch kind {
            case .pattern(let pieces): writePattern(pieces, record, to: &line, limit: limit)
            case .json(let profile): writeJSON(record, profile, to: &line, limit: limit)
            case .logfmt: writeLogfmt(record, to: &line, limit: limit)
            }
        line.add(.newline)
        return (line, isCut)
    }

    private func writePattern(
        _ pieces: [FormatPiece], _ record: LogRecord, to line: inout [UInt8], limit: Int
    ) -> Bool {
        var cut = false
        let end = limit - tailLength
        let short = Self.shortLimit(limit)
        // By index: a copy of a piece would count a reference to its literal.
        for index in pieces.indices {
            switch pieces[index].kind {
            case .literal: line += pieces[index].literal
            case .indent: if record.depth > 0 { writeIndent(record.depth, to: &line) }
            case .level: line.append(text: record.level.row.name)
            case .context: writeName(record.context, to: &line, short: short)
            case .message: cut = writeMessage(record, to: &line, end: end) || cut
            case .fields: cut = LogfmtWriter.append(record.fields, to: &line, end: end, reserve: 64) || cut
            case .time: time.append(record.time, to: &line)
            case .sequence: line.append(decimal: record.sequence)
            case .number: line.append(decimal: record.level.rawValue)
            case .toolBoxLevel: line.append(text: record.level.row.toolBox)
            case .file: writeName(record.file, to: &line, short: short)
            case .function: writeName(record.function, to: &line, short: short)
            case .method: writeName(Self.method(record.function), to: &line, short: short)
            case .line: line.append(decimal: record.line)
            case .thread: line.append(decimal: record.threadID)
            }
        }
        return cut
    }

    private func writeMessage(_ record: LogRecord, to line: inout [UInt8], end: Int) -> Bool {
        let end = record.fields.isEmpty ? end : end - Self.fieldsMarkLength
        return LogfmtWriter.looksLikeFields(record.message)
            ? LogfmtWriter.appendQuoted(record.message, to: &line, end: end)
            : messageStyle.append(record.message, to: &line, end: end)
    }

    private func writeIndent(_ depth: Int, to line: inout [UInt8]) {
        let unit = indentUnit.count * indentWidth
        guard unit > 0 else { return }
        let shown = min(depth, Self.deepestShown, Self.longestIndent / unit)
        for _ in 0..<shown * indentWidth { line += indentUnit }
        if depth > shown { line.append(text: "(+\(depth - shown))") }
    }

    private func writeName(_ text: String, to line: inout [UInt8], short: Int) {
        _ = Escaping.text.append(text, to: &line, end: line.count + short)
    }

    /// Returns the function's name without its parameters, as FTToolBox and MyLogger print methods.
    private static func method(_ function: String) -> String {
        let name = function.prefix { $0 != "(" }
        return name.isEmpty ? function : String(name)
    }

    /// Returns the longest context, name or key in a line with this limit, so that there is always room for the
    /// message.
    static func shortLimit(_ limit: Int) -> Int { min(longestName, limit / 8) }
}

extension LogRecord {
    /// Returns the line in a format, without a line end.
    ///
    /// - Complexity: O(*n*) in the length of the line.
    public func formatted(as format: LogFormat, maximumBytes: Int = 65536) -> String {
        String(
            decoding: format.compiled.line(of: self, limit: maximumBytes).bytes.dropLast(), as: UTF8.self)
    }
}
