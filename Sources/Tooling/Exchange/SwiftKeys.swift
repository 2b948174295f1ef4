public import AshlarCustomization

/// The keys of strings that Swift source code uses.
///
/// The scan finds literals in `string("…")`, `format("…")`, `plural("…", count:)`, `message("…")`,
/// `CustomizationKey<…>("…")`, `NSLocalizedString("…", comment:)` and `String(localized: "…")`, and in declarations `:
/// CustomizationKey<…> = "…"`. A literal with an interpolation isn't a key and is reported.
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
        let lines = SourceLines(source, file: file)
        for (number, token) in tokens.enumerated() {
            guard case .literal(let key, let isInterpolated) = token.kind,
                let hasArguments = Self.hasArguments(tokens, number)
            else {
                continue
            }
            let location = lines.location(ofByte: token.offset)
            if isInterpolated {
                diagnostics.append(
                    CustomizationDiagnostic(
                        .note, .dynamicKey, "the key is interpolated, so it is not extracted", at: location))
                continue
            }
            let arguments = hasArguments ? Self.arguments(tokens, after: number) : [:]
            uses.append(
                Use(
                    key: key, table: arguments["table"] ?? arguments["tableName"] ?? CustomizationLayer.defaultTable,
                    comment: arguments["comment"], location: location))
        }
    }

    private static let methods: Set<String> = ["string", "format", "plural", "message"]

    /// Whether a key has arguments after it in a call; false for a declaration, nil if the literal isn't a key.
    private static func hasArguments(_ tokens: [SwiftToken], _ number: Int) -> Bool? {
        func kind(_ distance: Int) -> SwiftToken.Kind? { number >= distance ? tokens[number - distance].kind : nil }
        if kind(1) == .sign("(") {
            // `CustomizationKey<Int>("k")`
            if kind(2) == .sign(">") {
                let open = tokens[..<(number - 2)].lastIndex { $0.kind == .sign("<") }
                return open.flatMap { $0 > 0 && tokens[$0 - 1].kind == .word("CustomizationKey") ? true : nil }
            }
            guard case .word(let name)? = kind(2) else { return nil }
            if name == "NSLocalizedString" || name == "CustomizationKey" { return true }
            return methods.contains(name) && kind(3) == .sign(".") ? true : nil
        }
        if kind(1) == .sign(":"), kind(2) == .word("localized"), kind(3) == .sign("("), kind(4) == .word("String") {
            return true
        }
        // `let k: CustomizationKey<Int> = "k"`
        if kind(1) == .sign("="), kind(2) == .sign(">"),
            let open = tokens[..<(number - 2)].lastIndex(where: { $0.kind == .sign("<") }), open > 0,
            tokens[open - 1].kind == .word("CustomizationKey")
        {
            return false
        }
        return nil
    }

    /// Returns the labeled literals in the rest of a call.
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
    public static let dynamicKey = Self("dynamic-key")
}

extension TranslationCatalog {
    /// Adds the keys that a program uses, and marks unused keys as stale.
    ///
    /// The string of a new key is the key, in the state `new`, as in Xcode.
    ///
    /// - Parameter uses: The uses of all source files.
    /// - Complexity: O(*n*) in the number of keys and uses.
    public mutating func update(uses: [SwiftKeys.Use]) {
        var index = UnitIndex(units)
        var used: Set<Int> = []
        for use in uses {
            let isNew = index.find(use.table, use.key) == nil
            let unit = index.unit(use.table, use.key, in: &units)
            if isNew { units[unit].translations[sourceLanguage] = Translation(.string(use.key), state: .new) }
            units[unit].comment = units[unit].comment ?? use.comment
            used.insert(unit)
        }
        for number in units.indices { units[number].isStale = !used.contains(number) }
    }
}
