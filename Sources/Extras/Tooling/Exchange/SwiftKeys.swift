public import AshlarCustomization

/// The keys of strings that the source code of an app uses.
///
/// In Swift, it finds literals in `string("…")`, `format("…")`, `plural("…", count:)`, `message("…")`,
/// `CustomizationKey<…>("…")`, `@Localized("…")`, `NSLocalizedString("…", comment:)`, `String(localized: "…")`,
/// `Text("…")` and the other views and modifiers of SwiftUI that localize their first argument, and in declarations
/// `: CustomizationKey<…> = "…"`. Both texts of a choice, `isOn ? "on" : "off"`, are keys.
///
/// The key of a localized literal with interpolations has placeholders, as in Xcode: `%lld` for an integer, `%lf` for a
/// `Double`, `%@` for others. The types are those that the file shows; see ``Use/hasGuessedTypes``. For calls of a
/// customization, a computed key is reported instead.
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
        /// Whether the file doesn't show the types of all interpolations, so `%@` can stand for another placeholder.
        public var hasGuessedTypes: Bool = false
    }

    /// The uses in the order of the source.
    public internal(set) var uses: [Use] = []
    /// A note for each literal that is a part of a computed key, which is only known at run time.
    public private(set) var diagnostics: [CustomizationDiagnostic] = []
    /// The objects of interface files, by table, whose properties are keys: `2Qz-aB-cde.text`.
    var objects: [String: Set<String>] = [:]

    init() {}

    /// Finds the keys of a source file.
    ///
    /// - Parameters:
    ///   - source: The text of the file, in Swift or Objective-C.
    ///   - file: The file's path, for locations.
    /// - Complexity: O(*n*) in the length of the text.
    public init(_ source: String, file: String = "") {
        let scanner = SwiftKeyScanner(SwiftToken.tokens(of: source))
        let lines = SourceText(utf8: Array(source.utf8), file: file)
        for found in scanner.found {
            let location = lines.location(ofByte: scanner.tokens[found.literal].offset)
            guard let key = found.key else {
                diagnostics.add(
                    .note, .dynamicKey, "the program computes the key, so it is not extracted", at: location)
                continue
            }
            let arguments = found.arguments
            uses.append(
                Use(
                    key: key, table: arguments["table"] ?? arguments["tableName"] ?? CustomizationLayer.defaultTable,
                    value: arguments["value"] ?? arguments["defaultValue"], comment: arguments["comment"],
                    location: location, hasGuessedTypes: found.isGuess))
        }
    }
}

/// Finds the calls and declarations of a file that have keys.
private struct SwiftKeyScanner {
    struct Found {
        let literal: Int
        /// The key; nil if the program computes it.
        let key: String?
        var isGuess = false
        var arguments: [String: String] = [:]
    }

    /// The meaning of the literals in a place.
    private enum Place {
        /// Keys of a customization.
        case key
        /// Keys with placeholders for their interpolations.
        case localized
        /// The same, but a computed text isn't a key.
        case view
    }

    let tokens: [SwiftToken]
    private(set) var found: [Found] = []
    /// The types of the names that the file declares.
    private var types: [String: String] = [:]

    init(_ tokens: [SwiftToken]) {
        self.tokens = tokens
        for at in tokens.indices.dropLast(2) {
            guard case .word(let name) = tokens[at].kind, case .word(let type) = tokens[at + 2].kind else { continue }
            if tokens[at + 1].kind == .sign(":"), Self.placeholders[type] != nil { types[name] = type }
        }
        for at in tokens.indices {
            if tokens[at].kind == .sign("("), let place = place(ofCall: at) {
                var start = at + 1
                if case .word(let label)? = kind(at + 1), kind(at + 2) == .sign(":") {
                    guard place == .localized, label == "localized" || label == "stringLiteral" else { continue }
                    start += 2
                }
                let end = end(from: start)
                read(start..<end, place, arguments(end))
            } else if tokens[at].kind == .sign("="), let place = place(ofDeclaration: at), case .literal? = kind(at + 1)
            {
                read((at + 1)..<(at + 2), place, [:])
            }
        }
    }

    private func kind(_ at: Int) -> SwiftToken.Kind? { tokens.indices.contains(at) ? tokens[at].kind : nil }

    // MARK: Places

    private static let methods: Set<String> = ["string", "format", "plural", "message"]
    /// Types whose functions have the names of ``methods`` and take no keys.
    private static let values: Set<String> = ["CustomizationValue", "FormatValue"]
    private static let keywords: Set<String> = [
        "case", "return", "in", "try", "await", "throw", "yield", "where", "is", "as", "else",
    ]
    private static let localized: Set<String> = [
        "String", "AttributedString", "LocalizedStringKey", "LocalizedStringResource", "LocalizationValue",
    ]
    private static let views: Set<String> = [
        "Text", "Label", "Button", "Toggle", "TextField", "SecureField", "Picker", "Section", "NavigationLink", "Menu",
        "Link", "Stepper", "DatePicker", "MultiDatePicker", "ColorPicker", "PhotosPicker", "DisclosureGroup",
        "GroupBox",
        "Tab", "TabSection", "ProgressView", "Gauge", "ContentUnavailableView", "LabeledContent", "ShareLink",
        "ControlGroup", "TableColumn", "CommandMenu", "Window", "WindowGroup", "MenuBarExtra", "IntentDescription",
    ]
    private static let modifiers: Set<String> = [
        "navigationTitle", "navigationSubtitle", "navigationBarTitle", "alert", "confirmationDialog", "help", "badge",
        "accessibilityLabel", "accessibilityHint", "accessibilityValue", "accessibilityAction",
    ]

    private func place(ofCall at: Int) -> Place? {
        // `CustomizationKey<Int>("k")`
        if kind(at - 1) == .sign(">") { return isKeyType(endingAt: at - 1) ? .key : nil }
        guard case .word(let name)? = kind(at - 1) else { return nil }
        if name == "NSLocalizedString" || name == "CustomizationKey" { return .key }
        if name == "Localized" { return kind(at - 2) == .sign("@") ? .key : nil }
        let isMember = kind(at - 2) == .sign(".")
        if Self.localized.contains(name) {
            // The first argument of the first two types is no key unless it has a label.
            let hasLabel = kind(at + 1) == .word("localized") && kind(at + 2) == .sign(":")
            return hasLabel || (name.hasPrefix("Localiz") && !isMember) ? .localized : nil
        }
        if Self.views.contains(name), !isMember || kind(at - 3) == .word("SwiftUI") { return .view }
        if Self.modifiers.contains(name), isMember { return .view }
        guard Self.methods.contains(name), isMember, let receiver = kind(at - 3) else { return nil }
        // `.string("x")` without a receiver is a case of an enumeration.
        switch receiver {
        case .word(let word): return Self.values.contains(word) || Self.keywords.contains(word) ? nil : .key
        case .sign(let sign): return ")]}?!>`".contains(sign) ? .key : nil
        case .literal: return .key
        case .choice: return nil
        }
    }

    /// The place of the value of a declaration, `let k: CustomizationKey<Int> = "k"`.
    private func place(ofDeclaration at: Int) -> Place? {
        if kind(at - 1) == .sign(">") { return isKeyType(endingAt: at - 1) ? .key : nil }
        guard case .word(let type)? = kind(at - 1), kind(at - 2) == .sign(":") else { return nil }
        return type.hasPrefix("LocalizedString") && Self.localized.contains(type) ? .localized : nil
    }

    private func isKeyType(endingAt end: Int) -> Bool {
        var depth = 0
        // No type has more tokens; the limit makes the search linear.
        for at in stride(from: end, through: max(end - 200, 0), by: -1) {
            if kind(at) == .sign(">") { depth += 1 }
            if kind(at) == .sign("<") { depth -= 1 }
            if depth == 0 { return kind(at - 1) == .word("CustomizationKey") }
        }
        return false
    }

    // MARK: Arguments

    /// The position after an argument: that of the next comma, or of the parenthesis that ends the call.
    private func end(from start: Int, at sign: Character = ",") -> Int {
        var (at, depth, choices) = (start, 0, 0)
        // No argument has more tokens; the limit makes the search linear.
        while at < min(tokens.count, start + 5_000) {
            switch tokens[at].kind {
            case .sign("("), .sign("["), .sign("{"): depth += 1
            case .sign(")"), .sign("]"), .sign("}"):
                if depth == 0 { return at }
                depth -= 1
            case .choice where depth == 0: choices += 1
            case .sign(":") where depth == 0 && choices > 0 && sign == ":": choices -= 1
            case .sign(let found) where found == sign && depth == 0: return at
            default: break
            }
            at = next(at)
        }
        return at
    }

    /// The position after a token, and after the interpolations of a literal.
    private func next(_ at: Int) -> Int { tokens[at].interpolations.last?.upperBound ?? at + 1 }

    /// The literals with labels in the rest of a call.
    private func arguments(_ comma: Int) -> [String: String] {
        var (arguments, at): ([String: String], Int) = ([:], comma)
        while kind(at) == .sign(",") {
            if case .word(let label)? = kind(at + 1), kind(at + 2) == .sign(":"),
                case .literal(let text, false)? = kind(at + 3)
            {
                arguments[label] = text
            }
            at = end(from: at + 1)
        }
        return arguments
    }

    /// Adds the keys of an argument: of a literal, or of both texts of a choice.
    private mutating func read(_ range: Range<Int>, _ place: Place, _ arguments: [String: String]) {
        // `@"…"` in Objective-C
        let range = kind(range.lowerBound) == .sign("@") ? (range.lowerBound + 1)..<range.upperBound : range
        guard !range.isEmpty else { return }
        if case .literal(let text, let isInterpolated) = tokens[range.lowerBound].kind,
            next(range.lowerBound) == range.upperBound
        {
            guard isInterpolated else {
                return found.append(Found(literal: range.lowerBound, key: text, arguments: arguments))
            }
            guard place != .key else { return found.append(Found(literal: range.lowerBound, key: nil)) }
            let (key, isGuess) = format(text, tokens[range.lowerBound].interpolations)
            return found.append(
                Found(literal: range.lowerBound, key: key, isGuess: isGuess, arguments: arguments))
        }
        var (at, depth, choice, literal): (Int, Int, Int?, Int?) = (range.lowerBound, 0, nil, nil)
        while at < range.upperBound, choice == nil {
            switch tokens[at].kind {
            case .sign("("), .sign("["), .sign("{"): depth += 1
            case .sign(")"), .sign("]"), .sign("}"): depth -= 1
            case .choice where depth == 0: choice = at
            case .literal where depth == 0: literal = literal ?? at
            default: break
            }
            at = next(at)
        }
        if let choice {
            let colon = end(from: choice + 1, at: ":")
            guard colon < range.upperBound else { return }
            read((choice + 1)..<colon, place, arguments)
            read((colon + 1)..<range.upperBound, place, arguments)
        } else if let literal, place != .view {
            found.append(Found(literal: literal, key: nil))
        }
    }

    // MARK: Interpolations

    private static let placeholders = [
        "Int": "%lld", "Int64": "%lld", "UInt": "%llu", "UInt64": "%llu", "Int32": "%d", "Int16": "%d", "Int8": "%d",
        "UInt32": "%u", "UInt16": "%u", "UInt8": "%u", "Double": "%lf", "CGFloat": "%lf", "Float": "%f", "String": "%@",
        "Substring": "%@", "Date": "%@", "URL": "%@",
    ]

    /// The key of a literal with interpolations, and whether a type is unknown.
    private func format(_ text: String, _ interpolations: [Range<Int>]) -> (key: String, isGuess: Bool) {
        var (key, isGuess, rest) = ("", false, interpolations[...])
        for character in text {
            switch character {
            case SwiftToken.interpolation:
                let placeholder = rest.popFirst().flatMap(placeholder)
                isGuess = isGuess || placeholder == nil
                key += placeholder ?? "%@"
            case "%": key += "%%"
            default: key.append(character)
            }
        }
        return (key, isGuess)
    }

    private func placeholder(_ interpolation: Range<Int>) -> String? {
        let start = interpolation.lowerBound + 1
        let end = end(from: start)
        if let specifier = arguments(end)["specifier"] { return specifier }
        guard start < end else { return nil }
        if case .literal = tokens[start].kind, end == next(start) { return "%@" }
        guard case .word(let first) = tokens[start].kind, case .word(let last) = tokens[end - 1].kind else {
            // `Int(x)`
            guard case .word(let type) = tokens[start].kind, kind(start + 1) == .sign("("),
                self.end(from: start + 2, at: ")") == end - 1
            else { return nil }
            return Self.placeholders[type]
        }
        if first.utf8.allSatisfy(\.isDigit) {
            return end - start == 1 ? "%lld" : kind(start + 1) == .sign(".") ? "%lf" : nil
        }
        let isPath = stride(from: start + 1, to: end, by: 2).allSatisfy { kind($0) == .sign(".") }
        guard isPath else { return nil }
        return last == "count" && end - start > 1 ? "%lld" : types[last].flatMap { Self.placeholders[$0] }
    }
}

extension CustomizationDiagnostic.Code {
    /// A key that the program computes, so the scan can't find it.
    package static let dynamicKey = Self("dynamic-key")
}
