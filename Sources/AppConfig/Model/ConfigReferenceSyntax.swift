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

    /// Returns a string with `${` escaped, in the dollar syntax.
    static func escaped(_ text: String) -> String {
        guard dollar.isTemplate(text) else { return text }
        var escaped: [UInt8] = []
        for byte in text.utf8 {
            if byte == UInt8(ascii: "{"), escaped.last == UInt8(ascii: "$") { escaped.append(UInt8(ascii: "$")) }
            escaped.append(byte)
        }
        return String(decoding: escaped, as: UTF8.self)
    }

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
