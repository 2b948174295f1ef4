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
