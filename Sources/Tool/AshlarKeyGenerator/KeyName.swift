internal import AshlarCore

/// Names of generated declarations.
package enum KeyName {
    /// Returns the identifier of a key in camel case: `note.share` and `NoteShare` are both `noteShare`.
    ///
    /// Letters and digits of all scripts remain; others separate words. A name that begins with a digit, or that has no
    /// letters, begins with an underscore, and one without letters and digits consists of its scalars' numbers.
    static func identifier(_ key: String) -> String {
        var name = ""
        var startsWord = false
        for scalar in key.unicodeScalars {
            guard scalar.properties.isAlphabetic || scalar.properties.numericType == .decimal else {
                // A mark belongs to the letter before it; other characters separate words.
                if scalar.properties.generalCategory == .nonspacingMark, !name.isEmpty, !startsWord {
                    name.unicodeScalars.append(scalar)
                } else {
                    startsWord = !name.isEmpty
                }
                continue
            }
            name += startsWord ? scalar.properties.uppercaseMapping : String(Character(scalar))
            startsWord = false
        }
        if name.isEmpty { return "_" + key.unicodeScalars.map { String($0.value, radix: 16) }.joined(separator: "_") }
        name = lowercasedStart(name)
        return name.first?.isNumber == true ? "_" + name : name
    }

    /// Returns a name with its first word in lowercase: `PINLength` is `pinLength`, `URL` is `url`.
    private static func lowercasedStart(_ name: String) -> String {
        let capitals = name.prefix { $0.isUppercase }
        if capitals.isEmpty { return name }
        let next = name.dropFirst(capitals.count).first
        let count = capitals.count > 1 && next?.isLowercase == true ? capitals.count - 1 : capitals.count
        return name.prefix(count).lowercased() + name.dropFirst(count)
    }

    /// Returns the identifier as it is written in a declaration: keywords are in backticks.
    ///
    /// Names that can't be members even then end in an underscore.
    static func declared(_ identifier: String) -> String {
        if unusable.contains(identifier) { return identifier + "_" }
        return keywords.contains(identifier) ? "`\(identifier)`" : identifier
    }

    /// Whether a name is a word of the language, which can't be the name of a type or module.
    package static func isReserved(_ name: String) -> Bool { keywords.contains(name) || unusable.contains(name) }

    private static let unusable: Set<String> = ["self", "init", "Type", "Protocol", "Self", "_"]

    private static let keywords: Set<String> = [
        "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer", "deinit", "do",
        "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import",
        "in", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private", "protocol", "public",
        "repeat", "rethrows", "return", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true",
        "try", "typealias", "var", "where", "while", "Any", "await", "async", "actor",
    ]

    /// Returns a text as a literal.
    package static func literal(_ text: String) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": literal += "\\\""
            case "\\": literal += "\\\\"
            case "\n": literal += "\\n"
            case "\r": literal += "\\r"
            case "\t": literal += "\\t"
            case _
            where scalar.properties.generalCategory == .control || scalar.properties.isBidiControl
                || scalar.properties.generalCategory == .lineSeparator
                || scalar.properties.generalCategory == .paragraphSeparator:
                literal += "\\u{" + String(scalar.value, radix: 16) + "}"
            default: literal.unicodeScalars.append(scalar)
            }
        }
        return literal + "\""
    }

    /// Returns a text for a documentation comment: one line of at most 120 characters.
    static func comment(_ text: String) -> String {
        let line = text.onOneLine
        return line.count > 120 ? line.prefix(119) + "…" : line
    }
}
