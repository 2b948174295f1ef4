import AshlarTrees

/// A value as the text of an XML property list.
indirect enum PropertyListText {
    /// An element with text, such as `<integer>4</integer>`.
    case element(String, text: String)
    case flag(Bool)
    case array([PropertyListText])
    /// The entries in the order of the file.
    case dictionary([(key: String, value: PropertyListText)])

    /// The text of a file with the value.
    var document: String {
        var text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">

            """
        write(to: &text, indent: "")
        return text + "</plist>\n"
    }

    private func write(to text: inout String, indent: String) {
        switch self {
        case .element(let name, let content): text += "\(indent)<\(name)>\(Self.escaped(content))</\(name)>\n"
        case .flag(let flag): text += "\(indent)<\(flag)/>\n"
        case .array(let elements):
            text += "\(indent)<array>\n"
            for element in elements { element.write(to: &text, indent: indent + "\t") }
            text += "\(indent)</array>\n"
        case .dictionary(let entries):
            text += "\(indent)<dict>\n"
            for (key, value) in entries {
                text += "\(indent)\t<key>\(Self.escaped(key))</key>\n"
                value.write(to: &text, indent: indent + "\t")
            }
            text += "\(indent)</dict>\n"
        }
    }

    /// Returns the text with references in place of the characters that a reader wouldn't read back; those that XML
    /// can't contain become U+FFFD.
    static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\r": result += "&#13;"
            default: result.unicodeScalars.append(XMLText.isLegal(scalar) ? scalar : "\u{FFFD}")
            }
        }
    }
}
