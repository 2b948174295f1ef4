import AshlarCustomization

/// The text of Android's string resources: escapes, quotes and white space, by the rules of aapt2.
enum AndroidText {
    /// The text as it stands between the tags of a resource; U+0000 is left out, Android cannot hold it.
    static func escaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for (index, scalar) in text.unicodeScalars.enumerated() {
            switch scalar {
            case "\0": continue
            case "\\", "'", "\"":
                result.append("\\")
                result.append(scalar)
            case "\n": result.append(contentsOf: "\\n".unicodeScalars)
            case "\t": result.append(contentsOf: "\\t".unicodeScalars)
            case "@", "?":
                if index == 0 { result.append("\\") }
                result.append(scalar)
            default:
                if AndroidXML.isLegal(scalar), scalar != "\r" {
                    result.append(scalar)
                } else {
                    let hex = String(scalar.value, radix: 16)
                    let padded = String(repeating: "0", count: 4 - hex.count) + hex
                    result.append(contentsOf: ("\\u" + padded).unicodeScalars)
                }
            }
        }
        let text = AndroidXML.escaped(String(result))
        return losesSpaces(text) ? "\"\(text)\"" : text
    }

    private static func losesSpaces(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        let space = UInt8(ascii: " ")
        guard let first = bytes.first, let last = bytes.last else { return false }
        return first == space || last == space || zip(bytes, bytes.dropFirst()).contains { $0 == space && $1 == space }
    }

    /// The text of a resource from what stands between its tags, after XML has been read.
    static func unescaped(_ raw: String) -> String {
        var result = String.UnicodeScalarView()
        var isQuoted = false
        var hasSpace = false
        var rest = raw.unicodeScalars[...]
        func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || (0x09...0x0D).contains(scalar.value) }
        while let scalar = rest.popFirst() {
            if isSpace(scalar), !isQuoted {
                hasSpace = true
                continue
            }
            // Space before anything else is kept once, and at the beginning not at all.
            if hasSpace, !result.isEmpty { result.append(" ") }
            hasSpace = false
            switch scalar {
            case "\"": isQuoted.toggle()
            case "\\":
                guard let escape = rest.popFirst() else { continue }
                switch escape {
                case "n": result.append("\n")
                case "t": result.append("\t")
                case "u":
                    let digits = rest.prefix(4)
                    if digits.count == 4, let value = UInt32(String(digits), radix: 16),
                        let decoded = Unicode.Scalar(value)
                    {
                        result.append(decoded)
                        rest = rest.dropFirst(4)
                    } else {
                        result.append(escape)
                    }
                default: result.append(escape)
                }
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}
