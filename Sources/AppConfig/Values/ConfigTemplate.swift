/// A string with references: `${path}`, `${path:-default}`, `${env:NAME}`, `${env:NAME:-default}`.
///
/// `$${` is an escape for `${`. A default is text up to the next `}`. A `$` without a brace is an ordinary character.
struct ConfigTemplate {
    enum Part {
        case text(String)
        case reference(Reference)
    }

    struct Reference {
        var name: String
        var isVariable: Bool
        var fallback: String?
    }

    struct SyntaxError: Error {
        let message: String
    }

    let parts: [Part]

    init(_ text: String) throws(SyntaxError) {
        var parts: [Part] = []
        var plain = ""
        var rest = text.utf8[...]
        while let start = rest.firstRange(of: "${".utf8) {
            plain += Substring(rest[..<start.lowerBound])
            rest = rest[start.upperBound...]
            if plain.utf8.last == UInt8(ascii: "$") {
                plain += "{"
                continue
            }
            if !plain.isEmpty { parts.append(.text(plain)) }
            plain = ""
            guard let end = rest.firstIndex(of: UInt8(ascii: "}")) else {
                throw SyntaxError(message: "a ${ has no }")
            }
            parts.append(.reference(try Reference(Substring(rest[..<end]))))
            rest = rest[end...].dropFirst()
        }
        plain += Substring(rest)
        if !plain.isEmpty { parts.append(.text(plain)) }
        self.parts = parts
    }

    /// Whether a string contains the start of a reference, escaped or not.
    static func isTemplate(_ text: String) -> Bool {
        var previous: UInt8 = 0
        for byte in text.utf8 {
            if byte == UInt8(ascii: "{"), previous == UInt8(ascii: "$") { return true }
            previous = byte
        }
        return false
    }

    /// The reference, if it is the only part; its value retains its type.
    var lone: Reference? {
        if parts.count == 1, case .reference(let reference) = parts[0] { reference } else { nil }
    }
}

extension ConfigTemplate.Reference {
    /// Creates the reference between braces.
    fileprivate init(_ text: Substring) throws(ConfigTemplate.SyntaxError) {
        let divider = text.utf8.firstRange(of: ":-".utf8)
        fallback = divider.map { String(text[$0.upperBound...]) }
        if fallback.map(ConfigTemplate.isTemplate) == true {
            throw ConfigTemplate.SyntaxError(message: "a default contains a reference")
        }
        name = String(text[..<(divider?.lowerBound ?? text.endIndex)])
        isVariable = name.hasPrefix("env:")
        if isVariable { name.removeFirst(4) }
        if name.isEmpty { throw ConfigTemplate.SyntaxError(message: "a ${ } is empty") }
    }
}
