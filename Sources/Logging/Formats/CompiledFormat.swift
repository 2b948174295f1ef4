/// A format prepared for printing.
struct CompiledFormat: Sendable {
    enum Kind: Sendable {
        case pattern([FormatPiece])
        case json(LogJSONProfile)
        case logfmt
    }

    /// The number of levels that an indent shows; for a deeper line, it shows the number of further levels, too.
    static let deepestShown = 64
    static let longestIndent = 256
    /// The longest ` ...[+12 fields]`.
    private static let fieldsMarkLength = 24

    let kind: Kind
    /// The length of the literals after the message, which is reserved when a long message is truncated.
    private var tailLength = 0
    let needsTime: Bool
    var indentUnit: [UInt8] = [.space]
    var indentWidth = 2
    var messageStyle = Escaping.text
    var time = LogTimeStyle()

    init(_ kind: Kind) {
        self.kind = kind
        guard case .pattern(let pieces) = kind else {
            needsTime = true
            return
        }
        for piece in pieces { tailLength = piece.kind == .message ? 0 : tailLength + piece.literal.utf8.count }
        needsTime = pieces.contains(FormatPiece(.time))
    }

    /// Appends the record without a line end; returns whether a part was truncated to stay within `limit`.
    func write(_ record: borrowing LineRecord, to line: ByteBuffer, limit: Int) -> Bool {
        let limit = line.count + limit
        return switch kind {
        case .pattern(let pieces): writePattern(pieces, record, to: line, limit: limit)
        case .json(let profile): writeJSON(record, profile, to: line, limit: limit)
        case .logfmt: writeLogfmt(record, to: line, limit: limit)
        }
    }

    private func writePattern(
        _ pieces: [FormatPiece], _ record: borrowing LineRecord, to line: ByteBuffer, limit: Int
    ) -> Bool {
        var cut = false
        let end = limit - tailLength
        let short = Self.shortLimit(limit - line.count)
        for piece in pieces {
            switch piece.kind {
            case .literal: line.append(piece.literal)
            case .indent: if record.depth > 0 { writeIndent(record.depth, to: line) }
            case .level: line.append(record.level.row.name)
            case .context:
                let escaped = record.source.escaped
                if escaped.count <= short {
                    line.append(escaped)
                } else {
                    LogText.withBytes(record.source.name) { writePlace($0, to: line, end: line.count + short) }
                }
            case .message: cut = writeMessage(record, to: line, end: end) || cut
            case .fields: cut = LogfmtWriter.append(record.fields, to: line, end: end, reserve: 64) || cut
            case .time: time.append(record.time, to: line)
            case .sequence: line.append(decimal: record.sequence)
            case .number: line.append(decimal: UInt64(record.level.rawValue))
            case .toolBoxLevel: line.append(record.level.row.toolBox)
            case .file: writePlace(record.place.file, to: line, end: line.count + short)
            case .function: writePlace(record.place.function, to: line, end: line.count + short)
            case .method: writeMethod(record.place.function, to: line, end: line.count + short)
            case .line: line.append(decimal: UInt64(record.line))
            case .thread: line.append(decimal: record.threadID)
            }
        }
        return cut
    }

    private func writeMessage(_ record: borrowing LineRecord, to line: ByteBuffer, end: Int) -> Bool {
        let end = record.fields.isEmpty ? end : end - Self.fieldsMarkLength
        guard LogfmtWriter.looksLikeFields(record.text) else {
            return messageStyle.append(record.text, omitted: record.omitted, to: line, end: end)
        }
        return LogfmtWriter.appendQuoted(record.text, omitted: record.omitted, to: line, end: end)
    }

    private func writeIndent(_ depth: Int, to line: ByteBuffer) {
        let unit = indentUnit.count * indentWidth
        guard unit > 0 else { return }
        let shown = min(depth, Self.deepestShown, Self.longestIndent / unit)
        LogText.withBytes(indentUnit) { for _ in 0..<shown * indentWidth { line.append($0) } }
        guard depth > shown else { return }
        line.append("(+" as StaticString)
        line.append(decimal: UInt64(depth - shown))
        line.append(")" as StaticString)
    }

    private func writePlace(_ text: LogText, to line: ByteBuffer, end: Int) {
        _ = Escaping.text.append(text, to: line, end: end)
    }

    /// Appends the function's name without its parameters, as FTToolBox and MyLogger print methods.
    private func writeMethod(_ text: LogText, to line: ByteBuffer, end: Int) {
        let name = text.firstIndex(of: UInt8(ascii: "(")) ?? text.count
        writePlace(name == 0 ? text : text.prefix(name), to: line, end: end)
    }

    /// Returns the longest context, name or key in a line with this limit, so that there is always room for the
    /// message.
    static func shortLimit(_ limit: Int) -> Int { min(LogContext.longest, limit / 8) }
}

extension LogRecord {
    /// Returns the line in a format, without a line end.
    ///
    /// - Complexity: O(*n*) in the length of the line.
    public func formatted(as format: LogFormat, maximumBytes: Int = 65536) -> String {
        ByteBuffer.temporary { line in
            withLine { _ = format.compiled.write($0, to: line, limit: maximumBytes) }
            return line.string
        }
    }
}
