public import AshlarCustomization

/// The keys of strings that Swift source code uses.
///
/// Finds literals in `string("…")`, `format("…")`, `plural("…", count:)`, `message("…")`, `CustomizationKey<…>("…")`,
/// `@Localized("…")`, `NSLocalizedString("…", comment:)` and `String(localized: "…")`, and in declarations
/// `: CustomizationKey<…> = "…"`. Of `isOn ? "on" : "off"`, both are keys. A literal with an interpolation or an operator
/// is not a key and is reported.
///
/// ```swift
/// let keys = SwiftKeys(#"label.text = strings.string("title", table: "Main")"#, file: "App.swift")
/// print(keys.uses.map { "\($0.table) \($0.key)" })  // ["Main title"]
/// ```
public struct SwiftKeys: Sendable {
    /// A use of a key.
    public struct Use: Hashable, Sendable {
        /// The key.
        public var key: String
        /// The name of the table.
        public var table: String
        /// The text in the source language, if the call has one.
        public var value: String?
        /// The comment for translators, if the call has one.
        public var comment: String?
        /// The location of the literal.
        public var location: CustomizationLocation
    }

    /// The uses in the order of the source.
    public private(set) var uses: [Use] = []
    /// A note for each interpolated literal, whose keys are only known at run time.
    public private(set) var diagnostics: [CustomizationDiagnostic] = []

    /// Finds the keys of a source file.
    ///
    /// - Parameters:
    ///   - source: The text of the file.
    ///   - file: The file's path, for locations.
    /// - Complexity: O(*n*) in the length of the text.
    public init(_ source: String, file: String = "") {
        let tokens = SwiftToken.tokens(of: source)
        let lines = SourceText(utf8: Array(source.utf8), file: file)
        for (number, token) in tokens.enumerated() {
            guard case .literal(let key, let isInterpolated) = token.kind, let place = Self.place(tokens, number)
            else {
                continue
            }
            let location = lines.location(ofByte: token.offset)
            if isInterpolated || Self.isOperand(tokens, number) {
                diagnostics.add(
                    .note, .dynamicKey, "the program computes the key, so it is not extracted", at: location)
                continue
            }
            let arguments = place == .call ? Self.arguments(tokens, after: number) : [:]
            uses.append(
                Use(
                    key: key, table: arguments["table"] ?? arguments["tableName"] ?? CustomizationLayer.defaultTable,
                    value: arguments["value"] ?? arguments["defaultValue"], comment: arguments["comment"],
                    location: location))
        }
    }

    /// The place of a key.
    private enum Place {
        /// The first argument of a call.
        case call
        /// The initial value of a declaration.
        case declaration
    }

    private static let methods: Set<String> = ["string", "format", "plural", "message"]

    /// Types whose functions have the names of ``methods`` and take no keys.
    private static let values: Set<String> = ["CustomizationValue", "FormatValue"]
    private static let keywords: Set<String> = [
        "case", "return", "in", "try", "await", "throw", "yield", "where", "is", "as", "else",
    ]

    /// The place of a literal that is a key; nil if it is not one.
    private static func place(_ tokens: [SwiftToken], _ literal: Int) -> Place? {
        let number = startOfChoice(tokens, literal)
        func kind(_ distance: Int) -> SwiftToken.Kind? { number >= distance ? tokens[number - distance].kind : nil }
        if kind(1) == .sign("(") {
            // `CustomizationKey<Int>("k")`
            if kind(2) == .sign(">") {
                let open = tokens[..<(number - 2)].lastIndex { $0.kind == .sign("<") }
                return open.flatMap { $0 > 0 && tokens[$0 - 1].kind == .word("CustomizationKey") ? .call : nil }
            }
            guard case .word(let name)? = kind(2) else { return nil }
            if name == "NSLocalizedString" || name == "CustomizationKey" { return .call }
            if name == "Localized" { return kind(3) == .sign("@") ? .call : nil }
            guard methods.contains(name), kind(3) == .sign("."), let receiver = kind(4) else { return nil }
            // `.string("x")` without a receiver is a case of an enumeration.
            switch receiver {
            case .word(let word): return values.contains(word) || keywords.contains(word) ? nil : .call
            case .sign(let sign): return ")]}?!>`".contains(sign) ? .call : nil
            case .literal: return .call
            }
        }
        if kind(1) == .sign(":"), kind(2) == .word("localized"), kind(3) == .sign("("), kind(4) == .word("String") {
            return .call
        }
        // `let k: CustomizationKey<Int> = "k"`
        if kind(1) == .sign("="), kind(2) == .sign(">"),
            let open = tokens[..<(number - 2)].lastIndex(where: { $0.kind == .sign("<") }), open > 0,
            tokens[open - 1].kind == .word("CustomizationKey")
        {
            return .declaration
        }
        return nil
    }

    /// The first token of the choice that a literal ends: that of `isOn` in `isOn ? "on" : "off"`.
    private static func startOfChoice(_ tokens: [SwiftToken], _ literal: Int) -> Int {
        func isSign(_ at: Int, _ signs: String) -> Bool {
            guard tokens.indices.contains(at), case .sign(let sign) = tokens[at].kind else { return false }
            return signs.contains(sign)
        }
        var at = literal
        // `: "off"` behind `? "on"`
        if isSign(at - 1, ":"), at >= 3, case .literal = tokens[at - 2].kind, isSign(at - 3, "?") { at -= 2 }
        guard isSign(at - 1, "?"), !isSign(at - 2, "?") else { return literal }
        // The condition, back to the parenthesis of the call.
        var depth = 0
        for before in (0..<(at - 1)).reversed() {
            if isSign(before, ")]}") { depth += 1 }
            if isSign(before, "([{") { depth -= 1 }
            if depth < 0 { return before + 1 }
            if depth == 0, isSign(before, ",;=") { return literal }
        }
        return literal
    }

    /// Whether a literal is part of a longer expression, such as `"a" + b`.
    private static func isOperand(_ tokens: [SwiftToken], _ number: Int) -> Bool {
        guard tokens.indices.contains(number + 1), case .sign(let sign) = tokens[number + 1].kind else { return false }
        return "+-*/<>&|=.".contains(sign)
    }

    /// The literals with labels in the rest of a call.
    private static func arguments(_ tokens: [SwiftToken], after number: Int) -> [String: String] {
        var arguments: [String: String] = [:]
        var depth = 1
        for at in tokens.indices.dropFirst(number + 1) {
            switch tokens[at].kind {
            case .sign("("), .sign("["), .sign("{"): depth += 1
            case .sign(")"), .sign("]"), .sign("}"): depth -= 1
            case .literal(let text, false) where depth == 1:
                if tokens[at - 1].kind == .sign(":"), case .word(let label) = tokens[at - 2].kind {
                    arguments[label] = text
                }
            default: break
            }
            if depth == 0 { break }
        }
        return arguments
    }
}

extension CustomizationDiagnostic.Code {
    /// A key that the program computes, so the scan can't find it.
    package static let dynamicKey = Self("dynamic-key")
}

extension TranslationCatalog {
    /// Adds the keys that a program uses, and marks unused keys as stale.
    ///
    /// A new key has the text that the call states, or its own, in the state `new`, as in Xcode.
    ///
    /// - Parameter uses: The uses of all source files.
    /// - Complexity: O(*n*) in the number of keys and uses.
    public mutating func update(uses: [SwiftKeys.Use]) {
        var index = UnitIndex(units)
        var used: Set<Int> = []
        for use in uses {
            let isNew = index.find(use.table, use.key) == nil
            let unit = index.unit(use.table, use.key, in: &units)
            if isNew {
                units[unit].translations[sourceLanguage] = Translation(.string(use.value ?? use.key), state: .new)
            }
            units[unit].comment = units[unit].comment ?? use.comment
            used.insert(unit)
        }
        for number in units.indices { units[number].isStale = !used.contains(number) }
    }
}
