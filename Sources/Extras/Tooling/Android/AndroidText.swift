import AshlarCore

/// The text of Android's string resources: escapes, quotes and whitespace by the rules of aapt2.
enum AndroidText {
    // MARK: Writing

    /// Returns the escaped content of a resource, without U+0000, which Android doesn't support.
    static func escaped(_ text: String) -> String { escaped(text, isFirst: true, isLast: true) }

    /// Escapes a part of a string between markup.
    static func escaped(_ text: String, isFirst: Bool, isLast: Bool) -> String {
        var result = String.UnicodeScalarView()
        for (index, scalar) in text.unicodeScalars.enumerated() {
            switch scalar {
            case "\0": continue
            case "\\", "'", "\"":
                result.append("\\")
                result.append(scalar)
            case "\n": result.append(contentsOf: "\\n".unicodeScalars)
            case "\t": result.append(contentsOf: "\\t".unicodeScalars)
            case "@" where index == 0 && isFirst, "?" where index == 0 && isFirst:
                result.append("\\")
                result.append(scalar)
            case _ where XMLText.isLegal(scalar) && scalar != "\r": result.append(scalar)
            default:
                result.append(contentsOf: ("\\u" + scalar.value.digits(4, radix: 16)).unicodeScalars)
            }
        }
        let text = String(result)
        let losesSpaces =
            isFirst && text.hasPrefix(" ") || isLast && text.hasSuffix(" ")
            || zip(text.utf8, text.utf8.dropFirst()).contains { $0 == UInt8(ascii: " ") && $1 == UInt8(ascii: " ") }
        let xml = XMLText.escaped(text)
        return losesSpaces ? "\"\(xml)\"" : xml
    }

    // MARK: Reading

    /// Returns the text of a resource from its escaped content.
    static func unescaped(_ raw: String) -> String {
        var reader = Reader()
        reader.append(raw, isFirst: true, isLast: true)
        return reader.text
    }

    /// Collects the parts of a string between markup.
    struct Reader {
        private(set) var text = ""
        private var isQuoted = false

        private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
            scalar == " " || (0x09...0x0D).contains(scalar.value)
        }

        /// Appends markup without changes.
        mutating func append(markup: String) { text += markup }

        /// Appends a part: a run of whitespace outside of quotes becomes one space, or none at the edges of the string.
        mutating func append(_ raw: String, isFirst: Bool, isLast: Bool) {
            var result = String.UnicodeScalarView()
            var hasSpace = false
            var rest = raw.unicodeScalars[...]
            if isFirst { rest = rest.drop(while: Self.isSpace) }
            while let scalar = rest.popFirst() {
                if Self.isSpace(scalar), !isQuoted {
                    hasSpace = true
                    continue
                }
                if hasSpace { result.append(" ") }
                hasSpace = false
                switch scalar {
                case "\"": isQuoted.toggle()
                case "\\": Self.escape(&rest, &result)
                default: result.append(scalar)
                }
            }
            if hasSpace, !isLast { result.append(" ") }
            text += String(result)
        }

        /// Reads an escape after its backslash.
        private static func escape(_ rest: inout Substring.UnicodeScalarView, _ result: inout String.UnicodeScalarView)
        {
            guard let letter = rest.popFirst() else { return }
            switch letter {
            case "n": result.append("\n")
            case "t": result.append("\t")
            case "u":
                guard let unit = unit(rest) else { return result.append(letter) }
                rest = rest.dropFirst(4)
                var units = [unit]
                if unit & 0xFC00 == 0xD800, rest.starts(with: "\\u".unicodeScalars),
                    let low = self.unit(rest.dropFirst(2)), low & 0xFC00 == 0xDC00
                {
                    units.append(low)
                    rest = rest.dropFirst(6)
                }
                result.append(contentsOf: String(decoding: units, as: UTF16.self).unicodeScalars)
            default: result.append(letter)
            }
        }

        /// The value of four hexadecimal digits.
        private static func unit(_ text: Substring.UnicodeScalarView) -> UInt16? {
            let digits = text.prefix(4)
            guard digits.count == 4, digits.allSatisfy({ $0.isASCII && $0.properties.isHexDigit }) else { return nil }
            return UInt16(String(digits), radix: 16)
        }
    }
}
