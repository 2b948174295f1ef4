/// A format of `java.util.Formatter`: `"%1$s has %2$,d"`.
struct JavaFormat {
    struct Placeholder {
        /// The placeholder as written.
        let text: String
        /// The position of its argument, from 1; 0 for `%n`, which has no argument.
        let position: Int
        /// Whether the placeholder has an explicit position, or `<`, which repeats the previous one.
        let isPositional: Bool
        let flags: Set<Character>
        let width: String
        /// The precision with its dot.
        let precision: String
        /// The conversion letter; `t` or `T` for dates.
        let conversion: Character
    }

    enum Piece {
        case literal(String)
        case placeholder(Placeholder)
    }

    private(set) var pieces: [Piece] = []

    var placeholders: [Placeholder] {
        pieces.compactMap { piece in
            if case .placeholder(let placeholder) = piece { placeholder } else { nil }
        }
    }

    /// Parses a string; text that `Formatter` rejects, and the `% d` of "100% done", is literal.
    init(_ text: String) {
        var rest = text[...]
        var literal = ""
        var (next, last) = (1, 0)
        func flush(_ pieces: inout [Piece]) {
            if !literal.isEmpty { pieces.append(.literal(literal)) }
            literal = ""
        }
        while let character = rest.first {
            if rest.hasPrefix("%%") {
                literal += "%"
                rest = rest.dropFirst(2)
                continue
            }
            guard character == "%", let found = Self.placeholder(rest, next: next, last: last) else {
                literal.append(character)
                rest = rest.dropFirst()
                continue
            }
            flush(&pieces)
            pieces.append(.placeholder(found))
            rest = rest.dropFirst(found.text.count)
            if found.position > 0 { last = found.position }
            if !found.isPositional, found.position > 0 { next += 1 }
        }
        flush(&pieces)
    }

    private static let flags: [Character: String] = [
        "s": "-#", "S": "-#", "b": "-", "B": "-", "h": "-", "H": "-", "c": "-", "C": "-", "t": "-", "T": "-",
        "d": "-+ 0,(", "o": "-#0", "x": "-#0", "X": "-#0", "e": "-#+ 0(", "E": "-#+ 0(", "f": "-#+ 0,(",
        "g": "-+ 0,(", "G": "-+ 0,(", "a": "-#+ 0", "A": "-#+ 0", "n": "",
    ]

    private static func placeholder(_ text: Substring, next: Int, last: Int) -> Placeholder? {
        var rest = text.dropFirst()
        func digits() -> Substring { rest.prefix { $0.isASCII && $0.isNumber } }
        var position: Int?
        let number = digits()
        if !number.isEmpty, rest.dropFirst(number.count).first == "$" {
            guard let index = Int(number), index > 0 else { return nil }
            position = index
            rest = rest.dropFirst(number.count + 1)
        }
        var found = Set(rest.prefix { "-#+ 0,(<".contains($0) })
        rest = rest.drop { "-#+ 0,(<".contains($0) }
        if found.remove("<") != nil { position = last }
        let width = digits()
        rest = rest.dropFirst(width.count)
        var precision = ""
        if rest.first == "." {
            rest = rest.dropFirst()
            precision = "." + digits()
            guard precision.count > 1 else { return nil }
            rest = rest.dropFirst(precision.count - 1)
        }
        guard let conversion = rest.popFirst(), let allowed = flags[conversion], found.isSubset(of: Set(allowed)) else {
            return nil
        }
        if conversion == "t" || conversion == "T" {
            guard let suffix = rest.popFirst(), suffix.isASCII, suffix.isLetter else { return nil }
        }
        let written = String(text[..<rest.startIndex])
        if written.count == 3, written.hasPrefix("% ") { return nil }
        let isLineEnd = conversion == "n"
        if isLineEnd, written != "%n" { return nil }
        return Placeholder(
            text: written, position: isLineEnd ? 0 : position ?? next, isPositional: position != nil, flags: found,
            width: String(width), precision: precision, conversion: conversion)
    }
}
