extension ComposedTable {
    /// The interpretations of a value; nil for a type as which it can't be read.
    struct Typed {
        var int: Int64?
        var double: Double?
        var bool: Bool?
        var color: RGBAColor?

        fileprivate var isEmpty: Bool { int == nil && double == nil && bool == nil && color == nil }
    }
}

extension ComposedTable.Typed {
    /// Interprets a value; nil if it is at most a string.
    init?(_ value: CustomizationValue, dialect: ColorDialect, numbers: NumberSpelling) {
        self.init()
        let isLenient = numbers == .nsstring
        var string: String?
        switch value {
        case .string(let text): string = text
        case .message(let message): string = message.source().text
        case .int(let number):
            int = number
            double = Double(number)
            // Old readers of property lists and JSON didn't distinguish 1 from true.
            if number == 0 || number == 1 || isLenient { bool = number != 0 }
            // DB5 reads every value as a string first, so the digits of a number can be a color.
            if dialect == .db5 { color = dialect.color(String(number)) }
        case .double(let number):
            int = Int64(exactly: number)
            double = number
            if isLenient {
                int = int ?? (number.isNaN ? 0 : Int64(max(min(number, 9.2e18), -9.2e18)))
                bool = number != 0
            }
        case .bool(let flag):
            bool = flag
            if isLenient {
                int = flag ? 1 : 0
                double = flag ? 1 : 0
            }
        case .color(let color): self.color = color
        case .data, .list, .dict, .alias: break
        }
        if let string, let typed = Self(string, dialect: dialect, numbers: numbers) { self = typed }
        if isEmpty { return nil }
    }

    /// Interprets a string.
    init?(_ text: String, dialect: ColorDialect, numbers: NumberSpelling) {
        if numbers == .nsstring {
            self.init(
                int: NumberReading.nsInteger(text), double: NumberReading.nsDouble(text),
                bool: NumberReading.nsBool(text), color: dialect.color(text))
            return
        }
        let typed = text.withKeyBytes { bytes in
            let text = ColorReading.trimmed(bytes)
            return Self(
                int: NumberReading.integer(text), double: NumberReading.double(text), bool: NumberReading.bool(text),
                color: ColorReading(dialect).color(text))
        }
        if typed.isEmpty { return nil }
        self = typed
    }
}
