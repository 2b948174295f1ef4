internal import AshlarCore

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

    init(_ text: String, _ syntax: ConfigReferenceSyntax = .dollar) throws(SyntaxError) {
        var parser = Parser(bytes: Array(text.utf8), syntax: syntax)
        parts = try parser.parts()
    }

    /// The reference, if it is the only part; its value retains its type.
    var lone: Reference? {
        if parts.count == 1, case .reference(let reference) = parts[0] { reference } else { nil }
    }

    private struct Parser {
        let bytes: [UInt8]
        let syntax: ConfigReferenceSyntax
        var at = 0

        private func has(_ text: StaticString) -> Bool {
            let length = text.utf8CodeUnitCount
            guard at + length <= bytes.count else { return false }
            for offset in 0..<length where bytes[at + offset] != text.utf8Start[offset] { return false }
            return true
        }

        mutating func parts() throws(SyntaxError) -> [Part] {
            var parts: [Part] = []
            var text: [UInt8] = []
            func flush() {
                if !text.isEmpty { parts.append(.text(String(decoding: text, as: UTF8.self))) }
                text.removeAll(keepingCapacity: true)
            }
            while at < bytes.count {
                if syntax.hasDollar, has("$${") {
                    text += [UInt8(ascii: "$"), UInt8(ascii: "{")]
                    at += 3
                } else if !syntax.hasDollar, has("{{") || has("}}") {
                    text.append(bytes[at])
                    at += 2
                } else if let length = opening {
                    flush()
                    at += length
                    parts.append(.reference(try reference()))
                } else {
                    text.append(bytes[at])
                    at += 1
                }
            }
            flush()
            return parts
        }

        /// The length of the start of a reference at this position, if there is one.
        private var opening: Int? {
            if syntax.hasDollar { return has("${") ? 2 : nil }
            guard has("{") else { return nil }
            var end = at + 1
            while end < bytes.count, Self.isNameByte(bytes[end]) {
                if bytes[end] == UInt8(ascii: ":"), end + 1 < bytes.count, bytes[end + 1] == UInt8(ascii: "-") { break }
                end += 1
            }
            guard end > at + 1, end < bytes.count else { return nil }
            return bytes[end] == UInt8(ascii: "}") || bytes[end] == UInt8(ascii: ":") ? 1 : nil
        }

        private static func isNameByte(_ byte: UInt8) -> Bool {
            byte.isLetter || byte.isDigit || byte >= 0x80 || "_-.:[]".utf8.contains(byte)
        }

        private mutating func reference() throws(SyntaxError) -> Reference {
            let start = at
            while at < bytes.count, bytes[at] != UInt8(ascii: "}"), !has(":-") { at += 1 }
            var name = String(decoding: bytes[start..<at], as: UTF8.self)
            let isVariable = name.hasPrefix("env:")
            if isVariable { name.removeFirst(4) }
            var fallback: String?
            if has(":-") {
                at += 2
                let first = at
                while at < bytes.count, bytes[at] != UInt8(ascii: "}") {
                    if opening != nil { throw SyntaxError(message: "a default contains a reference") }
                    at += 1
                }
                fallback = String(decoding: bytes[first..<at], as: UTF8.self)
            }
            guard at < bytes.count else { throw SyntaxError(message: "a \(syntax.hasDollar ? "${" : "{") has no }") }
            at += 1
            if name.isEmpty { throw SyntaxError(message: "a ${ } is empty") }
            return Reference(name: name, isVariable: isVariable, fallback: fallback)
        }
    }
}

/// The syntax of references to other values.
public struct ConfigReferenceSyntax: Hashable, Sendable {
    private enum Kind { case dollar, braces }
    private let kind: Kind

    /// `${path}`, with `$${` for the characters `${`.
    public static let dollar: ConfigReferenceSyntax = ConfigReferenceSyntax(kind: .dollar)

    /// `{path}`, as planned by NEIApplicationConfig, with `{{` and `}}` for single braces.
    ///
    /// A `{` without a name and a following `}` or `:-` is an ordinary character. Names are letters, digits and `_ - .
    /// : [ ]`.
    public static let braces: ConfigReferenceSyntax = ConfigReferenceSyntax(kind: .braces)

    var hasDollar: Bool { kind == .dollar }

    /// Returns a name in the form of a reference.
    func reference(to name: String) -> String { hasDollar ? "${\(name)}" : "{\(name)}" }

    /// Whether a string contains the start of a reference, escaped or not.
    func isTemplate(_ text: String) -> Bool {
        if !hasDollar { return text.utf8.contains { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") } }
        var previous: UInt8 = 0
        for byte in text.utf8 {
            if byte == UInt8(ascii: "{"), previous == UInt8(ascii: "$") { return true }
            previous = byte
        }
        return false
    }
}
