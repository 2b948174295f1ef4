import AshlarCore
public import AshlarCustomization
package import AshlarTrees

/// A translatable text: a key, or one form of a key whose text depends on a number or the device.
///
/// Every exchange format is a list of units: a cell of a CSV row, a `trans-unit` of XLIFF, a `stringUnit` of a string
/// catalog, an entry of a strings file. The forms of a key are independent, so its languages can differ in structure:
/// one plain text in English, a plural in German.
public struct TranslationUnit: Hashable, Sendable {
    /// The progress of a translation.
    public enum State: String, Hashable, Sendable, CaseIterable {
        /// The text isn't translated.
        case new
        /// The source text has changed since the translation, or the translation needs a review.
        case needsReview
        /// The translation is complete.
        case translated
    }

    /// The text in one language.
    public struct Target: Hashable, Sendable {
        /// The text.
        public var text: String
        /// The progress.
        public var state: State
        /// The ``digest`` of the translation when the file was exported, if the file contains it.
        public var exported: String?

        /// Creates a translation.
        public init(_ text: String, state: State = .translated) {
            self.text = text
            self.state = state
        }

        /// 16 hexadecimal digits that differ for different texts and states.
        public var digest: String { String(SHA256.hexadecimal(Array("\(state) \(text)".utf8)).prefix(16)) }

        var isTranslated: Bool { state != .new }
    }

    /// The name of the table; in files of other tools, the name of the original file.
    public var table: String
    /// The key.
    public var key: String
    /// The path of the form, such as `plural.one`, `device.mac` or `substitutions.files.plural.one`; empty if the key has
    /// one text.
    public var form: String
    /// The text in the source language; nil if the source language has no such form, so that the key is the source.
    public var source: String?
    /// The translations by language, without the source language.
    public var targets: [LanguageTag: Target]
    /// The comment for translators.
    public var note: String?
    /// Whether the text is for translators; other texts aren't exported.
    public var shouldTranslate: Bool
    /// The origin of the key in a string catalog: `manual`, `migrated`, `extracted_with_value`, or `stale` for a key that
    /// the program doesn't use.
    public var extractionState: String?
    /// Whether the texts are the content of XML elements, with the inline elements of XLIFF.
    public var hasMarkup: Bool = false
    package var notation: MessageForms.Notation = .format
    /// The element of XLIFF that the unit was read from, for the parts that a unit lacks.
    package var element: XMLTree.Element?

    /// Creates a unit.
    public init(
        table: String = CustomizationLayer.defaultTable, key: String, form: String = "", source: String? = nil,
        targets: [LanguageTag: Target] = [:], note: String? = nil, shouldTranslate: Bool = true,
        extractionState: String? = nil
    ) {
        self.table = table
        self.key = key
        self.form = form
        self.source = source
        self.targets = targets
        self.note = note
        self.shouldTranslate = shouldTranslate
        self.extractionState = extractionState
    }

    /// Whether the program doesn't use the key.
    public var isStale: Bool {
        get { extractionState == "stale" }
        set { if newValue != isStale { extractionState = newValue ? "stale" : nil } }
    }

    /// The key and the form in one text, as in Xcode's exports: `files|==|plural.one`.
    ///
    /// A key that ends like a form gets an empty form, so that ``init(table:name:)`` reads it back.
    public var name: String {
        let isAmbiguous = form.isEmpty && Self.parts(key).key != key
        return form.isEmpty && !isAmbiguous ? key : key + Self.mark + form
    }

    /// Creates a unit without texts from its ``name``.
    public init(table: String, name: String) {
        let (key, form) = Self.parts(name)
        self.init(table: table, key: key, form: form)
    }

    private static let mark = "|==|"

    private static func parts(_ name: String) -> (key: String, form: String) {
        guard let (key, form) = split(name) else { return (name, "") }
        // An empty form marks a key that ends like a form.
        let isKey = form.isEmpty ? split(key).map { isForm($0.form) } == true : isForm(form)
        return isKey ? (key, form) : (name, "")
    }

    /// Divides a text at its last mark.
    private static func split(_ name: String) -> (key: String, form: String)? {
        name.ranges(of: mark).last.map { (String(name[..<$0.lowerBound]), String(name[$0.upperBound...])) }
    }

    /// Whether a path is that of a form: `plural.few`, `device.mac.plural.one`, `substitutions.files`.
    static func isForm(_ path: String) -> Bool {
        var words = path.split(separator: ".", omittingEmptySubsequences: false)[...]
        if path.isEmpty { return true }
        while let kind = words.popFirst(), let name = words.popFirst() {
            switch kind {
            case "plural": return words.isEmpty && PluralCategory(rawValue: String(name)) != nil
            case "device", "width", "substitutions": if words.isEmpty { return kind != "substitutions" }
            default: return false
            }
        }
        return false
    }

    /// The path without a plural category, and the category: `plural` and `one`; nil for a text without a plural.
    var plural: (path: String, category: PluralCategory)? {
        let words = form.split(separator: ".", omittingEmptySubsequences: false)
        guard words.count > 1, words[words.count - 2] == "plural" else { return nil }
        return PluralCategory(rawValue: String(words[words.count - 1])).map {
            (words.dropLast().joined(separator: "."), $0)
        }
    }
}

/// Finds units by table, key and form.
struct UnitIndex {
    private struct Name: Hashable {
        let table: String
        /// The bytes of the key, because Swift compares strings by canonical equivalence.
        let key: [UInt8]
    }

    private var numbers: [Name: [Int]] = [:]
    /// The first units of the keys, in order.
    private(set) var keys: [Int] = []

    init(_ units: [TranslationUnit] = []) {
        for number in units.indices { add(number, units[number]) }
    }

    private mutating func add(_ number: Int, _ unit: TranslationUnit) {
        let name = Name(table: unit.table, key: Array(unit.key.utf8))
        if numbers[name, default: []].isEmpty { keys.append(number) }
        numbers[name, default: []].append(number)
    }

    /// Returns the units of a key.
    func forms(_ table: String, _ key: String) -> [Int] {
        numbers[Name(table: table, key: Array(key.utf8))] ?? []
    }

    /// Returns the index of a unit; adds the unit if it is missing.
    mutating func unit(_ unit: TranslationUnit, in units: inout [TranslationUnit]) -> Int {
        if let known = forms(unit.table, unit.key).first(where: { units[$0].form == unit.form }) { return known }
        add(units.count, unit)
        units.append(unit)
        return units.count - 1
    }
}
