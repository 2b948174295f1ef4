import AshlarCore
import AshlarCustomization

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
