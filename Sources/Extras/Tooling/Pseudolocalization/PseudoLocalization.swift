internal import AshlarCore
public import AshlarCustomization

/// Changes strings to test a layout: longer, accented and bracketed, or right to left.
///
/// Placeholders, percent signs, markup tags and character references don't change, so the result can be formatted like
/// the original.
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

    /// The language tag of the result: `en-XA` for accented strings, `ar-XB` for mirrored ones, as on Android.
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
            let padded = words.isEmpty ? body : body + " " + words
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
        var result = ""
        var word = ""
        func marked() -> String { word.isEmpty ? "" : "\u{200F}\u{202E}" + word + "\u{202C}\u{200F}" }
        for character in text {
            if character.isWhitespace {
                result += marked() + String(character)
                word = ""
            } else {
                word.append(character)
            }
        }
        return result + marked()
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
struct PseudoPieces {
    struct Piece {
        let text: Substring
        let isText: Bool
    }

    private(set) var pieces: [Piece] = []

    init(_ text: String) {
        let kept = Self.keptRanges(in: text)
        var index = text.startIndex
        for range in kept where range.lowerBound >= index {
            if index < range.lowerBound { pieces.append(Piece(text: text[index..<range.lowerBound], isText: true)) }
            pieces.append(Piece(text: text[range], isText: false))
            index = range.upperBound
        }
        if index < text.endIndex { pieces.append(Piece(text: text[index...], isText: true)) }
    }

    /// Returns placeholders, `%%`, `%arg`, tags such as `<b>`, and references such as `&amp;`, in order.
    private static func keptRanges(in text: String) -> [Range<String.Index>] {
        let utf8 = text.utf8
        let placeholders = Dictionary(
            PrintfFormat(text).placeholders.map { ($0.offset, $0.text.utf8.count) },
            uniquingKeysWith: { first, _ in first })
        var ranges: [Range<String.Index>] = []
        var index = utf8.startIndex
        var offset = 0
        while index < utf8.endIndex {
            var length = 0
            switch Unicode.Scalar(utf8[index]) {
            case "%":
                if utf8[index...].starts(with: "%%".utf8) {
                    length = 2
                } else if utf8[index...].starts(with: "%arg".utf8) {
                    length = 4
                } else {
                    length = placeholders[offset] ?? 0
                }
            case "<":
                let inside = utf8[index...].dropFirst()
                if let first = inside.first, first == UInt8(ascii: "/") || first.isLetter,
                    let end = inside.prefix(200).firstIndex(of: UInt8(ascii: ">"))
                {
                    length = utf8.distance(from: index, to: end) + 1
                }
            case "&":
                let name = utf8[index...].dropFirst().prefix(12).prefix { $0.isLetter || $0.isDigit || $0 == 0x23 }
                if !name.isEmpty, name.endIndex < utf8.endIndex, utf8[name.endIndex] == UInt8(ascii: ";") {
                    length = name.count + 2
                }
            default: break
            }
            let end = utf8.index(index, offsetBy: max(length, 1))
            if length > 0 { ranges.append(index..<end) }
            offset += max(length, 1)
            index = end
        }
        return ranges
    }
}
