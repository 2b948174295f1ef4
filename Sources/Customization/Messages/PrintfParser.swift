internal import AshlarCore

/// Splits a format string into literals and placeholders.
///
///     placeholder = '%' [position '$'] flag* [width] ['.' [precision]] length? conversion | '%' [position '$'] '#@' name '@'
///     width, precision = digits | '*' [position '$'];  flag = one of "-+ 0#'";  length = hh h l ll q L z t j
struct PrintfParser {
    private typealias Placeholder = PrintfFormat.Placeholder
    private typealias PlaceholderType = PrintfFormat.PlaceholderType

    private(set) var segments: [PrintfFormat.Segment] = []
    private(set) var problems: [MessageProblem] = []

    private let bytes: [UInt8]
    private var index = 0
    private var literal: [UInt8] = []
    /// The next argument for a placeholder without a position.
    private var nextPosition = 1
    private var hasPositional = false
    private var hasSequential = false

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    mutating func parse() {
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "%") else {
                literal.append(bytes[index])
                index += 1
                continue
            }
            let (start, position) = (index, nextPosition)
            let (positional, sequential) = (hasPositional, hasSequential)
            if start + 1 < bytes.count, bytes[start + 1] == UInt8(ascii: "%") {
                literal.append(UInt8(ascii: "%"))
                index += 2
            } else if let placeholder = placeholder() {
                endLiteral()
                segments.append(.placeholder(placeholder))
            } else {
                // The sign is literal; the text after it can contain another placeholder.
                literal.append(UInt8(ascii: "%"))
                index = start + 1
                nextPosition = position
                hasPositional = positional
                hasSequential = sequential
            }
        }
        endLiteral()
        if hasPositional, hasSequential,
            let first = segments.first(where: { if case .placeholder = $0 { true } else { false } }),
            case .placeholder(let placeholder) = first
        {
            problems.append(.init(.mixedPositions, placeholder, "placeholders with and without positions are mixed"))
        }
    }

    private mutating func endLiteral() {
        guard !literal.isEmpty else { return }
        segments.append(.literal(String(decoding: literal, as: UTF8.self)))
        literal.removeAll()
    }

    // MARK: One placeholder

    private mutating func placeholder() -> Placeholder? {
        let start = index
        index += 1
        var explicit: Int?
        let beforeDigits = index
        if let digits = number(), take("$") {
            guard digits > 0 else { return unknown(start, "positions count from 1") }
            explicit = digits
        } else {
            index = beforeDigits
        }
        if let name = variableName() {
            return finished(start, explicit: explicit, type: .variable, conversion: "@", variable: name)
        }
        var flags: Placeholder.Flags = []
        while index < bytes.count, let flag = Placeholder.Flags(character: bytes[index]) {
            flags.formUnion(flag)
            index += 1
        }
        guard let width = count(start) else { return nil }
        var precision = Placeholder.Count.none
        if take(".") {
            guard let digits = count(start) else { return nil }
            precision = digits == .none ? .fixed(0) : digits
        }
        let length = length()
        guard index < bytes.count else { return unknown(start, "incomplete placeholder at the end of the text") }
        let conversion = bytes[index]
        guard let type = PlaceholderType(conversion: conversion, length: length) else {
            return unknown(start, "unknown conversion; write %% for a percent sign")
        }
        index += 1
        return finished(
            start, explicit: explicit, type: type, conversion: Character(Unicode.Scalar(conversion)), flags: flags,
            width: width, precision: precision)
    }

    private mutating func finished(
        _ start: Int, explicit: Int?, type: PlaceholderType, conversion: Character, variable: String? = nil,
        flags: Placeholder.Flags = [], width: Placeholder.Count = .none, precision: Placeholder.Count = .none
    ) -> Placeholder {
        Placeholder(
            text: String(decoding: bytes[start..<index], as: UTF8.self), offset: start, position: position(explicit),
            isPositional: explicit != nil, type: type, variable: variable, conversion: conversion, flags: flags,
            width: width, precision: precision)
    }

    private mutating func position(_ explicit: Int?) -> Int {
        if let explicit {
            hasPositional = true
            return explicit
        }
        hasSequential = true
        nextPosition += 1
        return nextPosition - 1
    }

    /// Parses `#@name@`; the name contains no whitespace.
    private mutating func variableName() -> String? {
        guard index + 1 < bytes.count, bytes[index] == UInt8(ascii: "#"), bytes[index + 1] == UInt8(ascii: "@"),
            let end = bytes[(index + 2)...].firstIndex(of: UInt8(ascii: "@")), end > index + 2
        else { return nil }
        let name = bytes[(index + 2)..<end]
        guard !name.contains(where: { $0 <= 0x20 || $0 == UInt8(ascii: "%") }) else { return nil }
        index = end + 1
        return String(decoding: name, as: UTF8.self)
    }

    /// A width or precision; nil if it is too large.
    private mutating func count(_ start: Int) -> Placeholder.Count? {
        if take("*") {
            let afterStar = index
            if let digits = number(), digits > 0, take("$") { return .argument(position(digits)) }
            index = afterStar
            return .argument(position(nil))
        }
        guard let digits = number() else { return Placeholder.Count.none }
        guard digits <= PrintfFormat.largestWidth else {
            _ = unknown(
                start, "the width or precision is above \(PrintfFormat.largestWidth)", code: .tooWide)
            return nil
        }
        return .fixed(digits)
    }

    private mutating func length() -> String {
        for length in ["hh", "ll", "h", "l", "q", "L", "z", "t", "j"] where bytes[index...].starts(with: length.utf8) {
            index += length.utf8.count
            return length
        }
        return ""
    }

    private mutating func number() -> Int? {
        var value: Int?
        while index < bytes.count, bytes[index].isDigit {
            value = min((value ?? 0) * 10 + Int(bytes[index] - UInt8(ascii: "0")), 1_000_000)
            index += 1
        }
        return value
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    private mutating func unknown(
        _ start: Int, _ message: String, code: CustomizationDiagnostic.Code = .unknownConversion
    ) -> Placeholder? {
        // A whole character instead of one of its bytes.
        var end = min(index + 1, bytes.count)
        while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
        problems.append(
            .init(code, placeholder: String(decoding: bytes[start..<end], as: UTF8.self), offset: start, message))
        return nil
    }
}
