internal import AshlarCore
public import AshlarCustomization

/// Changes strings to test a layout: longer, accented and bracketed, or right to left.
///
/// Placeholders, percent signs, markup tags, character references, URLs, and the arguments and cases of ICU messages don't
/// change, so the result can be formatted like the original.
///
/// ```swift
/// print(PseudoLocalization.accented.pseudolocalize("Hello, %@!"))  // [Ĥéļļö, %@¡ one two]
/// ```
public struct PseudoLocalization: Hashable, Sendable {
    private enum Kind { case accented, mirrored }

    private let kind: Kind
    /// The length of the added words as a fraction of the string's length.
    private let expansion: Double?
    private let hasBrackets: Bool

    /// Accents on every ASCII letter, brackets around the string, and words added to its end.
    ///
    /// A string without accents in an app isn't looked up in a strings file, and a string without its last bracket is
    /// truncated. Short strings become longer by half, strings of more than three words by a third, as in translations
    /// from English.
    public static var accented: PseudoLocalization { accented() }

    /// Accents on every ASCII letter.
    ///
    /// - Parameters:
    ///   - expansion: The length of the added words as a fraction of the string's length; if `nil`, a half, or a third
    ///     for strings of more than three words.
    ///   - brackets: Whether to add square brackets.
    /// - Returns: The pseudolocalization.
    public static func accented(expansion: Double? = nil, brackets: Bool = true) -> PseudoLocalization {
        PseudoLocalization(kind: .accented, expansion: expansion, hasBrackets: brackets)
    }

    /// Each word from right to left, as in Arabic and Hebrew, with Unicode's directional marks.
    public static var mirrored: PseudoLocalization {
        PseudoLocalization(kind: .mirrored, expansion: 0, hasBrackets: false)
    }

    /// The same pseudolocalization without brackets and added words, for parts of a string.
    var withoutFrame: PseudoLocalization { PseudoLocalization(kind: kind, expansion: 0, hasBrackets: false) }

    /// The language tag of the result: `en-XA` for accented strings, `ar-XB` for mirrored ones.
    public var language: LanguageTag { kind == .accented ? "en-XA" : "ar-XB" }

    /// Returns the pseudolocalized string.
    ///
    /// - Complexity: O(*n*) in the length of the string.
    public func pseudolocalize(_ text: String) -> String {
        let pieces = PseudoPieces(text).pieces
        switch kind {
        case .accented:
            let body = pieces.map { $0.isText ? Self.accenting($0.text) : String($0.text) }.joined()
            let words = padding(for: pieces)
            // After a percent sign, a space and a letter would be a placeholder.
            let space = body.hasSuffix("%") && !body.hasSuffix("%%") ? "\u{A0}" : " "
            let padded = words.isEmpty ? body : body + space + words
            return hasBrackets ? "[\(padded)]" : padded
        case .mirrored:
            return pieces.map { $0.isText ? Self.mirroring($0.text) : String($0.text) }.joined()
        }
    }

    // MARK: Accents

    private static func accenting(_ text: Substring) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { result.append(accents[scalar] ?? scalar) }
        return String(result)
    }

    private static let accents: [Unicode.Scalar: Unicode.Scalar] = {
        let plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ!?$".unicodeScalars
        let marked = "åƀçðéƒĝĥîĵķļɱñöþɋŕšţûṽŵẋýžÅƁÇÐÉƑĜĤÎĴĶĻṀÑÖÞɊŔŠŢÛṼŴẊÝŽ¡¿€".unicodeScalars
        return Dictionary(zip(plain, marked), uniquingKeysWith: { first, _ in first })
    }()

    // MARK: Length

    private static let fillers = [
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
        "fourteen", "fifteen", "sixteen", "seventeen", "nineteen", "twenty",
    ]

    private func padding(for pieces: [PseudoPieces.Piece]) -> String {
        let length = pieces.reduce(0) { $0 + $1.text.count }
        let words = pieces.filter(\.isText).reduce(0) { $0 + $1.text.split(whereSeparator: \.isWhitespace).count }
        let wanted = Double(length) * (expansion ?? (words > 3 ? 1.0 / 3 : 0.5))
        // Ten times the length is sufficient for any test.
        let target = wanted > 0 ? Int(min(wanted, Double(length) * 10).rounded(.up)) : 0
        var padding = ""
        var index = 0
        while padding.count < target {
            padding += (padding.isEmpty ? "" : " ") + Self.fillers[index % Self.fillers.count]
            index += 1
        }
        return padding
    }

    // MARK: Direction

    /// Adds a right-to-left mark and override before each word, and a pop and mark after it.
    private static func mirroring(_ text: Substring) -> String {
        var (result, isWord) = ("", false)
        for character in text {
            if character.isWhitespace == isWord {
                result += isWord ? "\u{202C}\u{200F}" : "\u{200F}\u{202E}"
                isWord.toggle()
            }
            result.append(character)
        }
        return isWord ? result + "\u{202C}\u{200F}" : result
    }
}

extension Customization {
    /// Returns the customization with pseudolocalized strings, for testing layouts.
    ///
    /// The strings are those of the current languages, so switch the language first. Numbers, booleans, colors, names
    /// of image files and URLs don't change. Plural forms change.
    ///
    /// - Parameter pseudo: The pseudolocalization.
    /// - Returns: The customization with a layer named `pseudo` on top; `removing(layer: "pseudo")` removes it.
    /// - Complexity: O(*n*) in the size of all current strings.
    public func pseudolocalized(_ pseudo: PseudoLocalization = .accented) -> Customization {
        var tables: [String: StringsTable] = [:]
        for name in tableNames {
            let entries: [CustomizationEntry] = keys(table: name).compactMap { key in
                guard let winner = resolvedEntry(for: key, table: name),
                    let value = pseudo.value(winner.entry.value, colors: winner.layer.colors)
                else { return nil }
                var entry = winner.entry
                entry.value = value
                return entry
            }
            if !entries.isEmpty { tables[name] = StringsTable(file: "pseudo", entries: entries) }
        }
        return applying(CustomizationLayer(id: "pseudo", role: .override, tables: tables))
    }
}

extension PseudoLocalization {
    private static let fileExtensions = [
        "png", "jpg", "jpeg", "gif", "pdf", "svg", "heic", "webp", "tiff", "ico", "icns", "xib", "nib", "storyboard",
        "json", "plist", "strings", "html", "css", "js", "ttf", "otf", "wav", "mp3", "caf", "mp4", "mov",
    ]

    /// Returns the pseudolocalized value, or `nil` if the value isn't a string for users.
    ///
    /// It returns `nil` for numbers, `YES`, `NO`, `true` and `false`, colors, file names, URLs (`https://…`), aliases,
    /// data, and strings without letters.
    ///
    /// - Parameters:
    ///   - value: The value of an entry.
    ///   - colors: The color dialect of the value's layer.
    /// - Returns: The new value, or `nil`.
    package func value(_ value: CustomizationValue, colors: ColorDialect = .ftCustomization) -> CustomizationValue? {
        switch value {
        case .string(let text): return Self.isRead(text, colors) ? .string(pseudolocalize(text)) : nil
        case .list(let values):
            let changed = values.map { self.value($0, colors: colors) ?? $0 }
            return changed == values ? nil : .list(changed)
        case .message(let message): return .message(self.message(message))
        case .int, .double, .bool, .color, .data, .dict, .alias: return nil
        }
    }

    private func message(_ message: CustomizationMessage) -> CustomizationMessage {
        if case .icu(let text) = message.source { return CustomizationMessage(icu: pseudolocalize(text)) }
        guard var text = message.source().pluralText else { return message }
        func changed(_ forms: (String) -> String) -> [String: CustomizationMessage.Variable] {
            text.variables.mapValues { .init(valueType: $0.valueType, forms: $0.forms.mapValues(forms)) }
        }
        // The brackets enclose the whole string; if the format is only one variable, they are part of the variable's
        // forms.
        if text.variables.keys.contains(where: { text.format == "%#@\($0)@" }) {
            text.variables = changed(pseudolocalize)
        } else {
            text.variables = changed(withoutFrame.pseudolocalize)
            text.format = pseudolocalize(text.format)
        }
        return CustomizationMessage(.plural(text))
    }

    private static func isRead(_ text: String, _ colors: ColorDialect) -> Bool {
        let hasLetter = PseudoPieces(text).pieces.contains { piece in
            piece.isText && piece.text.unicodeScalars.contains { $0.properties.isAlphabetic }
        }
        guard hasLetter, !["YES", "NO", "true", "false"].contains(text) else { return false }
        if text.utf8.count <= 64, colors.color(text) != nil || NumberReading.double(text) != nil { return false }
        guard !text.contains(where: \.isWhitespace) else { return true }
        if let scheme = text.split(separator: ":").first, text.dropFirst(scheme.count).hasPrefix("://") { return false }
        guard let dot = text.lastIndex(of: ".") else { return true }
        return !fileExtensions.contains(text[text.index(after: dot)...].lowercased())
    }
}

/// Divides a string into the parts that pseudolocalization changes and the parts that it preserves.
///
/// It preserves placeholders, `%%`, `%arg`, tags such as `<b>`, references such as `&amp;`, URLs, the targets of links in
/// Markdown, and the notation of ICU messages: `{name}`, and all of `{n, plural, one {# file} other {# files}}` but the
/// texts of the cases.
struct PseudoPieces {
    struct Piece {
        let text: Substring
        let isText: Bool
    }

    private(set) var pieces: [Piece] = []
    private let text: String
    private let bytes: [UInt8]
    /// The lengths of placeholders by their offsets.
    private let placeholders: [Int: Int]
    /// The start of the text that is not in `pieces` yet.
    private var start = 0

    init(_ text: String) {
        self.text = text
        bytes = Array(text.utf8)
        placeholders = Dictionary(
            PrintfFormat(text).placeholders.map { ($0.offset, $0.text.utf8.count) },
            uniquingKeysWith: { first, _ in first })
        for range in CustomizationMessage.texts(icu: text) {
            // A placeholder can end after the text in which it starts.
            var at = max(start, range.lowerBound)
            add(start..<at)
            while at < range.upperBound {
                let length = preservedLength(at, end: range.upperBound)
                if length > 0 { add(at..<(at + length)) }
                at += max(length, 1)
            }
            add(at..<at)
        }
        add(start..<bytes.count)
    }

    /// Adds the text before a range that is preserved, and the range.
    private mutating func add(_ range: Range<Int>) {
        func piece(_ range: Range<Int>) -> Substring {
            let start = text.utf8.index(text.startIndex, offsetBy: range.lowerBound)
            return text[start..<text.utf8.index(start, offsetBy: range.count)]
        }
        if start < range.lowerBound { pieces.append(Piece(text: piece(start..<range.lowerBound), isText: true)) }
        if !range.isEmpty { pieces.append(Piece(text: piece(range), isText: false)) }
        start = range.upperBound
    }

    private func has(_ word: String, at offset: Int) -> Bool { bytes[offset...].starts(with: word.utf8) }

    /// The number of bytes at an offset that are preserved as a whole.
    private func preservedLength(_ at: Int, end: Int) -> Int {
        let rest = bytes[(at + 1)..<end]
        switch Unicode.Scalar(bytes[at]) {
        case "%":
            if has("%%", at: at) { return 2 }
            return has("%arg", at: at) ? 4 : placeholders[at] ?? 0
        case "<":
            guard let first = rest.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "!") || first.isLetter
            else { return 0 }
            return rest.prefix(2_000).firstIndex(of: UInt8(ascii: ">")).map { $0 + 1 - at } ?? 0
        case "&":
            let name = rest.prefix(32).prefix { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "#") }
            let isReference = !name.isEmpty && name.endIndex < end && bytes[name.endIndex] == UInt8(ascii: ";")
            return isReference ? name.count + 2 : 0
        case "]" where rest.first == UInt8(ascii: "("):
            return rest.prefix(2_000).firstIndex(of: UInt8(ascii: ")")).map { $0 + 1 - at } ?? 0
        case let scalar where scalar.properties.isAlphabetic:
            guard at == 0 || !bytes[at - 1].isLetter else { return 0 }
            let scheme = bytes[at..<end].prefix(32).prefix { $0.isLetter || $0.isDigit || "+-.".utf8.contains($0) }
            let isURL = !scheme.isEmpty && has("://", at: scheme.endIndex)
            guard isURL || has("mailto:", at: at) || has("www.", at: at) else { return 0 }
            return bytes[at..<end].prefix { $0 > UInt8(ascii: " ") && !"\"'<>{}()[]".utf8.contains($0) }.count
        default: return 0
        }
    }
}
