/// A text with references in it: `${path}`, `${path:-default}`, `${env:NAME}`, `${env:NAME:-default}`.
///
/// `$${` stands for the characters `${`. A default may hold references of its own; it ends at the first `}` that does
/// not close one of them. A `$` without a brace is an ordinary character.
struct ConfigTemplate {
    indirect enum Part {
        case text(String)
        case reference(Reference)
    }

    struct Reference {
        var name: String
        var isVariable: Bool
        var fallback: [Part]?
    }

    struct SyntaxError: Error {
        let message: String
    }

    /// How deep references may be nested in defaults.
    static let maximumDepth = 64

    let parts: [Part]

    /// Whether a text holds `${`, of a reference or escaped as `$${`.
    static func isTemplate(_ text: String) -> Bool {
        var previous: UInt8 = 0
        for byte in text.utf8 {
            if byte == UInt8(ascii: "{"), previous == UInt8(ascii: "$") { return true }
            previous = byte
        }
        return false
    }

    init(_ text: String) throws(SyntaxError) {
        var parser = Parser(bytes: Array(text.utf8))
        parts = try parser.parts(depth: 0)
    }

    /// The one reference that is the whole text, whose value keeps its type.
    var lone: Reference? {
        if parts.count == 1, case .reference(let reference) = parts[0] { reference } else { nil }
    }

    private struct Parser {
        let bytes: [UInt8]
        var at = 0

        private func has(_ text: StaticString) -> Bool {
            let length = text.utf8CodeUnitCount
            guard at + length <= bytes.count else { return false }
            for offset in 0..<length where bytes[at + offset] != text.utf8Start[offset] { return false }
            return true
        }

        mutating func parts(depth: Int) throws(SyntaxError) -> [Part] {
            if depth > ConfigTemplate.maximumDepth {
                throw SyntaxError(message: "references are nested more than \(ConfigTemplate.maximumDepth) deep")
            }
            var parts: [Part] = []
            var text: [UInt8] = []
            func flush() {
                if !text.isEmpty { parts.append(.text(String(decoding: text, as: UTF8.self))) }
                text.removeAll(keepingCapacity: true)
            }
            while at < bytes.count {
                if has("$${") {
                    text += [UInt8(ascii: "$"), UInt8(ascii: "{")]
                    at += 3
                } else if has("${") {
                    flush()
                    at += 2
                    parts.append(.reference(try reference(depth: depth)))
                } else if depth > 0, bytes[at] == UInt8(ascii: "}") {
                    break
                } else {
                    text.append(bytes[at])
                    at += 1
                }
            }
            flush()
            return parts
        }

        private mutating func reference(depth: Int) throws(SyntaxError) -> Reference {
            let start = at
            while at < bytes.count, bytes[at] != UInt8(ascii: "}"), !has(":-") { at += 1 }
            var name = String(decoding: bytes[start..<at], as: UTF8.self)
            let isVariable = name.hasPrefix("env:")
            if isVariable { name.removeFirst(4) }
            var fallback: [Part]?
            if has(":-") {
                at += 2
                fallback = try parts(depth: depth + 1)
            }
            guard at < bytes.count else { throw SyntaxError(message: "a ${ has no }") }
            at += 1
            if name.isEmpty { throw SyntaxError(message: "a ${ } names nothing") }
            return Reference(name: name, isVariable: isVariable, fallback: fallback)
        }
    }
}
