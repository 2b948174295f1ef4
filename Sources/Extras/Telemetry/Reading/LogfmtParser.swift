internal import AshlarCore
internal import AshlarLogging

/// Parses the message of a line and the `key=value` pairs after it.
enum LogfmtParser {
    private static let space = UInt8(ascii: " ")
    private static let quote = UInt8(ascii: "\"")
    private static let equals = UInt8(ascii: "=")
    private static let backslash = UInt8(ascii: "\\")

    /// Returns the pairs from a position, each after a space.
    static func fields(in line: [UInt8], from start: Int) -> LogFields {
        var pairs: [LogFields.Element] = []
        var position = start
        while let equals = keyEnd(in: line, at: position) {
            let key = String(decoding: line[(position + 1)..<equals], as: UTF8.self)
            let end = valueEnd(in: line, at: equals + 1)
            let bytes = line[(equals + 1)..<end]
            pairs.append(
                LogFields.Element(key: key, value: bytes.first == quote ? .string(unquoted(bytes)) : value(bytes)))
            position = end
        }
        return LogFields(pairs)
    }

    /// Returns the position at which the message at the start of a text ends and its fields start.
    ///
    /// A message that contains ` key=` is printed in quotes, so the first pair outside quotes is a field.
    static func messageEnd(in text: [UInt8]) -> Int {
        if text.first == quote {
            let end = valueEnd(in: text, at: 0)
            if end == text.count || keyEnd(in: text, at: end) != nil { return end }
        }
        var position = 0
        while let start = text[position...].firstIndex(of: space) {
            if keyEnd(in: text, at: start) != nil { return start }
            position = start + 1
        }
        return text.count
    }

    /// Returns the text of a printed message, without the quotes around ` key=` and without gutters.
    static func message(_ bytes: ArraySlice<UInt8>) -> String {
        if bytes.first == quote, bytes.count > 1, bytes.last == quote {
            let inner = unquoted(bytes)
            if LogfmtWriter.looksLikeFields(inner) { return inner }
        }
        guard bytes.contains(.newline) else { return String(decoding: bytes, as: UTF8.self) }
        let lines = bytes.split(separator: .newline, omittingEmptySubsequences: false)
        return lines.enumerated().map { index, line in
            String(decoding: index == 0 ? line : line.dropFirst(LineParser.gutter.count), as: UTF8.self)
        }.joined(separator: "\n")
    }

    /// Returns the position of `=` after the space and the key at a position.
    private static func keyEnd(in line: [UInt8], at start: Int) -> Int? {
        guard start < line.count, line[start] == space else { return nil }
        var position = start + 1
        while position < line.count, LogfmtWriter.isKeyByte(line[position]) { position += 1 }
        return position > start + 1 && position < line.count && line[position] == equals ? position : nil
    }

    private static func valueEnd(in line: [UInt8], at start: Int) -> Int {
        guard start < line.count, line[start] == quote else {
            return line[start...].firstIndex(of: space) ?? line.count
        }
        var position = start + 1
        while position < line.count, line[position] != quote { position += line[position] == backslash ? 2 : 1 }
        return min(position + 1, line.count)
    }

    /// Returns an unquoted value with the type that it looks like.
    private static func value(_ bytes: ArraySlice<UInt8>) -> LogFieldValue {
        let text = String(decoding: bytes, as: UTF8.self)
        switch text {
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "nil": return .none
        default: break
        }
        guard let first = bytes.first, first == UInt8(ascii: "-") || first.isDigit else { return .string(text) }
        if let number = Int64(text), number.description == text { return .integer(number) }
        if let number = UInt64(text), number.description == text { return .unsigned(number) }
        if let number = Double(text), number.description == text { return .float(number) }
        return .string(text)
    }

    /// Returns the text between quotes, with its escapes resolved.
    private static func unquoted(_ bytes: ArraySlice<UInt8>) -> String {
        var result: [UInt8] = []
        var rest = bytes.dropFirst()
        while let byte = rest.popFirst(), byte != quote {
            guard byte == backslash, let escape = rest.popFirst() else {
                result.append(byte)
                continue
            }
            switch escape {
            case UInt8(ascii: "n"): result.append(UInt8(ascii: "\n"))
            case UInt8(ascii: "r"): result.append(UInt8(ascii: "\r"))
            case UInt8(ascii: "t"): result.append(UInt8(ascii: "\t"))
            case UInt8(ascii: "x"):
                let scalar = scalar(rest.prefix(2))
                result += String(Character(scalar)).utf8
                rest = rest.dropFirst(2)
            case UInt8(ascii: "u"):
                let end = rest.firstIndex(of: UInt8(ascii: "}")) ?? rest.endIndex
                result += String(Character(scalar(rest[..<end].dropFirst()))).utf8
                rest = rest[end...].dropFirst()
            default: result.append(escape)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func scalar(_ digits: ArraySlice<UInt8>) -> Unicode.Scalar {
        UInt32(String(decoding: digits, as: UTF8.self), radix: 16).flatMap(Unicode.Scalar.init) ?? "\u{FFFD}"
    }
}
