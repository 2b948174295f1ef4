/// A format made ready for printing: trivial steps over one block of literal bytes, read without reference counting.
final class CompiledFormat: Sendable {
    enum Kind: Equatable {
        case pattern([FormatPiece])
        case jsonLines
        case logfmt
    }

    struct Step {
        enum Action: UInt8 {
            case literal, indent, level, context, message, fields, time, sequence, number, toolBoxLevel, file, function
            case method, line, thread

            /// Whether it prints the same for all lines of a logger, a level and a depth.
            var isSameForLogger: Bool {
                switch self {
                case .literal, .indent, .level, .context, .number, .toolBoxLevel: true
                case .message, .fields, .time, .sequence, .file, .function, .method, .line, .thread: false
                }
            }
        }
        var action: Action
        var offset: Int32 = 0
        var length: Int32 = 0
    }

    /// Deeper lines show this many levels and how many more there are.
    static let deepestShown = 64
    static let longestIndent = 256
    /// What ` ...[+12 fields]` takes at most.
    private static let fieldsMarkLength = 24

    /// Which kind it is, without what a pattern holds: read for every line.
    private enum Shape { case pattern, jsonLines, logfmt }

    let kind: Kind
    private let shape: Shape
    let steps: [Step]
    let literals: StaticBytes
    let indentUnit: [UInt8]
    let indentWidth: Int
    let messageStyle: Escaping
    /// How many bytes of literals follow the message, kept free when a long message is cut.
    let tailLength: Int
    let needsTime: Bool
    /// How many steps print the beginning that is the same for all lines of a logger, a level and a depth; 0 if there is
    /// no such beginning.
    ///
    /// A time may go before it.
    private let headLength: Int
    private let timeLeads: Bool
    /// Whether a line without fields is such a beginning and the message.
    let isPlain: Bool

    init(kind: Kind, indentUnit: [UInt8] = [32], indentWidth: Int = 2, messageStyle: Escaping = .text) {
        var steps: [Step] = []
        var bytes: [UInt8] = []
        var tail = 0
        if case .pattern(let pieces) = kind {
            for piece in pieces {
                if case .literal(let text) = piece {
                    let count = text.utf8.count
                    steps.append(Step(action: .literal, offset: Int32(bytes.count), length: Int32(count)))
                    bytes += text.utf8
                    tail += count
                } else {
                    steps.append(Step(action: piece.action))
                    if piece == .message { tail = 0 }
                }
            }
        }
        self.kind = kind
        shape =
            switch kind {
            case .pattern: .pattern
            case .jsonLines: .jsonLines
            case .logfmt: .logfmt
            }
        self.steps = steps
        self.tailLength = tail
        self.literals = bytes.withUnsafeBytes { StaticBytes($0) }
        self.indentUnit = indentUnit
        self.indentWidth = indentWidth
        self.messageStyle = messageStyle
        needsTime = steps.isEmpty || steps.contains { $0.action == .time }
        timeLeads = steps.first?.action == .time
        let rest = steps.dropFirst(timeLeads ? 1 : 0)
        let head = rest.prefix { $0.action.isSameForLogger }
        headLength = rest.dropFirst(head.count).first?.action == .message ? head.count : 0
        isPlain = !timeLeads && headLength > 0 && steps.dropFirst(headLength + 1).allSatisfy { $0.action == .fields }
    }

    convenience init(_ pieces: [FormatPiece]) { self.init(kind: .pattern(pieces)) }

    func with(indentUnit: [UInt8], width: Int) -> CompiledFormat {
        CompiledFormat(kind: kind, indentUnit: indentUnit, indentWidth: width, messageStyle: messageStyle)
    }

    func with(messageStyle: Escaping) -> CompiledFormat {
        CompiledFormat(kind: kind, indentUnit: indentUnit, indentWidth: indentWidth, messageStyle: messageStyle)
    }

    /// Appends the record without a line end; returns whether something was cut to keep the line within `limit`.
    ///
    /// `heads` are beginnings of lines in this format and within this limit.
    func write(_ record: borrowing LogRecord, to line: ByteBuffer, limit: Int, heads: LineHeads? = nil) -> Bool {
        switch shape {
        case .pattern: writePattern(record, to: line, limit: line.count + limit, heads: heads)
        case .jsonLines: writeJSON(record, to: line, limit: line.count + limit)
        case .logfmt: writeLogfmt(record, to: line, limit: line.count + limit)
        }
    }

    @inline(__always)
    private func writePattern(
        _ record: borrowing LogRecord, to line: ByteBuffer, limit: Int, heads: LineHeads?
    ) -> Bool {
        guard let heads, headLength > 0, record.depth <= LineHeads.deepest else {
            return write(steps.indices, of: record, to: line, limit: limit, from: line.count)
        }
        let begin = line.count
        if timeLeads { writeTime(record.time, to: line) }
        let head = timeLeads ? 1..<(headLength + 1) : 0..<headLength
        if !heads.append(record.sourceIdentity, record.level, record.depth, to: line) {
            let start = line.count
            _ = write(head, of: record, to: line, limit: limit, from: begin)
            heads.keep(
                record.sourceIdentity, record.level, record.depth,
                UnsafeRawBufferPointer(rebasing: line.bytes[start...]))
        }
        let cut = writeMessage(record, to: line, end: limit - tailLength)
        if headLength + (timeLeads ? 3 : 2) == steps.count, record.fields.isEmpty { return cut }
        return write((head.upperBound + 1)..<steps.count, of: record, to: line, limit: limit, from: begin) || cut
    }

    @inline(__always)
    private func writeMessage(_ record: borrowing LogRecord, to line: ByteBuffer, end: Int) -> Bool {
        messageStyle.append(
            record.messageStart, record.messageCount, omitted: record.messageOmitted, to: line,
            end: record.fields.isEmpty ? end : end - Self.fieldsMarkLength)
    }

    /// Appends what some of the steps print, of a line that began at `begin`.
    private func write(
        _ range: Range<Int>, of record: borrowing LogRecord, to line: ByteBuffer, limit: Int, from begin: Int
    ) -> Bool {
        var cut = false
        let end = limit - tailLength
        let short = Self.shortLimit(limit - begin)
        for index in range {
            let step = steps[index]
            switch step.action {
            case .literal: line.append(literals.start + Int(step.offset), Int(step.length))
            case .indent: writeIndent(record.depth, to: line)
            case .level: line.append(record.level.printedName)
            case .context:
                if record.source.escaped.count <= short {
                    line.append(record.source.escaped.start, record.source.escaped.count)
                } else {
                    LogText.withBytes(record.source.name) { writePlace($0, to: line, end: line.count + short) }
                }
            case .message: cut = writeMessage(record, to: line, end: end) || cut
            case .fields:
                if !record.fields.isEmpty { cut = writeFields(record.fields, to: line, end: end) || cut }
            case .time: writeTime(record.time, to: line)
            case .sequence: line.append(decimal: record.sequence)
            case .number: line.append(byte: 48 + record.level.rawValue)
            case .toolBoxLevel: line.append(record.level.toolBoxText)
            case .file: writePlace(record.place.file, to: line, end: line.count + short)
            case .function: writePlace(record.place.function, to: line, end: line.count + short)
            case .method: writeMethod(record.place.function, to: line, end: line.count + short)
            case .line: line.append(decimal: UInt64(record.line))
            case .thread: line.append(decimal: record.threadID)
            }
        }
        return cut
    }

    @inline(__always)
    private func writeIndent(_ depth: Int, to line: ByteBuffer) {
        if depth > 0 { writeDeepIndent(depth, to: line) }
    }

    private func writeDeepIndent(_ depth: Int, to line: ByteBuffer) {
        let unit = indentUnit.count * indentWidth
        guard unit > 0 else { return }
        let shown = min(depth, Self.deepestShown, Self.longestIndent / unit)
        if indentUnit.count == 1 {
            line.append(repeating: indentUnit[0], count: shown * unit)
        } else {
            for _ in 0..<shown * indentWidth {
                indentUnit.withUnsafeBufferPointer { line.append($0.baseAddress!, $0.count) }
            }
        }
        guard depth > shown else { return }
        line.append("(+" as StaticString)
        line.append(decimal: UInt64(depth - shown))
        line.append(")" as StaticString)
    }

    func writeTime(_ time: LogTime, to line: ByteBuffer) {
        let (second, millisecond) = time.parts
        ThreadContext.current.appendTime(second: second, to: line)
        line.append(byte: 46)
        line.append(millisecond, digits: 3)
        line.append(byte: 90)
    }

    private func writePlace(_ text: LogText, to line: ByteBuffer, end: Int) {
        _ = Escaping.text.append(text.start, text.count, to: line, end: end)
    }

    /// Appends the function's name without its parameters, as the original printed a method.
    private func writeMethod(_ text: LogText, to line: ByteBuffer, end: Int) {
        var length = 0
        while length < text.count, text.start[length] != 40 { length += 1 }
        _ = Escaping.text.append(text.start, length == 0 ? text.count : length, to: line, end: end)
    }

    private func writeFields(_ fields: LogFields, to line: ByteBuffer, end: Int) -> Bool {
        var cut = false
        for (index, field) in fields.elements.enumerated() {
            // A field that would not even leave room for the mark of a cut is left out with those behind it.
            guard line.count + 64 <= end else {
                line.append(" ...[+" as StaticString)
                line.append(decimal: UInt64(fields.elements.count - index))
                line.append(" fields]" as StaticString)
                return true
            }
            line.append(byte: 32)
            let wasCut = LogfmtWriter.append(field, to: line, end: end - 32)
            cut = wasCut || cut
        }
        return cut
    }

    /// How long a context, a place or a key may be, so that a line always has room for its message.
    static func shortLimit(_ limit: Int) -> Int { min(LogContext.longest, limit / 8) }
}

extension FormatPiece {
    fileprivate var action: CompiledFormat.Step.Action {
        switch self {
        case .literal: .literal
        case .indent: .indent
        case .level: .level
        case .context: .context
        case .message: .message
        case .fields: .fields
        case .time: .time
        case .sequence: .sequence
        case .number: .number
        case .toolBoxLevel: .toolBoxLevel
        case .file: .file
        case .function: .function
        case .method: .method
        case .line: .line
        case .thread: .thread
        }
    }
}
