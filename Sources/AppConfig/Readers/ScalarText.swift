/// The numbers that property lists write as text.
enum ScalarText {
    enum Integer {
        case signed(Int64)
        case unsigned(UInt64)
    }

    private static func trimmed(_ text: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        var (first, last) = (0, text.count)
        func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (byte >= 9 && byte <= 13) }
        while first < last, isSpace(text[first]) { first += 1 }
        while last > first, isSpace(text[last - 1]) { last -= 1 }
        return UnsafeBufferPointer(rebasing: text[first..<last])
    }

    /// A whole number with an optional sign, decimal or in hexadecimal digits after `0x`; nil if it is none or too big.
    static func integer(_ text: UnsafeBufferPointer<UInt8>) -> Integer? {
        let text = trimmed(text)
        var at = 0
        var isNegative = false
        if at < text.count, text[at] == UInt8(ascii: "-") || text[at] == UInt8(ascii: "+") {
            isNegative = text[at] == UInt8(ascii: "-")
            at += 1
        }
        var radix: UInt64 = 10
        if at + 1 < text.count, text[at] == UInt8(ascii: "0"), text[at + 1] | 0x20 == UInt8(ascii: "x") {
            radix = 16
            at += 2
        }
        guard at < text.count else { return nil }
        var magnitude: UInt64 = 0
        while at < text.count {
            let byte = text[at]
            let digit: UInt64
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = UInt64(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f") where radix == 16: digit = UInt64(byte - UInt8(ascii: "a") + 10)
            case UInt8(ascii: "A")...UInt8(ascii: "F") where radix == 16: digit = UInt64(byte - UInt8(ascii: "A") + 10)
            default: return nil
            }
            let (product, overflow) = magnitude.multipliedReportingOverflow(by: radix)
            let (sum, carry) = product.addingReportingOverflow(digit)
            if overflow || carry { return nil }
            magnitude = sum
            at += 1
        }
        if isNegative {
            guard magnitude <= UInt64(Int64.max) + 1 else { return nil }
            return .signed(Int64(bitPattern: 0 &- magnitude))
        }
        return magnitude > UInt64(Int64.max) ? .unsigned(magnitude) : .signed(Int64(magnitude))
    }

    /// A number with a fraction or exponent, or `nan`, `inf`, `infinity` in any case.
    static func real(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
        let text = trimmed(text)
        if text.isEmpty || text.count > 512 { return nil }
        // `nan(7)` and `snan`, which Swift reads as well, are nothing that a file means.
        if text.contains(where: { $0 == UInt8(ascii: "(") || $0 | 0x20 == UInt8(ascii: "s") }) { return nil }
        return Double(String(decoding: text, as: UTF8.self))
    }
}

/// Base 64 as RFC 4648 has it; white space may stand anywhere.
enum Base64 {
    static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var (bits, count, padding): (UInt32, Int, Int) = (0, 0, 0)
        for byte in text {
            let value: UInt32
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = UInt32(byte - UInt8(ascii: "A"))
            case UInt8(ascii: "a")...UInt8(ascii: "z"): value = UInt32(byte - UInt8(ascii: "a")) + 26
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = UInt32(byte - UInt8(ascii: "0")) + 52
            case UInt8(ascii: "+"): value = 62
            case UInt8(ascii: "/"): value = 63
            case UInt8(ascii: "="):
                padding += 1
                continue
            case 9, 10, 13, 32: continue
            default: return nil
            }
            if padding > 0 { return nil }
            bits = bits << 6 | value
            count += 1
            if count == 4 {
                bytes.append(UInt8(truncatingIfNeeded: bits >> 16))
                bytes.append(UInt8(truncatingIfNeeded: bits >> 8))
                bytes.append(UInt8(truncatingIfNeeded: bits))
                (bits, count) = (0, 0)
            }
        }
        switch (count, padding) {
        case (0, 0): return bytes
        case (2, 2):
            bytes.append(UInt8(truncatingIfNeeded: bits >> 4))
            return bytes
        case (3, 1):
            bytes.append(UInt8(truncatingIfNeeded: bits >> 10))
            bytes.append(UInt8(truncatingIfNeeded: bits >> 2))
            return bytes
        default: return nil
        }
    }
}

/// Points in time as text, in seconds since 2001-01-01T00:00:00Z in the proleptic Gregorian calendar.
enum ConfigDateText {
    /// Exactly `YYYY-MM-DDThh:mm:ssZ`, as property lists write dates.
    static func parsePlist(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
        guard text.count == 20, text[19] == UInt8(ascii: "Z") else { return nil }
        return parse(text)
    }

    /// ISO 8601 as RFC 3339 profiles it: a fraction of a second and an offset such as `+02:00` may follow, and a day
    /// alone means its beginning in UTC.
    static func parse(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
        func number(_ at: Int, _ length: Int) -> Int? {
            guard at + length <= text.count else { return nil }
            var value = 0
            for byte in text[at..<(at + length)] {
                guard byte >= 48, byte <= 57 else { return nil }
                value = value * 10 + Int(byte - 48)
            }
            return value
        }
        func has(_ at: Int, _ characters: String) -> Bool { at < text.count && characters.utf8.contains(text[at]) }
        guard let year = number(0, 4), has(4, "-"), let month = number(5, 2), has(7, "-"), let day = number(8, 2),
            (1...12).contains(month), day >= 1, day <= daysInMonth(month, year)
        else { return nil }
        let days = Double(daysSinceReference(year, month, day)) * 86400
        if text.count == 10 { return days }
        guard has(10, "T"), let hour = number(11, 2), has(13, ":"), let minute = number(14, 2), has(16, ":"),
            let second = number(17, 2), hour < 24, minute < 60, second < 60
        else { return nil }
        var seconds = days + Double(hour * 3600 + minute * 60 + second)
        var at = 19
        if has(at, ".") {
            at += 1
            // Digits beyond the eighteenth say nothing that a double could hold.
            var (digits, scale): (Int64, Double) = (0, 1)
            let first = at
            while at < text.count, text[at] >= 48, text[at] <= 57 {
                if at - first < 18 { (digits, scale) = (digits * 10 + Int64(text[at] - 48), scale * 10) }
                at += 1
            }
            if at == first { return nil }
            seconds += Double(digits) / scale
        }
        if has(at, "Z") { return at + 1 == text.count ? seconds : nil }
        guard has(at, "+-"), let hours = number(at + 1, 2), has(at + 3, ":"), let minutes = number(at + 4, 2),
            hours < 24, minutes < 60, at + 6 == text.count
        else { return nil }
        let offset = Double(hours * 3600 + minutes * 60)
        return text[at] == UInt8(ascii: "+") ? seconds - offset : seconds + offset
    }

    /// `YYYY-MM-DDThh:mm:ssZ`, with milliseconds if there are any.
    static func format(_ seconds: Double) -> String {
        guard seconds.isFinite, abs(seconds) < 2e11 else { return "\(seconds)" }
        let milliseconds = Int((seconds * 1000).rounded())
        let (days, rest) = floorDivide(milliseconds, 86_400_000)
        let (year, month, day) = civil(days + 11_323)
        func pad(_ value: Int, _ width: Int = 2) -> String {
            let digits = String(value)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let fraction = rest % 1000 == 0 ? "" : "." + pad(rest % 1000, 3)
        let time = "\(pad(rest / 3_600_000)):\(pad(rest / 60_000 % 60)):\(pad(rest / 1000 % 60))"
        return "\(pad(year, 4))-\(pad(month))-\(pad(day))T\(time)\(fraction)Z"
    }

    private static func floorDivide(_ value: Int, _ by: Int) -> (Int, Int) {
        let quotient = value >= 0 ? value / by : -((-value + by - 1) / by)
        return (quotient, value - quotient * by)
    }

    private static func daysInMonth(_ month: Int, _ year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days from 2001-01-01, after Howard Hinnant's `days_from_civil`.
    private static func daysSinceReference(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let y = month <= 2 ? year - 1 : year
        let era = (y >= 0 ? y : y - 399) / 400
        let yearOfEra = y - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468 - 11_323
    }

    /// The date of a number of days since 1970-01-01, after Howard Hinnant's `civil_from_days`.
    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let z = days + 719_468
        let era = (z >= 0 ? z : z - 146_096) / 146_097
        let dayOfEra = z - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted + (shifted < 10 ? 3 : -9)
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }
}
