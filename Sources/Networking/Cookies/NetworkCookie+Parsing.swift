internal import AshlarCore

extension NetworkCookie {
    /// Reads a `Set-Cookie` value of a response from a URL, or returns nil if it must be ignored (RFC 6265bis, section 5).
    ///
    /// These cookies are ignored: without a name; with control characters; longer than 4 KiB; for a domain that doesn't
    /// contain the URL's host, or that is a public suffix or an IP address other than the host; secure ones over http; and
    /// those that break the promise of a name with `__Secure-` or `__Host-`.
    init?(setCookie text: String, from url: HTTPURL, now: Int, suffixes: PublicSuffixes = .current) {
        guard text.utf8.count <= 4096, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
            return nil
        }
        let parts = text.split(separator: ";", omittingEmptySubsequences: false)
        let pair = parts[0].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard pair.count == 2 else { return nil }
        let name = pair[0].trimmingHTTPSpace()
        guard !name.isEmpty else { return nil }
        self.init(name, pair[1].trimmingHTTPSpace(), host: url.host)
        path = Self.defaultPath(of: url)
        var maxAge: Int?
        var domainText = ""
        var pathText: String?
        for part in parts.dropFirst() {
            let attribute = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = attribute.count > 1 ? attribute[1].trimmingHTTPSpace() : ""
            switch attribute[0].trimmingHTTPSpace().lowercased() {
            case "expires": expires = CookieDate.seconds(value) ?? expires
            case "max-age": maxAge = Self.seconds(value) ?? maxAge
            case "domain": domainText = value.lowercased()
            case "path": pathText = value
            case "secure": isSecure = true
            case "httponly": isHTTPOnly = true
            default: break
            }
        }
        if let maxAge {
            expires = maxAge <= 0 ? 0 : now.addingReportingOverflow(maxAge).overflow ? Int.max : now + maxAge
        }
        if let pathText, pathText.hasPrefix("/") { path = pathText }
        guard acceptDomain(domainText, from: url, suffixes), !isSecure || url.scheme == .https else { return nil }
        guard isAllowedByName(hasDomain: !domainText.isEmpty, path: pathText) else { return nil }
    }

    private mutating func acceptDomain(_ text: String, from url: HTTPURL, _ suffixes: PublicSuffixes) -> Bool {
        let wanted = text.hasPrefix(".") ? String(text.dropFirst()) : text
        if wanted.isEmpty { return true }
        let isShared = !Self.isAddress(url.host) && !suffixes.contains(wanted)
        if wanted == url.host {
            isHostOnly = !isShared
            return true
        }
        guard isShared, url.host.hasSuffix("." + wanted) else { return false }
        (domain, isHostOnly) = (wanted, false)
        return true
    }

    /// Whether the cookie has the attributes that the prefix of its name requires (RFC 6265bis, section 4.1.3).
    private func isAllowedByName(hasDomain: Bool, path: String?) -> Bool {
        let name = name.lowercased()
        if name.hasPrefix("__host-") { return isSecure && !hasDomain && path == "/" }
        return !name.hasPrefix("__secure-") || isSecure
    }

    private static func isAddress(_ host: String) -> Bool {
        host.hasPrefix("[") || host.utf8.allSatisfy { $0.isASCIIDigit || $0 == 0x2E }
    }

    private static func seconds(_ text: String) -> Int? {
        guard !text.hasPrefix("+") else { return nil }
        guard let number = Int(text) else {
            let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
            guard !digits.isEmpty, digits.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
            return text.hasPrefix("-") ? 0 : Int.max
        }
        return number
    }

    private static func defaultPath(of url: HTTPURL) -> String {
        guard let slash = url.path.lastIndex(of: "/"), slash != url.path.startIndex else { return "/" }
        return String(url.path[..<slash])
    }
}

/// Reads dates of cookies in all forms that servers send (RFC 6265bis, section 5.1.1).
enum CookieDate {
    /// Returns seconds since 1970, or nil if day, month, year or time is missing or out of range.
    static func seconds(_ text: String) -> Int? {
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
        return date.daysSince1970 * 86_400 + time.0 * 3600 + time.1 * 60 + time.2
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    private static func number(_ word: String, digits: ClosedRange<Int>) -> Int? {
        let leading = word.utf8.prefix { $0.isASCIIDigit }
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
