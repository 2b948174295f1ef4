internal import AshlarCore
internal import AshlarLogging

/// The level and the context of a line, found without parsing the rest of it.
struct LineHeader {
    var level: LogLevel
    var context: String
}

extension LineParser {
    /// Returns the header of a line in one of the usual forms; nil for others, which must be parsed as a whole.
    func header(of line: UnsafeBufferPointer<UInt8>) -> LineHeader? {
        guard isStandard, let first = line.first else { return nil }
        return first == UInt8(ascii: "{") ? jsonHeader(of: line) : textHeader(of: line)
    }

    /// Reads the start of `2026-11-20T13:22:32.123Z   [LEVEL] context - `, with or without the time.
    private func textHeader(of line: UnsafeBufferPointer<UInt8>) -> LineHeader? {
        var start = 0
        if line[0].isDigit {
            guard let space = line.offset(of: .space, from: 0), line[space - 1] != .quote, time(of: line) != nil
            else { return nil }
            start = space + 1
        }
        let indent = line[start...].prefix { $0 == .space }.count
        guard indent % LogFormat.standard.indentWidth == 0 else { return nil }
        start += indent
        // Deeper indents have a number, and such lines are rare.
        guard start < line.count, line[start] == UInt8(ascii: "["),
            let end = line.offset(of: UInt8(ascii: "]"), from: start), end - start < 20,
            let level = Self.levels[String(decoding: line[(start + 1)..<end], as: UTF8.self)]
        else { return nil }
        // The context begins after "] " and ends before " - ".
        var dash = end
        while let next = line.offset(of: UInt8(ascii: "-"), from: dash + 1) {
            dash = next
            guard next > end + 2, line[next - 1] == .space, next + 1 < line.count, line[next + 1] == .space,
                line[end + 1] == .space
            else { continue }
            let context = String(decoding: line[(end + 2)..<(next - 1)], as: UTF8.self)
            return LineHeader(level: level, context: context)
        }
        return nil
    }

    private static let levels = Dictionary(uniqueKeysWithValues: LogLevel.allCases.map { ($0.name, $0) })

    /// Reads the first members of a JSON object, until it has the level and the context.
    private func jsonHeader(of line: UnsafeBufferPointer<UInt8>) -> LineHeader? {
        var (level, context): (LogLevel?, String?)
        var at = 1
        /// Moves behind a string without escapes and returns it.
        func string() -> Slice<UnsafeBufferPointer<UInt8>>? {
            guard at < line.count, line[at] == .quote, let end = line.offset(of: .quote, from: at + 1) else {
                return nil
            }
            let text = line[(at + 1)..<end]
            at = end + 1
            return text.contains(UInt8(ascii: "\\")) ? nil : text
        }
        while let key = string(), at < line.count, line[at] == UInt8(ascii: ":") {
            at += 1
            if at < line.count, line[at] == .quote {
                guard let value = string() else { return nil }
                switch String(decoding: key, as: UTF8.self) {
                case "level":
                    let name = String(decoding: value, as: UTF8.self)
                    level = Self.levels[name] ?? LogLevel(name: name)
                case "context": context = String(decoding: value, as: UTF8.self)
                default: break
                }
            } else {
                // Only numbers are skipped.
                while at < line.count, line[at].isDigit { at += 1 }
            }
            if let level, let context { return LineHeader(level: level, context: context) }
            guard at < line.count, line[at] == UInt8(ascii: ",") else { return nil }
            at += 1
        }
        return nil
    }
}
