/// The text of XML documents (XML 1.0).
package enum XMLText {
    /// Whether a document can contain a scalar (section 2.2).
    package static func isLegal(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x9, 0xA, 0xD, 0x20...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }

    /// Returns the text with references in place of the characters that a reader would not read back.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - isAttribute: Whether the text is the value of an attribute in double quotes.
    ///   - replacement: The scalar to write in place of those that are not legal; nil leaves them as they are.
    /// - Returns: The text as a reader of XML expects it.
    package static func escaped(
        _ text: String, isAttribute: Bool = false, replacement: Unicode.Scalar? = nil
    ) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\r": result += "&#13;"
            case "\"" where isAttribute: result += "&quot;"
            case "\t" where isAttribute: result += "&#9;"
            case "\n" where isAttribute: result += "&#10;"
            default: result.unicodeScalars.append(isLegal(scalar) ? scalar : replacement ?? scalar)
            }
        }
    }
}
