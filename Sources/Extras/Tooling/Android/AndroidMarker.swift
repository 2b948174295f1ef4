internal import AshlarCore
import AshlarCustomization

/// A comment with the data that a resource or a strings file can't represent, so that an import restores the exported
/// data.
///
/// A marker is `ashlar: {…}` with one JSON dictionary. The first marker of a resource file contains the layer and
/// table. Others precede an element and contain its key, and its value and comment if the element doesn't represent
/// them.
struct AndroidMarker {
    static let prefix = "ashlar: "

    /// The members of the dictionary.
    var members: [(name: String, value: CustomizationValue)]

    subscript(name: String) -> CustomizationValue? { members.last { $0.name == name }?.value }

    func text(_ name: String) -> String? {
        if case .string(let text)? = self[name] { text } else { nil }
    }

    /// The text of the comment.
    var comment: String {
        let body = members.map { Self.json(.string($0.name)) + ":" + Self.json($0.value) }.joined(separator: ",")
        return Self.prefix + "{" + body + "}"
    }

    init(_ members: [(name: String, value: CustomizationValue)]) { self.members = members }

    /// Creates the first marker of a file.
    init(layer: CustomizationLayer, table: String) {
        let (role, name): (CustomizationValue, String?) =
            switch layer.role {
            case .base: ("base", nil)
            case .language: ("language", nil)
            case .brand(let brand), .brandLanguage(let brand, _): ("brand", brand)
            case .theme(let theme): ("theme", theme)
            case .override: ("override", nil)
            }
        members = [("role", role)]
        if let name { members.append(("name", .string(name))) }
        if let language = layer.language { members.append(("language", .string(language.description))) }
        members += [("layer", .string(layer.id)), ("table", .string(table))]
        if layer.colors != .ftCustomization { members.append(("colors", .string(layer.colors.androidName))) }
        if layer.resolvesAliases { members.append(("aliases", .bool(true))) }
    }

    /// The role in the first marker of a file.
    var role: CustomizationLayer.Role? {
        let language = text("language").flatMap { LanguageTag($0) }
        switch (text("role"), text("name"), language) {
        case ("base", _, let language?): return .base(language)
        case ("language", _, let language?): return .language(language)
        case ("brand", let name?, nil): return .brand(name)
        case ("brand", let name?, let language?): return .brandLanguage(name, language)
        case ("theme", let name?, _): return .theme(name)
        case ("override", _, _): return .override
        default: return nil
        }
    }

    /// Reads a comment; `nil` if it isn't a marker.
    init?(comment: String) {
        let text = comment.trimmingSpace()
        guard text.hasPrefix(Self.prefix) else { return nil }
        let json = Array(text.utf8.dropFirst(Self.prefix.utf8.count))
        guard case .dict(let members)? = JSONReader.value(of: json) else { return nil }
        self.members = members.map { ($0.key, Self.value($0.value)) }
    }

    // MARK: Values as JSON

    /// Returns JSON in ASCII without two adjacent hyphens, which a comment can't contain.
    private static func json(_ value: CustomizationValue) -> String {
        switch value {
        case .string(let text): return quoted(text)
        case .int(let number): return String(number)
        case .double(let number):
            // A string, because JSON doesn't distinguish 1.0 from 1.
            return "{\"$double\":\"\(number)\"}"
        case .bool(let value): return String(value)
        case .color(let color):
            let parts = [color.red, color.green, color.blue, color.alpha].map { quoted(String($0)) }
            return "{\"$color\":[\(parts.joined(separator: ","))]}"
        case .data(let bytes):
            return "{\"$data\":\"\(bytes.hexadecimal)\"}"
        case .list(let values): return "[" + values.map(json).joined(separator: ",") + "]"
        case .alias(let key): return "{\"$alias\":\(quoted(key))}"
        case .message(let message):
            if case .icu(let text) = message.source { return "{\"$icu\":\(quoted(text))}" }
            return "{\"$message\":\(json(message.stringsDict))}"
        case .dict(let members):
            let body = members.sorted { $0.key < $1.key }.map { quoted($0.key) + ":" + json($0.value) }
            let text = "{" + body.joined(separator: ",") + "}"
            return members.count == 1 && members.first?.key.hasPrefix("$") == true ? "{\"$dict\":\(text)}" : text
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for unit in text.utf16 {
            switch unit {
            case UInt16(UInt8(ascii: "\"")): result += "\\\""
            case UInt16(UInt8(ascii: "\\")): result += "\\\\"
            // Prevents the end of an XML comment and of a strings file's comment.
            case UInt16(UInt8(ascii: "-")): result += result.utf8.last == UInt8(ascii: "-") ? "\\u002d" : "-"
            case UInt16(UInt8(ascii: "*")): result += "\\u002a"
            case 0x20...0x7E: result.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
            default:
                result += "\\u" + unit.digits(4, radix: 16)
            }
        }
        return result + "\""
    }

    /// Reads a value that `json` wrote.
    private static func value(_ json: CustomizationValue) -> CustomizationValue {
        switch json {
        case .list(let values): return .list(values.map(value))
        case .dict(let members):
            guard members.count == 1, let (name, content) = members.first else {
                return .dict(members.mapValues(value))
            }
            switch (name, content) {
            case ("$double", .string(let text)): return .double(Double(text) ?? 0)
            case ("$alias", .string(let key)): return .alias(key)
            case ("$icu", .string(let text)): return .message(CustomizationMessage(icu: text))
            case ("$message", .string(let text)): return .message(CustomizationMessage(text))
            case ("$message", _):
                let message = CustomizationMessage(stringsDict: value(content))
                return message.map { .message($0) } ?? value(content)
            case ("$data", .string(let hex)): return .data(bytes(hex))
            case ("$dict", .dict(let members)): return .dict(members.mapValues(value))
            case ("$color", .list(let parts)):
                let numbers = parts.compactMap { $0.text.flatMap { Float($0) } }
                guard numbers.count == 4 else { return json }
                return .color(RGBAColor(red: numbers[0], green: numbers[1], blue: numbers[2], alpha: numbers[3]))
            default: return .dict(members.mapValues(value))
            }
        default: return json
        }
    }

    private static func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.compactMap { $0.hexDigitValue }
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
    }
}
