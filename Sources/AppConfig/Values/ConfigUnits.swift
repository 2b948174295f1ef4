internal import AshlarCore

/// Parses numbers with units.
enum ConfigUnits {
    /// A decimal number: `digits` divided by 10 to the power of `scale`, so 1.1 kB is exactly 1,100 bytes.
    private struct Decimal {
        var digits: Int128 = 0
        var scale = 0

        init?(_ text: Substring) {
            var rest = text.utf8[...]
            let isNegative = rest.first == UInt8(ascii: "-")
            if isNegative || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
            var (count, hasPoint) = (0, false)
            for byte in rest {
                if byte == UInt8(ascii: "."), !hasPoint {
                    hasPoint = true
                    continue
                }
                guard byte.isDigit, count < 36 else { return nil }
                digits = digits * 10 + Int128(byte - UInt8(ascii: "0"))
                count += 1
                if hasPoint { scale += 1 }
            }
            if count == 0 { return nil }
            if isNegative { digits = -digits }
        }

        /// Returns the product with a unit; a fraction, and digits beyond the precision, are dropped.
        func times(_ unit: Int128) -> (product: Int128, isExact: Bool)? {
            var (digits, scale, isExact) = (digits, scale, true)
            var (product, isOver) = digits.multipliedReportingOverflow(by: unit)
            while isOver, scale > 0 {
                digits /= 10
                scale -= 1
                isExact = false
                (product, isOver) = digits.multipliedReportingOverflow(by: unit)
            }
            if isOver { return nil }
            for _ in 0..<scale {
                if product % 10 != 0 { isExact = false }
                product /= 10
            }
            return (product, isExact)
        }
    }

    private static func split(_ text: String) -> (number: Decimal, unit: String)? {
        let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == "." || $0 == "-" || $0 == "+") }
        guard let value = Decimal(number) else { return nil }
        return (value, text.dropFirst(number.count).drop { $0 == " " }.lowercased())
    }

    /// Parses `250ms`, `30s`, `1.5m` and so on, exact to the attosecond; a number without a unit is in seconds.
    static func duration(_ text: String) -> Duration? {
        guard let (number, unit) = split(text) else { return nil }
        let second: Int128 = 1_000_000_000_000_000_000
        let attoseconds: Int128
        switch unit {
        case "ns": attoseconds = second / 1_000_000_000
        case "us", "µs", "μs": attoseconds = second / 1_000_000
        case "ms": attoseconds = second / 1000
        case "s", "": attoseconds = second
        case "m", "min": attoseconds = second * 60
        case "h": attoseconds = second * 3600
        case "d": attoseconds = second * 86400
        default: return nil
        }
        guard let total = number.times(attoseconds)?.product, let seconds = Int64(exactly: total / second),
            seconds.magnitude < 9_000_000_000_000_000
        else { return nil }
        return Duration(secondsComponent: seconds, attosecondsComponent: Int64(total % second))
    }

    /// Parses `512`, `10kB`, `10KiB` and so on up to `PB` and `PiB`, in whole bytes.
    static func bytes(_ text: String) -> Int? {
        guard let (number, unit) = split(text) else { return nil }
        let factor: Int128
        switch unit {
        case "", "b": factor = 1
        case "kb": factor = 1000
        case "mb": factor = 1_000_000
        case "gb": factor = 1_000_000_000
        case "tb": factor = 1_000_000_000_000
        case "pb": factor = 1_000_000_000_000_000
        case "kib": factor = 1 << 10
        case "mib": factor = 1 << 20
        case "gib": factor = 1 << 30
        case "tib": factor = 1 << 40
        case "pib": factor = 1 << 50
        default: return nil
        }
        return number.times(factor).flatMap { $0.isExact ? Int(exactly: $0.product) : nil }
    }
}

/// A size in bytes, with units in text.
struct ConfigByteCount: ConfigConvertible {
    static let configTypeName = "a size in bytes such as 10MiB"
    let count: Int

    init?(configValue value: ConfigValue, coercion: ConfigCoercion) {
        if case .string(let text) = value {
            guard coercion.kind != .strict, let count = ConfigUnits.bytes(text), count >= 0 else { return nil }
            self.count = count
        } else {
            guard let count = coercion.integer(value, as: Int.self), count >= 0 else { return nil }
            self.count = count
        }
    }
}
