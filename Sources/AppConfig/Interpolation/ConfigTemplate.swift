/// A text with references in it, `${…}`.
enum ConfigTemplate {
    /// Whether a text holds `${`, of a reference or escaped as `$${`.
    static func isTemplate(_ text: String) -> Bool {
        var previous: UInt8 = 0
        for byte in text.utf8 {
            if byte == UInt8(ascii: "{"), previous == UInt8(ascii: "$") { return true }
            previous = byte
        }
        return false
    }
}
