internal import AshlarCore

/// Reads dates of header fields in all forms that servers send (RFC 9110, section 5.6.7; RFC 6265bis, section 5.1.1).
enum HTTPDate {
    /// Returns seconds since 1970, or nil if day, month, year or time is missing or out of range.
    static func seconds(_ text: String) -> Int64? {
        var (day, month, year): (Int?, Int?, Int?)
        var time: (Int, Int, Int)?
        for token in text.utf8.split(whereSeparator: isDelimiter) {
            let word = String(Substring(token))
            if time == nil, let found = readTime(word) {
                time = found
            } else if day == nil, let found = number(word, digits: 1...2) {
                day = found
            } else if month == nil, let found = readMonth(word) {
                month = found
            } else if year == nil, let found = number(word, digits: 2...4) {
                year = found < 70 ? found + 2000 : found < 100 ? found + 1900 : found
            }
        }
        guard let day, let month, let year, let time, year >= 1601, time.0 < 24, time.1 < 60, time.2 < 60,
            let date = CivilDate(year: year, month: month, day: day)
        else { return nil }
        return Int64(date.daysSince1970) * 86_400 + Int64(time.0 * 3600 + time.1 * 60 + time.2)
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    private static func number(_ word: String, digits: ClosedRange<Int>) -> Int? {
        let leading = word.utf8.prefix { $0.isDigit }
        return digits.contains(leading.count) ? Int(String(Substring(leading))) : nil
    }

    private static func readTime(_ word: String) -> (Int, Int, Int)? {
        let parts = word.split(separator: ":")
        guard parts.count == 3, let hour = number(String(parts[0]), digits: 1...2),
            let minute = number(String(parts[1]), digits: 1...2), let second = number(String(parts[2]), digits: 1...2)
        else { return nil }
        return (hour, minute, second)
    }

    private static func readMonth(_ word: String) -> Int? {
        let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
        return months.firstIndex(of: String(word.lowercased().prefix(3))).map { $0 + 1 }
    }
}
