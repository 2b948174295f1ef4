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
            let labels = found.labels
            uses.append(
                Use(
                    key: key, table: labels["table"] ?? labels["tableName"] ?? CustomizationLayer.defaultTable,
                    value: labels["value"] ?? labels["defaultValue"], comment: labels["comment"],
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
        var labels: [String: String] = [:]
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

    private typealias Argument = (label: String?, value: Range<Int>)

    let tokens: [SwiftToken]
    private(set) var found: [Found] = []
    /// The types of the names that the file declares.
    private var types: [String: String] = [:]

    init(_ tokens: [SwiftToken]) {
        self.tokens = tokens
        for at in tokens.indices {
            guard let name = word(at), isSign(":", at + 1), let type = word(at + 2) else { continue }
            if Self.placeholders[type] != nil { types[name] = type }
        }
        for at in tokens.indices {
            guard let name = word(at), let place = place(name, at) else { continue }
            let next = afterGenerics(at + 1)
            if isSign("(", next) {
                let arguments = self.arguments(next)
                guard let first = arguments.first, takesKey(name, first.label) else { continue }
                read(first.value, place, labels(arguments.dropFirst()))
            } else if isSign("=", next), isSign(":", at - 1), case .literal? = kind(next + 1) {
                read((next + 1)..<tokens[next + 1].next, place, [:])
            }
        }
    }

    private func kind(_ at: Int) -> SwiftToken.Kind? { tokens.indices.contains(at) ? tokens[at].kind : nil }

    private func isSign(_ sign: Character, _ at: Int) -> Bool { kind(at) == .sign(sign) }

    private func word(_ at: Int) -> String? { if case .word(let word)? = kind(at) { word } else { nil } }

    // MARK: Places

    private static let methods: Set<String> = ["string", "format", "plural", "message"]
    /// Types whose functions have the names of ``methods`` and take no keys.
    private static let values: Set<String> = ["CustomizationValue", "FormatValue"]
    private static let keywords: Set<String> = [
        "case", "return", "in", "try", "await", "throw", "yield", "where", "is", "as", "else",
    ]
    private static let localized: Set<String> = ["LocalizedStringKey", "LocalizedStringResource", "LocalizationValue"]
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

    /// The place of the argument or value after a name.
    private func place(_ name: String, _ at: Int) -> Place? {
        let isMember = isSign(".", at - 1)
        switch name {
        case "NSLocalizedString", "CustomizationKey": return .key
        case "Localized": return isSign("@", at - 1) ? .key : nil
        case "String", "AttributedString": return .localized
        case _ where Self.localized.contains(name): return isMember ? nil : .localized
        case _ where Self.views.contains(name): return !isMember || word(at - 2) == "SwiftUI" ? .view : nil
        case _ where Self.modifiers.contains(name): return isMember ? .view : nil
        case _ where Self.methods.contains(name) && isMember:
            // `.string("x")` without a receiver is a case of an enumeration.
            switch kind(at - 2) {
            case .word(let word)?: return Self.values.contains(word) || Self.keywords.contains(word) ? nil : .key
            case .sign(let sign)?: return ")]}?!>`".contains(sign) ? .key : nil
            case .literal?: return .key
            case .choice?, nil: return nil
            }
        default: return nil
        }
    }

    /// Whether the first argument of a call is a key if it has a label.
    private func takesKey(_ name: String, _ label: String?) -> Bool {
        switch name {
        case "String", "AttributedString": label == "localized"
        case _ where Self.localized.contains(name): [nil, "localized", "stringLiteral"].contains(label)
        default: label == nil
        }
    }

    /// The position after the generic arguments, if any, that begin at a position: `<[String: Int]>`.
    private func afterGenerics(_ start: Int) -> Int {
        var (at, depth) = (start, 0)
        // No type has more tokens; the limit makes the search linear.
        while at < min(tokens.count, start + 200) {
            if isSign("<", at) { depth += 1 }
            if depth == 0 { return at }
            if isSign(">", at) { depth -= 1 }
            at = tokens[at].next
        }
        return start
    }

    // MARK: Arguments

    /// The arguments in the parentheses that begin at a position.
    private func arguments(_ open: Int) -> [Argument] {
        guard isSign("(", open) else { return [] }
        let close = tokens[open].next - 1
        var (arguments, at): ([Argument], Int) = ([], open + 1)
        while at < close {
            let end = self.first(of: .sign(","), in: at..<close) ?? close
            let hasLabel = word(at) != nil && isSign(":", at + 1)
            arguments.append((hasLabel ? word(at) : nil, min(hasLabel ? at + 2 : at, end)..<end))
            at = end + 1
        }
        return arguments
    }

    /// The position of a token in a range, outside of its brackets and interpolations.
    private func first(of kind: SwiftToken.Kind, in range: Range<Int>) -> Int? {
        var at = range.lowerBound
        while at < range.upperBound, tokens[at].kind != kind { at = tokens[at].next }
        return at < range.upperBound ? at : nil
    }

    /// The literals with labels.
    private func labels(_ arguments: some Sequence<Argument>) -> [String: String] {
        arguments.reduce(into: [:]) { labels, argument in
            guard let label = argument.label, case .literal(let text, false)? = kind(argument.value.lowerBound) else {
                return
            }
            labels[label] = text
        }
    }

    /// Adds the keys of an argument: of a literal, or of both texts of a choice.
    private mutating func read(_ range: Range<Int>, _ place: Place, _ labels: [String: String]) {
        // `@"…"` in Objective-C
        let start = isSign("@", range.lowerBound) ? range.lowerBound + 1 : range.lowerBound
        guard start < range.upperBound else { return }
        if let choice = first(of: .choice, in: start..<range.upperBound) {
            // The colon after the inner choices.
            var (colon, choices) = (choice, 0)
            repeat {
                if tokens[colon].kind == .choice { choices += 1 }
                if isSign(":", colon) { choices -= 1 }
                colon = tokens[colon].next
            } while choices > 0 && colon < range.upperBound
            guard choices == 0 else { return }
            read((choice + 1)..<(colon - 1), place, labels)
            read(colon..<range.upperBound, place, labels)
        } else if case .literal(let text, let isInterpolated) = tokens[start].kind,
            tokens[start].next == range.upperBound, place != .key || !isInterpolated
        {
            let (key, isGuess) = isInterpolated ? format(text, tokens[start].interpolations) : (text, false)
            found.append(Found(literal: start, key: key, isGuess: isGuess, labels: labels))
        } else if place != .view {
            var at = start
            while at < range.upperBound {
                if case .literal = tokens[at].kind { return found.append(Found(literal: at, key: nil)) }
                at = tokens[at].next
            }
        }
    }

    // MARK: Interpolations

    private static let placeholders = [
        "Int": "%lld", "Int64": "%lld", "UInt": "%llu", "UInt64": "%llu", "Int32": "%d", "Int16": "%d", "Int8": "%d",
        "UInt32": "%u", "UInt16": "%u", "UInt8": "%u", "Double": "%lf", "CGFloat": "%lf", "Float": "%f", "String": "%@",
        "Substring": "%@", "Date": "%@", "URL": "%@",
    ]

    /// The key of a literal with interpolations, and whether a type is unknown.
    private func format(_ text: String, _ interpolations: [Int]) -> (key: String, isGuess: Bool) {
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

    /// The placeholder of an interpolation, given the position of its parenthesis.
    private func placeholder(_ open: Int) -> String? {
        let arguments = self.arguments(open)
        if let specifier = labels(arguments)["specifier"] { return specifier }
        guard let first = arguments.first, first.label == nil, let start = first.value.first else { return nil }
        let end = first.value.upperBound
        if case .literal = tokens[start].kind, tokens[start].next == end { return "%@" }
        guard let name = word(start) else { return nil }
        // `Int(x)`
        if isSign("(", start + 1), tokens[start + 1].next == end { return Self.placeholders[name] }
        if name.utf8.allSatisfy(\.isDigit) {
            return end - start == 1 ? "%lld" : isSign(".", start + 1) ? "%lf" : nil
        }
        let isPath = stride(from: start + 1, to: end, by: 2).allSatisfy { isSign(".", $0) }
        guard isPath, let last = word(end - 1) else { return nil }
        return last == "count" && end - start > 1 ? "%lld" : types[last].flatMap { Self.placeholders[$0] }
    }
}

extension CustomizationDiagnostic.Code {
    /// A key that the program computes, so the scan can't find it.
    package static let dynamicKey = Self("dynamic-key")
}
