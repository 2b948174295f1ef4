import AshlarAppConfig
import AshlarCore
import Foundation

/// A condition on one attribute.
indirect enum FlagCondition: CustomStringConvertible {
    /// One of several texts; a text that ends in `*` matches every text with that prefix.
    case oneOf([FlagText])
    /// At least one bound, and below another one.
    case range(from: FlagBound?, before: FlagBound?)
    case not(FlagCondition)
    case all([FlagCondition])
    /// A condition of a later version, which is never met.
    case unknown

    func isMet(by value: String, attribute: String) -> Bool {
        switch self {
        case .oneOf(let texts): texts.contains { $0.matches(value, attribute: attribute) }
        case .range(let from, let before):
            from.map { $0.isAbove(value) == false } ?? true && before.map { $0.isAbove(value) == true } ?? true
        case .not(let condition): condition.isKnown && !condition.isMet(by: value, attribute: attribute)
        case .all(let conditions): conditions.allSatisfy { $0.isMet(by: value, attribute: attribute) }
        case .unknown: false
        }
    }

    /// Whether this version can evaluate the condition; otherwise its opposite isn't met either.
    private var isKnown: Bool {
        switch self {
        case .unknown: false
        case .not(let condition): condition.isKnown
        case .all(let conditions): conditions.allSatisfy(\.isKnown)
        case .oneOf, .range: true
        }
    }

    var description: String {
        switch self {
        case .oneOf(let texts): texts.map(\.text).joined(separator: " or ")
        case .range(let from?, let before?): "\(from) up to, but not, \(before)"
        case .range(let from?, nil): "\(from) or \(from.isNumber ? "more" : "later")"
        case .range(nil, let before?): "\(before.isNumber ? "below" : "before") \(before)"
        case .range(nil, nil): "any value"
        case .not(let condition): "not \(condition)"
        case .all(let conditions): conditions.map(\.description).joined(separator: " and ")
        case .unknown: "of a later version"
        }
    }
}

/// A text with which an attribute is compared.
struct FlagText {
    let text: String
    /// The number, if the rule contains one instead of text.
    let number: Double?

    func matches(_ value: String, attribute: String) -> Bool {
        if text.hasSuffix("*") { return value.hasPrefix(text.dropLast()) }
        if attribute == "language" { return Self.isLanguage(value, within: text) }
        return value == text || number.map { Double(value) == $0 } == true
    }

    /// Whether a language tag equals another one or is more specific: `fr-CA` is within `fr`.
    private static func isLanguage(_ tag: String, within range: String) -> Bool {
        func parts(_ text: String) -> [Substring] { text.lowercased().split { $0 == "-" || $0 == "_" }.map { $0[...] } }
        return parts(tag).starts(with: parts(range))
    }
}

/// The start or the end of a range.
enum FlagBound: CustomStringConvertible {
    case version(FlagVersion)
    case number(Double, text: String)
    /// Seconds since 2001.
    case date(Double, text: String)

    /// Creates a bound: a number, a date in ISO 8601, or a version.
    ///
    /// The attribute `version` has versions only.
    init?(_ value: ConfigValue, attribute: String) {
        guard let text = Self.text(value) else { return nil }
        if attribute != "version" {
            switch value {
            case .integer, .unsigned, .real:
                guard let number = Double(text) else { return nil }
                self = .number(number, text: text)
                return
            default: break
            }
            if let seconds = Self.seconds(text) {
                self = .date(seconds, text: text)
                return
            }
        }
        guard let version = FlagVersion(text) else { return nil }
        self = .version(version)
    }

    private static func text(_ value: ConfigValue) -> String? {
        if case .date(let date) = value {
            return ConfigDateText.format(secondsSince2001: date.timeIntervalSinceReferenceDate)
        }
        return String(configValue: value, coercion: .standard)
    }

    private static func seconds(_ text: String) -> Double? {
        RFC3339.parse(text.utf8, allowsDateOnly: true)?.secondsSince2001
    }

    var isNumber: Bool {
        if case .number = self { true } else { false }
    }

    /// Whether a value is below the bound; nil if the two can't be compared.
    func isAbove(_ value: String) -> Bool? {
        switch self {
        case .version(let version): FlagVersion(value).map { $0 < version }
        case .number(let number, _): Double(value).flatMap { $0.isNaN ? nil : $0 < number }
        case .date(let seconds, _): Self.seconds(value).map { $0 < seconds }
        }
    }

    var description: String {
        switch self {
        case .version(let version): version.description
        case .number(_, let text), .date(_, let text): text
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
