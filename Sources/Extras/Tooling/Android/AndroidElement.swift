import AshlarCustomization

extension AndroidElement {
    /// Reads an element of a values file; `nil` if the element is malformed or has no value for an import.
    init?(_ node: AndroidXML) {
        let content = node.text
        let plain = content.trimmingSpace()
        let type = node.name == "item" ? node["type"] ?? "" : node.name
        let types =
            ["string", "integer", "bool", "color", "dimen"] + (node.name == "item" ? ["plurals", "array"] : [])
        if types.contains(type), !AndroidMarkup.hasMarkup(node), let reference = AndroidReference.parse(content) {
            self = .reference(type: type, reference)
            return
        }
        switch type {
        case "string":
            let text = AndroidMarkup.text(node)
            self = AndroidMarkup.hasMarkup(node) ? .markup(text) : .string(text)
        case "integer":
            guard let number = Self.integer(plain) else { return nil }
            self = .integer(number)
        case "bool":
            guard let value = ["true": true, "false": false][plain.lowercased()] else { return nil }
            self = .bool(value)
        case "color":
            guard let bits = Self.color(plain) else { return nil }
            self = .color(bits)
        case "dimen":
            guard let number = Double(plain) else { return nil }
            self = .float(number)
        case "plurals":
            var forms: [PluralCategory: String] = [:]
            for item in node.elements where item.name == "item" {
                let quantity = item["quantity"]?.trimmingSpace()
                guard let category = quantity.flatMap(PluralCategory.init) else { return nil }
                forms[category] = AndroidMarkup.text(item)
            }
            self = .plurals(forms)
        case "string-array", "array", "integer-array":
            let items = node.elements.filter { $0.name == "item" }
            if type == "string-array", items.allSatisfy({ AndroidReference.parse($0.text) == nil }) {
                self = .array(items.map(AndroidMarkup.text))
            } else {
                self = .mixedArray(type: type, items.map(AndroidMarkup.text))
            }
        default: return nil
        }
    }

    /// Types without values for a customization.
    static let isIgnored: Set<String> = ["eat-comment", "skip"]

    private static func integer(_ text: String) -> Int32? {
        if text.lowercased().hasPrefix("0x") {
            return UInt32(text.dropFirst(2), radix: 16).map { Int32(bitPattern: $0) }
        }
        return Int32(text)
    }

    /// Parses `#rgb`, `#argb`, `#rrggbb` or `#aarrggbb`.
    private static func color(_ text: String) -> UInt32? {
        guard text.hasPrefix("#"), text.dropFirst().allSatisfy(\.isHexDigit),
            let bits = UInt32(text.dropFirst(), radix: 16)
        else { return nil }
        func doubled(_ bits: UInt32, digits: UInt32) -> UInt32 {
            (0..<digits).reduce(0) { $0 | ((bits >> (4 * $1) & 0xF) * 0x11) << (8 * $1) }
        }
        switch text.utf8.count - 1 {
        case 3: return doubled(bits, digits: 3) | 0xFF00_0000
        case 4: return doubled(bits, digits: 4)
        case 6: return bits | 0xFF00_0000
        case 8: return bits
        default: return nil
        }
    }

    // MARK: Values

    /// Returns the value of a resource, and the parts of the resource that the value can't represent.
    ///
    /// - Parameter key: Returns the key of a resource name that a reference contains.
    /// - Returns: The value, and a message for each loss.
    func value(key: (String) -> String) -> (value: CustomizationValue, losses: [String]) {
        func text(_ text: String, _ losses: inout [String]) -> String {
            let (text, lost) = AndroidFormat.printf(text)
            losses += lost.map { "placeholder \"\($0)\" is simplified" }
            return text
        }
        var losses: [String] = []
        switch self {
        case .string(let raw), .markup(let raw): return (.string(text(raw, &losses)), losses)
        case .reference(let type, let target):
            let prefix = "@\(type)/"
            if target.hasPrefix(prefix) { return (.alias(key(String(target.dropFirst(prefix.count)))), []) }
            return (.alias(target), ["reference \"\(target)\" has no target in the strings"])
        case .integer(let number): return (.int(Int64(number)), [])
        case .bool(let value): return (.bool(value), [])
        case .color(let bits): return (.color(Self.color(bits)), [])
        case .float(let number): return (.double(number), [])
        case .plurals(let forms):
            let texts = forms.mapValues { text($0, &losses) }
            for form in forms.values where AndroidReference.parse(form) != nil {
                losses.append("reference \"\(form)\" is read as text")
            }
            return (.message(CustomizationMessage(forms: texts, valueType: "d")), losses)
        case .array(let texts): return (.list(texts.map { .string($0) }), [])
        case .mixedArray(_, let texts):
            let values = texts.map { raw -> CustomizationValue in
                let plain = raw.trimmingSpace()
                if let target = AndroidReference.parse(raw) {
                    return Self.reference(type: "string", target).value(key: key).value
                }
                if self.type != "string-array", let number = Self.integer(plain) { return .int(Int64(number)) }
                return .string(raw)
            }
            return (.list(values), [])
        }
    }

    private static func color(_ bits: UInt32) -> RGBAColor {
        func byte(_ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: bits >> shift) }
        return RGBAColor(red8: byte(16), green8: byte(8), blue8: byte(0), alpha8: byte(24))
    }
}
