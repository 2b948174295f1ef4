import AshlarAppConfig

/// The rules of a flag, with the places of its values.
struct FlagDefinition {
    struct Rule {
        var conditions: [(attribute: String, condition: FlagCondition)] = []
        var percent: Double?
        var value: ConfigPlace
    }

    struct Outcome {
        var rule: Int?
        var reason: String
        /// The value; nil for the default in code.
        var value: ConfigPlace?
    }

    var name: String
    var isEnabled = true
    /// The value if the flag is turned off.
    var off: ConfigPlace?
    var fallback: ConfigPlace?
    var salt: String
    var rules: [Rule] = []

    /// The first rule that applies decides.
    func outcome(for subject: ConfigSubject) -> Outcome {
        if !isEnabled { return Outcome(reason: "the flag is switched off", value: off) }
        for (number, rule) in rules.enumerated() {
            let isMet = rule.conditions.allSatisfy { attribute, condition in
                subject.attributes[attribute].map { condition.isMet(by: $0, attribute: attribute) } ?? false
            }
            guard isMet else { continue }
            var reasons = rule.conditions.map { "\($0.attribute) is \($0.condition)" }
            if let percent = rule.percent {
                let bucket = subject.id.map { Self.bucket(of: $0, salt: salt) }
                guard percent >= 100 || bucket.map({ Double($0) < percent * 100 }) == true else { continue }
                let place = bucket.map { "at \(Self.text(Double($0) / 100)) %, " } ?? ""
                reasons.append("\(place)within \(Self.text(percent)) %")
            }
            return Outcome(
                rule: number + 1, reason: reasons.isEmpty ? "always" : reasons.joined(separator: ", "),
                value: rule.value)
        }
        return Outcome(reason: "no rule applies", value: fallback)
    }

    private static func text(_ number: Double) -> String {
        String(configValue: .real(number), coercion: .standard) ?? ""
    }

    /// Returns the bucket of an ID, from 0 to 9,999: MurmurHash3 x86 32-bit with seed 0 of `salt:ID`, scaled.
    static func bucket(of id: String, salt: String) -> Int {
        Int((UInt64(Murmur3.hash("\(salt):\(id)".utf8)) * 10_000) >> 32)
    }
}

/// A condition on one attribute.
enum FlagCondition: CustomStringConvertible {
    /// One of several strings; a string that ends in `*` matches every string with that prefix.
    case oneOf([String])
    /// A range of versions that excludes its end.
    case versions(from: FlagVersion?, before: FlagVersion?)

    func isMet(by value: String, attribute: String) -> Bool {
        switch self {
        case .oneOf(let patterns):
            return patterns.contains { pattern in
                if pattern.hasSuffix("*") { return value.hasPrefix(pattern.dropLast()) }
                if attribute == "language" { return Self.isLanguage(value, within: pattern) }
                return value == pattern
            }
        case .versions(let from, let before):
            guard let version = FlagVersion(value) else { return false }
            return from.map { $0 <= version } ?? true && before.map { version < $0 } ?? true
        }
    }

    /// Whether a language tag equals another one or is more specific: `fr-CA` is within `fr`.
    private static func isLanguage(_ tag: String, within range: String) -> Bool {
        func parts(_ text: String) -> [Substring] { text.lowercased().split { $0 == "-" || $0 == "_" }.map { $0[...] } }
        return parts(tag).starts(with: parts(range))
    }

    var description: String {
        switch self {
        case .oneOf(let patterns): patterns.joined(separator: " or ")
        case .versions(let from?, let before?): "\(from) up to, but not, \(before)"
        case .versions(let from?, nil): "\(from) or later"
        case .versions(nil, let before?): "before \(before)"
        case .versions(nil, nil): "any version"
        }
    }
}

/// A version of numbers separated by dots.
///
/// `2.1` equals `2.1.0`, and text after the numbers, as in `2.1-beta`, is ignored.
struct FlagVersion: Comparable, CustomStringConvertible {
    let description: String
    private let numbers: [UInt64]

    init?(_ text: String) {
        let core = text.prefix { !"-+ ".contains($0) }
        var numbers: [UInt64] = []
        for part in core.split(separator: ".", omittingEmptySubsequences: false) {
            guard let number = UInt64(part) else { return nil }
            numbers.append(number)
        }
        while numbers.last == 0 { numbers.removeLast() }
        description = text
        self.numbers = numbers
    }

    static func == (left: FlagVersion, right: FlagVersion) -> Bool { left.numbers == right.numbers }
    static func < (left: FlagVersion, right: FlagVersion) -> Bool {
        left.numbers.lexicographicallyPrecedes(right.numbers)
    }
}

/// MurmurHash3 x86 32-bit by Austin Appleby, with the seed 0.
///
/// The hash is the same on every platform and in every version, so the bucket of an ID never changes.
enum Murmur3 {
    static func hash(_ bytes: some Collection<UInt8>) -> UInt32 {
        let bytes = Array(bytes)
        var hash: UInt32 = 0
        var at = 0
        while at + 4 <= bytes.count {
            hash ^= mixed(word(bytes[at..<(at + 4)]))
            hash = rotated(hash, 13) &* 5 &+ 0xE654_6B64
            at += 4
        }
        if at < bytes.count { hash ^= mixed(word(bytes[at...])) }
        hash ^= UInt32(truncatingIfNeeded: bytes.count)
        hash = (hash ^ (hash >> 16)) &* 0x85EB_CA6B
        hash = (hash ^ (hash >> 13)) &* 0xC2B2_AE35
        return hash ^ (hash >> 16)
    }

    /// Returns up to four bytes as a little-endian word.
    private static func word(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reversed().reduce(0) { ($0 << 8) | UInt32($1) }
    }

    private static func mixed(_ word: UInt32) -> UInt32 { rotated(word &* 0xCC9E_2D51, 15) &* 0x1B87_3593 }

    private static func rotated(_ word: UInt32, _ bits: UInt32) -> UInt32 { (word << bits) | (word >> (32 - bits)) }
}
