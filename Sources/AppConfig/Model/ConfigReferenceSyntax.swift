/// How references to other values are written in texts.
public struct ConfigReferenceSyntax: Hashable, Sendable {
    private enum Kind { case dollar, braces }
    private let kind: Kind

    /// `${path}`, with `$${` for the characters `${`.
    public static let dollar: ConfigReferenceSyntax = ConfigReferenceSyntax(kind: .dollar)

    /// `{path}`, as NEIApplicationConfig had planned, with `{{` and `}}` for single braces.
    ///
    /// A `{` that no name and `}` or `:-` follow is an ordinary character; names are letters, digits and `_ - . : [ ]`.
    public static let braces: ConfigReferenceSyntax = ConfigReferenceSyntax(kind: .braces)

    var hasDollar: Bool { kind == .dollar }

    /// A name as a reference is written.
    func reference(to name: String) -> String { hasDollar ? "${\(name)}" : "{\(name)}" }

    /// A string in which `${` are characters, in the dollar syntax.
    static func escaped(_ text: String) -> String {
        guard dollar.isTemplate(text) else { return text }
        var escaped: [UInt8] = []
        for byte in text.utf8 {
            if byte == UInt8(ascii: "{"), escaped.last == UInt8(ascii: "$") { escaped.append(UInt8(ascii: "$")) }
            escaped.append(byte)
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    /// Whether a string contains the beginning of a reference, escaped or not.
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
