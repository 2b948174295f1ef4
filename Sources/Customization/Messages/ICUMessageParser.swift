internal import AshlarCore

/// Parses a message in the notation of ICU MessageFormat.
///
///     message  = (text | argument)*
///     argument = '{' name '}' | '{' name ',' ('number' | 'date' | 'time') [',' style] '}'
///              | '{' name ',' ('plural' | 'selectordinal') ',' ['offset:' integer] (selector '{' message '}')+ '}'
///              | '{' name ',' 'select' ',' (selector '{' message '}')+ '}'
///
/// `''` is an apostrophe. An apostrophe before `{`, `}` or, directly in a plural, `#` starts literal text up to the next
/// apostrophe. White space is that of Unicode's patterns, which includes the left-to-right and right-to-left marks. An
/// argument with an error is literal text up to its closing brace.
struct ICUMessageParser {
    typealias Piece = CompiledMessage.Piece

    /// The maximum depth of nested messages.
    static let maximumDepth = 16

    /// A failure to parse an argument, which ends at the parser's position.
    private struct Failure: Error {
        let message: String
    }

    /// The names of the arguments in the order of the text.
    private(set) var names: [String] = []
    private(set) var problems: [MessageProblem] = []
    private let bytes: [UInt8]
    private var index = 0
    private var numbers: [String: Int] = [:]

    init(_ text: String) { bytes = Array(text.utf8) }

    mutating func parse() -> [Piece] {
        // At depth 0, nothing fails: a failure ends at the outermost argument.
        (try? message(depth: 0, inPlural: false)) ?? []
    }

    /// Parses an outermost argument; returns literal text if it is malformed.
    private mutating func outermostArgument() -> Piece {
        let start = index
        let (known, count) = (names.count, problems.count)
        do throws(Failure) {
            return try argument(depth: 0)
        } catch {
            for name in names[known...] { numbers[name] = nil }
            names.removeLast(names.count - known)
            problems.removeLast(problems.count - count)
            problems.append(.init(.messageSyntax, placeholder: excerpt(start), offset: index, error.message))
            index = endOfBraces(from: start)
            return .literal(String(decoding: bytes[start..<index], as: UTF8.self))
        }
    }

    /// Returns the end of the text in braces that starts here, or the end of the message if a brace is missing.
    private func endOfBraces(from start: Int) -> Int {
        var depth = 0
        for at in start..<bytes.count {
            if bytes[at] == UInt8(ascii: "{") { depth += 1 }
            if bytes[at] == UInt8(ascii: "}") { depth -= 1 }
            if depth == 0 { return at + 1 }
        }
        return bytes.count
    }

    private func excerpt(_ start: Int) -> String {
        let line = bytes[start...].prefix(24).prefix { $0 != UInt8(ascii: "\n") }
        return String(decoding: line, as: UTF8.self)
    }

    // MARK: Messages

    /// Parses up to the end of the text or, in a nested message, up to its `}`.
    ///
    /// As in ICU, `#` is the number only directly in a plural, and not in a select inside it.
    private mutating func message(depth: Int, inPlural: Bool) throws(Failure) -> [Piece] {
        var pieces: [Piece] = []
        var literal: [UInt8] = []
        func flush(_ pieces: inout [Piece]) {
            if !literal.isEmpty { pieces.append(.literal(String(decoding: literal, as: UTF8.self))) }
            literal.removeAll()
        }
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "'"): quoted(&literal, inPlural: inPlural)
            case UInt8(ascii: "{"):
                flush(&pieces)
                pieces.append(depth == 0 ? outermostArgument() : try argument(depth: depth))
            case UInt8(ascii: "}") where depth > 0:
                flush(&pieces)
                return pieces
            case UInt8(ascii: "#") where inPlural:
                flush(&pieces)
                pieces.append(.number)
                index += 1
            default:
                let start = index
                repeat { index += 1 } while index < bytes.count && !"'{}#".utf8.contains(bytes[index])
                literal += bytes[start..<index]
            }
        }
        if depth > 0 { throw Failure(message: "expected \"}\"") }
        flush(&pieces)
        return pieces
    }

    /// Parses an apostrophe: a literal one, or the start of literal text.
    private mutating func quoted(_ literal: inout [UInt8], inPlural: Bool) {
        let quote = UInt8(ascii: "'")
        index += 1
        let isDoubled = index < bytes.count && bytes[index] == quote
        let special = inPlural ? "{}#" : "{}"
        guard index < bytes.count, special.utf8.contains(bytes[index]) else {
            if isDoubled { index += 1 }
            return literal.append(quote)
        }
        while index < bytes.count {
            if bytes[index] == quote {
                index += 1
                guard index < bytes.count, bytes[index] == quote else { return }
            }
            literal.append(bytes[index])
            index += 1
        }
    }

    // MARK: Arguments

    private mutating func argument(depth: Int) throws(Failure) -> Piece {
        let start = index
        guard depth < Self.maximumDepth else {
            throw Failure(message: "arguments are nested too deeply")
        }
        index += 1
        skipSpace()
        let name = word(extra: "-.")
        guard !name.isEmpty else { throw Failure(message: "expected the name of an argument") }
        skipSpace()
        if take("}") { return .argument(simple(name, .plain, start)) }
        guard take(",") else { throw Failure(message: "expected \",\" or \"}\" after \"\(name)\"") }
        skipSpace()
        let type = word()
        skipSpace()
        if let kind = MessageChoice.Kind(rawValue: type) {
            guard take(",") else { throw Failure(message: "expected \",\" after \"\(type)\"") }
            return .choice(try choice(kind, name, start, depth: depth))
        }
        let style = try style()
        let written = String(decoding: bytes[start..<index], as: UTF8.self)
        func unknown(_ message: String) {
            problems.append(.init(.unknownType, placeholder: written, offset: start, message))
        }
        switch type {
        case "number":
            let known = MessageNumberStyle(style)
            if known == nil {
                unknown("unsupported number style \"\(style)\"; use integer, percent or ::currency/EUR .00")
            }
            return .argument(simple(name, .number(known ?? .plain), start))
        case "date", "time":
            return .argument(simple(name, .date(MessageDateStyle(style, isTime: type == "time")), start))
        default:
            unknown("the type \"\(type)\" is not supported; format the value and pass a text")
            return .argument(simple(name, .plain, start))
        }
    }

    private mutating func simple(_ name: String, _ style: MessageArgument.Style, _ start: Int) -> MessageArgument {
        MessageArgument(MessagePlace(index: number(of: name), text: "{\(name)}", offset: start), style: style)
    }

    /// Parses the style of a simple argument, up to its `}`; returns an empty string if it has none.
    private mutating func style() throws(Failure) -> String {
        var style = ""
        if take(",") {
            let start = index
            var isQuoted = false
            while index < bytes.count, isQuoted || !"{}".utf8.contains(bytes[index]) {
                if bytes[index] == UInt8(ascii: "'") { isQuoted.toggle() }
                index += 1
            }
            var scalars = Substring(decoding: bytes[start..<index], as: UTF8.self).unicodeScalars
            while scalars.first?.properties.isPatternWhitespace == true { scalars.removeFirst() }
            while scalars.last?.properties.isPatternWhitespace == true { scalars.removeLast() }
            style = String(scalars)
        }
        guard take("}") else { throw Failure(message: "expected \"}\"") }
        return style
    }

    private mutating func choice(
        _ kind: MessageChoice.Kind, _ name: String, _ start: Int, depth: Int
    ) throws(Failure) -> MessageChoice {
        let place = MessagePlace(index: number(of: name), text: "{\(name)}", offset: start)
        var numberOffset: Int64 = 0
        var exact: [(number: Double, pieces: [Piece])] = []
        var cases: [(name: String, pieces: [Piece])] = []
        var (knownNumbers, knownNames): (Set<Double>, Set<String>) = ([], [])
        func report(_ code: CustomizationDiagnostic.Code, _ offset: Int, _ message: String) {
            problems.append(.init(code, placeholder: place.text, offset: offset, message))
        }
        skipSpace()
        if kind != .select, bytes[index...].starts(with: "offset:".utf8) {
            index += 7
            skipSpace()
            guard let number = Int64(word(extra: "-")) else {
                throw Failure(message: "expected a whole number")
            }
            numberOffset = number
            skipSpace()
        }
        while !take("}") {
            let caseStart = index
            let selector = word(extra: kind == .select ? "-." : "=-.")
            if selector == "=" { throw Failure(message: "expected a number after \"=\"") }
            guard !selector.isEmpty else { throw Failure(message: "expected a case of \"\(name)\"") }
            skipSpace()
            guard take("{") else { throw Failure(message: "expected \"{\" after \"\(selector)\"") }
            let pieces = try message(depth: depth + 1, inPlural: kind != .select)
            guard take("}") else { throw Failure(message: "expected \"}\"") }
            skipSpace()
            if kind != .select, selector.hasPrefix("=") {
                let digits = selector.dropFirst()
                // Swift also reads 0x10 and inf.
                guard digits.utf8.allSatisfy({ !$0.isLetter || $0 | 0x20 == UInt8(ascii: "e") }),
                    let number = Double(digits)
                else {
                    report(.unknownCase, caseStart, "\"\(selector)\" is not a number")
                    continue
                }
                if knownNumbers.insert(number).inserted {
                    exact.append((number, pieces))
                } else {
                    report(.duplicateCase, caseStart, "two texts for \"\(selector)\"; the first one is used")
                }
                continue
            }
            if kind != .select, PluralCategory(rawValue: selector) == nil {
                report(
                    .unknownCase, caseStart,
                    "\"\(selector)\" is not a plural category; use =1 for an exact number")
            }
            if knownNames.insert(selector).inserted {
                cases.append((selector, pieces))
            } else {
                report(.duplicateCase, caseStart, "two texts for \"\(selector)\"; the first one is used")
            }
        }
        if !knownNames.contains("other") {
            report(.missingOther, start, "there is no text for other")
        }
        return MessageChoice(kind: kind, place: place, numberOffset: numberOffset, exact: exact, cases: cases)
    }

    private mutating func number(of name: String) -> Int {
        if let known = numbers[name] { return known }
        numbers[name] = names.count
        names.append(name)
        return names.count - 1
    }

    // MARK: Characters

    private mutating func skipSpace() {
        while let length = lengthOfSpace() { index += length }
    }

    /// The number of bytes of the white space here: the characters with Unicode's property `Pattern_White_Space`.
    private func lengthOfSpace() -> Int? {
        guard index < bytes.count else { return nil }
        switch bytes[index] {
        case 0x09...0x0D, 0x20: return 1
        case 0xC2: return bytes[index...].starts(with: "\u{85}".utf8) ? 2 : nil
        case 0xE2:
            let marks = ["\u{200E}", "\u{200F}", "\u{2028}", "\u{2029}"]
            return marks.contains { bytes[index...].starts(with: $0.utf8) } ? 3 : nil
        default: return nil
        }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    /// Parses letters, digits, `_` and characters beyond ASCII that aren't white space.
    private mutating func word(extra: String = "") -> String {
        let start = index
        while index < bytes.count, lengthOfSpace() == nil {
            switch bytes[index] {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
                index += 1
            case let byte where extra.utf8.contains(byte): index += 1
            default: return String(decoding: bytes[start..<index], as: UTF8.self)
            }
        }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }
}
