import AshlarCustomization

/// A resource as Android has it, with its texts unescaped.
enum AndroidElement: Hashable {
    case string(String)
    /// `@type/name`
    case reference(type: String, name: String)
    case integer(Int32)
    case bool(Bool)
    /// As `0xAARRGGBB`.
    case color(UInt32)
    case float(Double)
    case plurals([PluralCategory: String])
    case array([String])

    /// The resource type, which has names of its own.
    var type: String {
        switch self {
        case .string: "string"
        case .reference(let type, _): type
        case .integer: "integer"
        case .bool: "bool"
        case .color: "color"
        case .float: "dimen"
        case .plurals: "plurals"
        case .array: "array"
        }
    }

    /// The element as XML, indented by four spaces.
    func xml(name: String) -> String {
        let attribute = "name=\"\(AndroidXML.escaped(name))\""
        switch self {
        case .string(let text):
            let formatted = AndroidFormat.isUnformatted(text) ? " formatted=\"false\"" : ""
            return "    <string \(attribute)\(formatted)>\(AndroidText.escaped(text))</string>\n"
        case .reference(let type, let target):
            return "    <item \(attribute) type=\"\(type)\">@\(type)/\(AndroidXML.escaped(target))</item>\n"
        case .integer(let number): return "    <integer \(attribute)>\(number)</integer>\n"
        case .bool(let value): return "    <bool \(attribute)>\(value)</bool>\n"
        case .color(let bits):
            let hex = String(bits, radix: 16, uppercase: true)
            return "    <color \(attribute)>#\(String(repeating: "0", count: 8 - hex.count))\(hex)</color>\n"
        case .float(let number): return "    <item \(attribute) type=\"dimen\" format=\"float\">\(number)</item>\n"
        case .plurals(let forms):
            let items = PluralCategory.allCases.compactMap { category in
                forms[category].map { "        <item quantity=\"\(category)\">\(AndroidText.escaped($0))</item>\n" }
            }
            return "    <plurals \(attribute)>\n\(items.joined())    </plurals>\n"
        case .array(let texts):
            let items = texts.map { "        <item>\(AndroidText.escaped($0))</item>\n" }
            return "    <string-array \(attribute)>\n\(items.joined())    </string-array>\n"
        }
    }

    /// Reads an element of a values file; `nil` if it is of another type or not well-formed.
    init?(_ node: AndroidXML.Node) {
        let content = node.rawText
        let plain = content.filter { !$0.isWhitespace }
        let type = node.name == "item" ? node.attributes["type"] ?? "" : node.name
        if plain.hasPrefix("@\(type)/") {
            self = .reference(type: type, name: String(plain.dropFirst(type.count + 2)))
            return
        }
        switch type {
        case "string": self = .string(AndroidText.unescaped(content))
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
                guard let category = item.attributes["quantity"].flatMap(PluralCategory.init) else { return nil }
                forms[category] = AndroidText.unescaped(item.rawText)
            }
            self = .plurals(forms)
        case "string-array", "array":
            self = .array(node.elements.filter { $0.name == "item" }.map { AndroidText.unescaped($0.rawText) })
        default: return nil
        }
    }

    private static func integer(_ text: String) -> Int32? {
        let isHexadecimal = text.hasPrefix("0x") || text.hasPrefix("0X")
        if isHexadecimal { return UInt32(text.dropFirst(2), radix: 16).map { Int32(bitPattern: $0) } }
        return Int32(text)
    }

    /// `#rgb`, `#argb`, `#rrggbb` or `#aarrggbb`.
    private static func color(_ text: String) -> UInt32? {
        guard text.hasPrefix("#"), text.dropFirst().utf8.allSatisfy({ $0 != UInt8(ascii: "+") }),
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
}
