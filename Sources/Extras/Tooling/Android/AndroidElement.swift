import AshlarCore
import AshlarCustomization
import AshlarTrees

/// A resource with unescaped text.
enum AndroidElement: Hashable {
    case string(String)
    /// A string whose markup is also markup in the resource.
    case markup(String)
    /// A reference, such as `@string/name`, in a resource of a type.
    case reference(type: String, String)
    case integer(Int32)
    case bool(Bool)
    /// A color, as `0xAARRGGBB`.
    case color(UInt32)
    case float(Double)
    case plurals([PluralCategory: String])
    case array([String])
    /// An array that contains other values than strings.
    case mixedArray(type: String, [String])

    /// The resource type; each type has its own names.
    var type: String {
        switch self {
        case .string, .markup: "string"
        case .reference(let type, _): type
        case .integer: "integer"
        case .bool: "bool"
        case .color: "color"
        case .float: "dimen"
        case .plurals: "plurals"
        case .array, .mixedArray: "array"
        }
    }

    // MARK: Writing

    /// The element as XML, indented by four spaces.
    func xml(name: String) -> String {
        let attribute = "name=\"\(XMLText.escaped(name, isAttribute: true))\""
        switch self {
        case .string(let text): return Self.string(attribute, text, AndroidText.escaped(text))
        case .markup(let text):
            return Self.string(attribute, text, AndroidMarkup.xml(text) ?? AndroidText.escaped(text))
        case .reference("string", let target):
            return "    <string \(attribute)>\(XMLText.escaped(target))</string>\n"
        case .reference(let type, let target):
            return "    <item \(attribute) type=\"\(type)\">\(XMLText.escaped(target))</item>\n"
        case .integer(let number): return "    <integer \(attribute)>\(number)</integer>\n"
        case .bool(let value): return "    <bool \(attribute)>\(value)</bool>\n"
        case .color(let bits):
            return "    <color \(attribute)>#\(bits.digits(8, radix: 16, uppercase: true))</color>\n"
        case .float(let number): return "    <item \(attribute) type=\"dimen\" format=\"float\">\(number)</item>\n"
        case .plurals(let forms):
            let items = PluralCategory.allCases.compactMap { category in
                forms[category].map { "        <item quantity=\"\(category)\">\(AndroidText.escaped($0))</item>\n" }
            }
            return "    <plurals \(attribute)>\n\(items.joined())    </plurals>\n"
        case .array(let texts): return Self.array("string-array", attribute, texts.map(AndroidText.escaped))
        case .mixedArray(let type, let texts): return Self.array(type, attribute, texts.map { XMLText.escaped($0) })
        }
    }

    private static func string(_ attribute: String, _ text: String, _ content: String) -> String {
        let formatted = AndroidFormat.isUnformatted(text) ? " formatted=\"false\"" : ""
        return "    <string \(attribute)\(formatted)>\(content)</string>\n"
    }

    private static func array(_ type: String, _ attribute: String, _ items: [String]) -> String {
        let items = items.map { "        <item>\($0)</item>\n" }
        return "    <\(type) \(attribute)>\n\(items.joined())    </\(type)>\n"
    }
}

extension AndroidElement {
    /// Reads an element of a values file; `nil` if the element is malformed or has no value for an import.
    init?(_ node: XMLTree.Element) {
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

/// References of Android's resources, such as `@string/app_name` and `?attr/color`.
enum AndroidReference {
    private static let types: Set<Substring> = [
        "anim", "animator", "array", "attr", "bool", "color", "dimen", "drawable", "font", "fraction", "id", "integer",
        "interpolator", "layout", "menu", "mipmap", "navigation", "plurals", "raw", "string", "style", "styleable",
        "transition", "xml",
    ]

    /// Returns the reference of an alias in an imported layer: the alias itself, or the string with that name.
    static func named(_ key: String) -> (type: String, text: String) {
        if let reference = parse(key) { return ("string", reference) }
        return ("string", "@string/" + (AndroidNames.isValid(key) ? key : AndroidNames.resource(key)))
    }

    /// Returns the text as a reference if aapt2 reads it as one; `nil` for other text.
    static func parse(_ raw: String) -> String? {
        let text = raw.trimmingSpace()
        if text == "@null" || text == "@empty" { return text }
        var body = text.dropFirst()
        while let mark = body.first, mark == "+" || mark == "*" { body = body.dropFirst() }
        let name = body.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).last ?? ""
        let parts = name.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let entry = parts.last, !entry.isEmpty else { return nil }
        switch text.first {
        case "@": return parts.count == 2 && types.contains(parts[0]) ? text : nil
        case "?": return parts.count == 1 || parts[0] == "attr" || parts[0].isEmpty ? text : nil
        default: return nil
        }
    }
}
