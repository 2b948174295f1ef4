internal import AshlarCore

/// The conventions of a language: its plural rules, number format and lists.
///
/// The data is that of Unicode CLDR. A locale without data of its own uses that of its parent in the same language, then
/// that of its bare language, then English signs. Dates and currencies need a ``DateAndCurrencyFormatter``.
///
/// ```swift
/// let german = LanguageConventions("de")
/// print(german.number(1234567.891))  // 1.234.567,891
/// print(german.list(["Äpfel", "Birnen", "Quitten"]))  // Äpfel, Birnen und Quitten
/// ```
///
/// A value refers to data that is created once per language. Creating the same conventions again costs one lookup.
public struct LanguageConventions: Sendable {
    final class Data: Sendable {
        let language: LanguageTag
        let plurals: PluralRules
        let ordinals: PluralRules
        let numbers: NumberConventions
        let lists: [ListConventions]

        init(_ language: LanguageTag) {
            self.language = language
            plurals = PluralRules(language)
            ordinals = PluralRules(language, kind: .ordinal)
            numbers = NumberConventions.of(language)
            lists = ListConventions.of(language)
        }
    }

    private static let known = Mutex<[LanguageTag: Data]>([:])
    /// The maximum number of stored languages, because the clients of a server can send any number of tags.
    private static let mostKnown = 1_000

    let data: Data
    /// Formats dates and amounts of money; nil if there is none.
    package private(set) var formatter: (any DateAndCurrencyFormatter)?

    /// Finds the conventions of a language.
    public init(_ language: LanguageTag) {
        if let known = Self.known.withLock({ $0[language] }) {
            data = known
            return
        }
        let new = Data(language)
        data = Self.known.withLock { known in
            if let first = known[language] { return first }
            if known.count < Self.mostKnown { known[language] = new }
            return new
        }
    }

    /// Finds the conventions of a language and adds those for dates and currencies.
    package init(_ language: LanguageTag, formatter: (any DateAndCurrencyFormatter)?) {
        self.init(language)
        self.formatter = formatter
    }

    /// The language.
    public var language: LanguageTag { data.language }
    /// The name of CLDR's numbering system, such as `"latn"` or `"deva"`.
    package var numberingSystem: String { data.numbers.system }
    /// The plural forms of quantities: "3 files".
    package var plurals: PluralRules { data.plurals }
    /// The plural forms of positions: "the 3rd file".
    package var ordinals: PluralRules { data.ordinals }
}

extension LanguageConventions: ExpressibleByStringLiteral {
    /// Finds the conventions of the language with a tag; English if the text isn't a tag.
    public init(stringLiteral tag: String) { self.init(LanguageTag(tag) ?? "en") }
}

extension LanguageConventions {
    /// Returns an integer with the language's digits and grouping: `1,234` in English, `१,२३४` in Marathi.
    public func number(_ number: some BinaryInteger) -> String {
        var text = ""
        append(number, to: &text)
        return text
    }

    /// Returns a number with the language's digits, grouping and decimal separator, such as `1.234,5` in German.
    ///
    /// - Parameters:
    ///   - number: The number; halves round to even.
    ///   - fractionDigits: The minimum and maximum number of decimals.
    /// - Returns: The text; `NaN` or `∞` for a number that isn't finite.
    public func number(_ number: Double, fractionDigits: ClosedRange<Int> = 0...3) -> String {
        data.numbers.text(number, MessageNumberStyle(fractionDigits: fractionDigits))
    }

    /// Returns a number as a percentage in the language's notation: 0.25 is `25%` in English and `25 %` in German.
    ///
    /// - Parameters:
    ///   - number: The number; 1 is 100 %.
    ///   - fractionDigits: The minimum and maximum number of decimals.
    /// - Returns: The text.
    public func percent(_ number: Double, fractionDigits: ClosedRange<Int> = 0...0) -> String {
        data.numbers.text(number, MessageNumberStyle(unit: .percent, fractionDigits: fractionDigits, shift: 2))
    }

    /// Appends an integer.
    func append(_ number: some BinaryInteger, to text: inout String) {
        data.numbers.append(digits: number.magnitude.description.utf8, isNegative: number < 0, to: &text)
    }

    /// The relation between the items of a list.
    public enum ListStyle: Int, Hashable, Sendable {
        /// "Motorcycle, Bus, and Car".
        case and
        /// "Motorcycle, Bus, or Car".
        case or
        /// "3 feet, 7 inches".
        case unit
    }

    /// Returns the items as one text: "Motorcycle, Bus, and Car".
    ///
    /// - Parameters:
    ///   - items: The items.
    ///   - style: The relation between the items.
    /// - Returns: The text; empty without items.
    /// - Complexity: O(*n*) in the length of the result.
    public func list(_ items: [String], _ style: ListStyle = .and) -> String {
        data.lists[style.rawValue].text(items, word: LinkingWord(language.language, style))
    }
}

/// A word between the last items of a list that depends on the sound of the last item.
private enum LinkingWord {
    /// Spanish "y", which is "e" before the sound of i.
    case spanishAnd
    /// Spanish "o", which is "u" before the sound of o.
    case spanishOr
    /// The Hebrew prefix "and", which has a hyphen before a word in another script.
    case hebrewAnd

    init?(_ language: String, _ style: LanguageConventions.ListStyle) {
        switch (language, style) {
        case ("es", .and), ("es", .unit): self = .spanishAnd
        case ("es", .or): self = .spanishOr
        case ("he", .and), ("he", .unit): self = .hebrewAnd
        default: return nil
        }
    }

    /// Returns the text between the last items, for the usual text and the last item.
    func text(_ usual: String, before item: String) -> String {
        let start = item.unicodeScalars.prefix(3).map { $0.properties.lowercaseMapping }
        let sound = start.first == "h" ? start.dropFirst().first : start.first
        switch self {
        case .spanishAnd where usual == " y " && sound == "i":
            return start.first == "h" && ["a", "e"].contains(start.last) && start.count > 2 ? usual : " e "
        case .spanishOr where usual == " o ":
            let isEleven = start.starts(with: ["1", "1"]) && (start.count == 2 || start[2] == " ")
            return sound == "o" || start.first == "8" || isEleven ? " u " : usual
        case .hebrewAnd where usual == " ו":
            return item.unicodeScalars.first.map { (0x590...0x5FF).contains($0.value) } == false ? " ו-" : usual
        default: return usual
        }
    }
}

/// The words and symbols between the items of a list.
struct ListConventions: Sendable {
    /// A text with two placeholders for items, `<` and `>`, such as `< and >`.
    private struct Pair: Sendable {
        private let (before, between, after): (String, String, String)

        init(_ text: Substring) {
            // Bytes, because a combining mark after a placeholder would form one character with it.
            let bytes = text.utf8.map { $0 == UInt8(ascii: "~") ? UInt8(ascii: " ") : $0 }
            let first = bytes.prefix { $0 != UInt8(ascii: "<") }
            let middle = bytes[first.endIndex...].dropFirst().prefix { $0 != UInt8(ascii: ">") }
            let last = bytes[middle.endIndex...].dropFirst()
            before = String(decoding: first, as: UTF8.self)
            between = String(decoding: middle, as: UTF8.self)
            after = String(decoding: last, as: UTF8.self)
        }

        func text(_ first: String, _ second: String, _ word: LinkingWord? = nil) -> String {
            before + first + (word?.text(between, before: second) ?? between) + second + after
        }
    }

    private let (two, start, middle, end): (Pair, Pair, Pair, Pair)

    /// Reads the patterns for two items, and for the start, middle and end of longer lists.
    ///
    /// An example is `<~and~>|<,~>|<,~>|<,~and~>`. An omitted pattern equals the one before it.
    init(_ text: Substring) {
        let fields = text.split(separator: "|").map { Pair($0) }
        two = fields[0]
        start = fields[min(1, fields.count - 1)]
        middle = fields[min(2, fields.count - 1)]
        end = fields[min(3, fields.count - 1)]
    }

    fileprivate func text(_ items: [String], word: LinkingWord?) -> String {
        guard var text = items.last else { return "" }
        if items.count == 1 { return text }
        if items.count == 2 { return two.text(items[0], text, word) }
        // The patterns are nested from the end: start(a, middle(b, end(c, d))).
        text = end.text(items[items.count - 2], text, word)
        for item in items.dropLast(2).dropFirst().reversed() { text = middle.text(item, text) }
        return start.text(items[0], text)
    }

    private static let patterns = CLDRTable.words(CLDRFormatData.listPatterns)
    private static let locales = CLDRTable.readGroups(CLDRFormatData.lists).mapValues { numbers in
        numbers.split(separator: ".").compactMap { Int($0) }
    }

    /// Returns the patterns of a language, in the order of ``LanguageConventions/ListStyle``.
    static func of(_ language: LanguageTag) -> [ListConventions] {
        (CLDRTable.lookUp(language, in: locales) ?? [0, 0, 0]).map { ListConventions(patterns[$0]) }
    }
}
