extension PrintfFormat {
    /// The maximum width and precision, which limits the memory of a result.
    package static let largestWidth = 4096
}

extension PrintfFormat.Placeholder {
    /// Returns the text that replaces the placeholder.
    ///
    /// - Parameters:
    ///   - arguments: All values of the message.
    ///   - position: The position of the value, from 1.
    ///   - problems: Receives the problems of the value.
    /// - Returns: The formatted value, or the placeholder itself if there is no value.
    func replacement(
        _ arguments: MessageValues, position: Int, problems: inout [MessageProblem]
    ) -> String {
        guard let value = arguments[position - 1] else {
            problems.append(.init(.missingArgument, self, arguments.problem(ofMissing: position - 1)))
            return text
        }
        guard type.kind != .variable else {
            problems.append(.init(.unknownVariable, self, "the variable is not defined"))
            return text
        }
        var (flags, width, precision) = (flags, 0, Int?.none)
        switch self.width {
        case .none: break
        case .fixed(let count): width = count
        case .argument(let position):
            guard let count = self.count(arguments, position, &problems) else { return text }
            if count < 0 { flags.insert(.left) }
            width = abs(count)
        }
        switch self.precision {
        case .none: break
        case .fixed(let count): precision = count
        case .argument(let position):
            guard let count = self.count(arguments, position, &problems) else { return text }
            precision = count < 0 ? nil : count
        }
        guard let field = field(value, flags: flags, precision: precision) else {
            problems.append(.init(.typeMismatch, self, "expected \(type), found \(value.typeName) \"\(value.text)\""))
            return FormatField(body: value.text).padded(to: width, flags: flags.subtracting(.zero))
        }
        return field.padded(to: width, flags: flags)
    }

    /// Returns the value of a `*`; nil if it isn't a valid width.
    private func count(
        _ arguments: MessageValues, _ position: Int, _ problems: inout [MessageProblem]
    ) -> Int? {
        let limit = Int64(PrintfFormat.largestWidth)
        guard let value = arguments[position - 1] else {
            problems.append(.init(.missingArgument, self, "argument \(position) for \"*\" is missing"))
            return nil
        }
        guard case .int(let count) = value else {
            problems.append(
                .init(.typeMismatch, self, "argument \(position) for \"*\" is not a whole number"))
            return nil
        }
        guard (-limit...limit).contains(count) else {
            problems.append(.init(.tooWide, self, "argument \(position) for \"*\" is above \(limit)"))
            return nil
        }
        return Int(count)
    }

    /// Returns the value in the form of the conversion; nil if it has another type.
    private func field(_ value: FormatValue, flags: Flags, precision: Int?) -> FormatField? {
        switch type.kind {
        case .object: return FormatField(body: cut(value.text, to: precision))
        case .string:
            guard case .string(let text) = value else { return nil }
            return FormatField(body: cut(text, to: precision))
        case .character:
            switch value {
            case .string(let text): return text.count == 1 ? FormatField(body: text) : nil
            case .int(let code):
                guard let scalar = UInt32(exactly: code).flatMap(Unicode.Scalar.init) else { return nil }
                return FormatField(body: String(Character(scalar)))
            default: return nil
            }
        case .integer: return value.integer.map { .signed($0, flags: flags, precision: precision) }
        case .unsigned:
            guard let number = value.integer else { return nil }
            return .unsigned(
                number.bits(length: type.length), conversion: conversion, flags: flags, precision: precision)
        case .pointer:
            guard let number = value.integer else { return nil }
            return .unsigned(number.bits(length: "ll"), conversion: "x", flags: flags.union(.alternate), precision: nil)
        case .float: return value.number.map { .float($0, conversion: conversion, flags: flags, precision: precision) }
        case .variable: return nil
        }
    }

    private func cut(_ text: String, to precision: Int?) -> String {
        precision.map { String(text.prefix($0)) } ?? text
    }
}

extension FormatValue {
    /// An integer as its magnitude and sign.
    struct Integer {
        let magnitude: UInt64
        let isNegative: Bool

        /// Returns the two's complement in the width of the length modifier, if the number fits.
        func bits(length: String) -> UInt64 {
            guard isNegative else { return magnitude }
            let bits = 0 &- magnitude
            let isWide = ["l", "ll", "z", "t", "j"].contains(length)
            return isWide || magnitude > 1 << 31 ? bits : bits & 0xFFFF_FFFF
        }
    }

    /// The value as an integer; nil if it isn't one.
    var integer: Integer? {
        switch self {
        case .int(let number): return Integer(magnitude: number.magnitude, isNegative: number < 0)
        case .unsigned(let number): return Integer(magnitude: number, isNegative: false)
        case .bool(let value): return Integer(magnitude: value ? 1 : 0, isNegative: false)
        case .double(let number), .amount(let number, _):
            guard let magnitude = UInt64(exactly: number.magnitude) else { return nil }
            return Integer(magnitude: magnitude, isNegative: number < 0)
        case .string, .date: return nil
        }
    }

    /// The value as a floating-point number; nil if it isn't a number.
    var number: Double? {
        switch self {
        case .int(let number): Double(number)
        case .unsigned(let number): Double(number)
        case .double(let number), .amount(let number, _): number
        case .bool, .string, .date: nil
        }
    }

    /// The name of the type in messages.
    var typeName: String {
        switch self {
        case .string: "string"
        case .int, .unsigned: "integer"
        case .double: "double"
        case .bool: "bool"
        case .date: "date"
        case .amount: "amount"
        }
    }
}
