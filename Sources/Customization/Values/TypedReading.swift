/// The interpretations of a value, each nil if the value can't be read as this type.
extension CustomizationValue {
    /// The text of a string, which can also be read as a number, a boolean or a color.
    private var written: String? {
        switch self {
        case .string(let text): text
        case .message(let message): message.source().text
        default: nil
        }
    }

    /// The value as an integer.
    package func int(_ numbers: NumberSpelling) -> Int64? {
        let isLenient = numbers == .nsstring
        switch self {
        case .int(let number): return number
        case .double(let number):
            if let exact = Int64(exactly: number) { return exact }
            return isLenient ? (number.isNaN ? 0 : Int64(max(min(number, 9.2e18), -9.2e18))) : nil
        case .bool(let flag): return isLenient ? (flag ? 1 : 0) : nil
        default: return written.flatMap { isLenient ? NumberReading.nsInteger($0) : NumberReading.integer($0) }
        }
    }

    /// The value as a number.
    package func double(_ numbers: NumberSpelling) -> Double? {
        let isLenient = numbers == .nsstring
        switch self {
        case .int(let number): return Double(number)
        case .double(let number): return number
        case .bool(let flag): return isLenient ? (flag ? 1 : 0) : nil
        default: return written.flatMap { isLenient ? NumberReading.nsDouble($0) : NumberReading.double($0) }
        }
    }

    /// The value as a boolean.
    package func bool(_ numbers: NumberSpelling) -> Bool? {
        let isLenient = numbers == .nsstring
        switch self {
        // Old readers of property lists and JSON didn't distinguish 1 from true.
        case .int(let number): return number == 0 || number == 1 || isLenient ? number != 0 : nil
        case .double(let number): return isLenient ? number != 0 : nil
        case .bool(let flag): return flag
        default: return written.flatMap { isLenient ? NumberReading.nsBool($0) : NumberReading.bool($0) }
        }
    }

    /// The value as a color.
    package func color(_ dialect: ColorDialect) -> RGBAColor? {
        switch self {
        case .color(let color): color
        // DB5 reads every value as a string first, so the digits of a number can be a color.
        case .int(let number): dialect == .db5 ? dialect.color(String(number)) : nil
        default: written.flatMap { dialect.color($0) }
        }
    }
}
