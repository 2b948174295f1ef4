/// Texts that are secrets by their shape, whatever stands before them.
package enum SecretShapes {
    /// Returns the range of the secret that starts at an offset, which must be the start of a word.
    ///
    /// - Complexity: O(*n*) in the length of the secret.
    static func secret(in bytes: [UInt8], at start: Int) -> Range<Int>? {
        let end =
            switch bytes[start] {
            case UInt8(ascii: "2")...UInt8(ascii: "6"): endOfCardNumber(in: bytes, from: start)
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): endOfAccountNumber(in: bytes, from: start)
            case UInt8(ascii: "e"): endOfWebToken(in: bytes, from: start)
            case UInt8(ascii: "-"): endOfPrivateKey(in: bytes, from: start)
            default: Int?.none
            }
        return end.map { start..<$0 }
    }

    /// Returns whether a number is the number of a payment card.
    package static func isCardNumber(_ number: UInt64) -> Bool {
        isCardNumber(digits: String(number).utf8.map { $0 - 48 })
    }

    // MARK: - Payment cards

    /// 12 to 19 digits in a network's range, with a valid check digit.
    ///
    /// A space or hyphen can stand between two digits.
    private static func endOfCardNumber(in bytes: [UInt8], from start: Int) -> Int? {
        var digits: [UInt8] = []
        var end = start
        // Another number can follow, so each end of a group can be the end of the card's number.
        var cardEnd: Int?
        while end < bytes.count, bytes[end].isDigit, digits.count < 19 {
            digits.append(bytes[end] - UInt8(ascii: "0"))
            end += 1
            if end < bytes.count, bytes[end].isDigit { continue }
            if isCardNumber(digits: digits), !continuesWord(in: bytes, at: end) { cardEnd = end }
            if end < bytes.count, bytes[end] == UInt8(ascii: " ") || bytes[end] == UInt8(ascii: "-") { end += 1 }
        }
        return cardEnd
    }

    /// Ranges of ISO/IEC 7812-1 issuer numbers, by their first four digits: Visa, Mastercard, American Express, Diners
    /// Club, JCB, Maestro, Discover and UnionPay.
    private static let issuers: [ClosedRange<Int>] = [
        2221...2720, 3000...3059, 3400...3499, 3528...3589, 3600...3699, 3700...3799, 3800...3999, 4000...4999,
        5000...5099, 5100...5599, 5600...5899, 6011...6011, 6200...6299, 6300...6399, 6440...6599, 6700...6799,
    ]

    private static func isCardNumber(digits: [UInt8]) -> Bool {
        guard (12...19).contains(digits.count) else { return false }
        let issuer = digits.prefix(4).reduce(0) { $0 * 10 + Int($1) }
        guard issuers.contains(where: { $0.contains(issuer) }) else { return false }
        // The check of ISO/IEC 7812-1, annex B: every second digit from the right is doubled.
        var sum = 0
        for (place, digit) in digits.reversed().enumerated() {
            let value = place % 2 == 1 ? Int(digit) * 2 : Int(digit)
            sum += value > 9 ? value - 9 : value
        }
        return sum % 10 == 0
    }

    // MARK: - Bank accounts

    /// An IBAN (ISO 13616): a country, two check digits and 11 to 30 more characters, in groups of four or without spaces.
    private static func endOfAccountNumber(in bytes: [UInt8], from start: Int) -> Int? {
        guard start + 4 < bytes.count, isCapital(bytes[start + 1]), bytes[start + 2].isDigit, bytes[start + 3].isDigit
        else { return nil }
        var account: [UInt8] = []
        var end = start
        while end < bytes.count, account.count < 35 {
            if bytes[end] == UInt8(ascii: " "), account.count % 4 == 0, end + 1 < bytes.count { end += 1 }
            guard isCapital(bytes[end]) || bytes[end].isDigit else { break }
            account.append(bytes[end])
            end += 1
        }
        // A word in capitals can follow a number that is written in groups.
        while account.count >= 15 {
            while bytes[end - 1] == UInt8(ascii: " ") { end -= 1 }
            if hasValidCheck(account), !continuesWord(in: bytes, at: end) { return end }
            account.removeLast()
            end -= 1
        }
        return nil
    }

    /// The check of ISO 7064: the number with its first four characters at the end, and letters as numbers from 10, leaves
    /// the remainder 1 when it is divided by 97.
    private static func hasValidCheck(_ account: [UInt8]) -> Bool {
        guard (15...34).contains(account.count) else { return false }
        let remainder = (account.dropFirst(4) + account.prefix(4)).reduce(0) { remainder, character in
            character.isDigit
                ? (remainder * 10 + Int(character - UInt8(ascii: "0"))) % 97
                : (remainder * 100 + Int(character - UInt8(ascii: "A")) + 10) % 97
        }
        return remainder == 1
    }

    private static func isCapital(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }

    private static func continuesWord(in bytes: [UInt8], at end: Int) -> Bool {
        end < bytes.count && (bytes[end].isLetter || bytes[end].isDigit || bytes[end] == UInt8(ascii: "_"))
    }

    // MARK: - Tokens and keys

    /// A JSON web token (RFC 7515, 7.1): three parts in base64url with periods between, of which the first is an object.
    private static func endOfWebToken(in bytes: [UInt8], from start: Int) -> Int? {
        // A token that follows a period or hyphen was examined from its start.
        if start > 0, "-_.".utf8.contains(bytes[start - 1]) { return nil }
        guard bytes[start...].starts(with: "eyJ".utf8) else { return nil }
        let end =
            bytes[start...].firstIndex { !$0.isLetter && !$0.isDigit && !"-_.".utf8.contains($0) } ?? bytes.count
        return bytes[start..<end].count { $0 == UInt8(ascii: ".") } >= 2 ? end : nil
    }

    /// A private key in PEM (RFC 7468), up to its last line, or to the end of the text if that line is missing.
    private static func endOfPrivateKey(in bytes: [UInt8], from start: Int) -> Int? {
        guard bytes[start...].starts(with: "-----BEGIN ".utf8) else { return nil }
        let label = bytes[(start + 11)...].prefix { $0 != UInt8(ascii: "-") && !$0.isSpace || $0 == UInt8(ascii: " ") }
        guard label.count < 64, String(decoding: label, as: UTF8.self).hasSuffix("PRIVATE KEY") else { return nil }
        let mark = Array("-----END ".utf8)
        var at = label.endIndex
        while at < bytes.count {
            if bytes[at...].starts(with: mark) {
                let end = bytes[(at + mark.count)...].firstIndex { $0 == UInt8(ascii: "-") } ?? bytes.count
                return bytes[end...].firstIndex { $0 != UInt8(ascii: "-") } ?? bytes.count
            }
            at += 1
        }
        return bytes.count
    }
}
