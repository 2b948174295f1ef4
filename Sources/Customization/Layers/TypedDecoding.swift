/// Decodes the interpretations of a value once, when tables are composed.
enum TypedDecoding {
    /// Returns the number, boolean and color as which a value can be read; nil if it is only a string.
    static func decode(
        _ storage: StringsTable.Storage, _ record: Int, text: String, dialect: ColorDialect, numbers: NumberSpelling
    ) -> ComposedTable.Typed? {
        if storage.records[record].hasPlainText { return decode(text, dialect, numbers) }
        return decode(storage.value(of: record), dialect: dialect, numbers: numbers)
    }

    static func decode(
        _ value: CustomizationValue, dialect: ColorDialect, numbers: NumberSpelling
    ) -> ComposedTable.Typed? {
        var typed = ComposedTable.Typed()
        func set(int: Int64) {
            typed.parts.insert(.int)
            typed.int = int
        }
        func set(double: Double) {
            typed.parts.insert(.double)
            typed.double = double
        }
        func set(bool: Bool) {
            typed.parts.insert(.bool)
            typed.flag = bool
        }
        switch value {
        case .string(let text): return decode(text, dialect, numbers)
        case .int(let number):
            set(int: number)
            set(double: Double(number))
            // Old readers of property lists and JSON didn't distinguish 1 from true.
            if number == 0 || number == 1 || numbers == .nsstring { set(bool: number != 0) }
            // DB5 reads every value as a string first, so the digits of a number can be a color.
            if dialect == .db5, let color = dialect.color(String(number)) {
                typed.parts.insert(.color)
                typed.color = color
            }
        case .double(let number):
            set(double: number)
            if let whole = Int64(exactly: number) {
                set(int: whole)
            } else if numbers == .nsstring {
                set(int: number.isNaN ? 0 : Int64(max(min(number, 9.2e18), -9.2e18)))
            }
            if numbers == .nsstring { set(bool: number != 0) }
        case .bool(let flag):
            set(bool: flag)
            if numbers == .nsstring {
                set(int: flag ? 1 : 0)
                set(double: flag ? 1 : 0)
            }
        case .color(let color):
            typed.parts.insert(.color)
            typed.color = color
        case .dict(let members):
            guard let color = dialect.color(members) ?? ColorDialect.dtcg.color(members) else { return nil }
            typed.parts.insert(.color)
            typed.color = color
        case .message(let message):
            guard let text = message.plainText else { return nil }
            return decode(text, dialect, numbers)
        case .data, .list, .alias: return nil
        }
        return typed
    }

    private static func decode(_ text: String, _ dialect: ColorDialect, _ numbers: NumberSpelling) -> ComposedTable
        .Typed?
    {
        var typed = ComposedTable.Typed()
        if numbers == .nsstring {
            typed.parts = [.int, .double, .bool]
            typed.int = NumberReading.nsInteger(text)
            typed.double = NumberReading.nsDouble(text)
            typed.flag = NumberReading.nsBool(text)
            if let color = dialect.color(text) {
                typed.parts.insert(.color)
                typed.color = color
            }
            return typed
        }
        return text.withKeyBytes { bytes in
            guard let first = bytes.first, mayBeTyped(first, bytes.count) else { return nil }
            let trimmed = ColorReading.trimmed(bytes)
            if let number = NumberReading.integer(trimmed) {
                typed.parts.insert(.int)
                typed.int = number
            }
            if let number = NumberReading.double(trimmed) {
                typed.parts.insert(.double)
                typed.double = number
            }
            if let flag = NumberReading.bool(trimmed) {
                typed.parts.insert(.bool)
                typed.flag = flag
            }
            if let color = ColorReading(dialect).color(trimmed) {
                typed.parts.insert(.color)
                typed.color = color
            }
            return typed.parts.isEmpty ? nil : typed
        }
    }

    /// Rejects most strings quickly, by their first bytes and their length.
    @inline(__always)
    private static func mayBeTyped(_ first: UInt8, _ count: Int) -> Bool {
        switch first {
        case 0x09...0x0D, 0x20, UInt8(ascii: "#")...UInt8(ascii: "."), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: count <= 64
        }
    }
}
