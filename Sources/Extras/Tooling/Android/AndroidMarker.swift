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
        if layer.colors != .ftCustomization { members.append(("colors", .string(layer.colors.markerName))) }
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

    /// Returns JSON in ASCII without two adjacent hyphens and without asterisks, which would end a comment.
    private static func json(_ value: CustomizationValue) -> String {
        var result = ""
        for unit in tagged(value).json.utf16 {
            let isHyphen = unit == UInt16(UInt8(ascii: "-")) && result.utf8.last == UInt8(ascii: "-")
            if (0x20...0x7E).contains(unit), unit != UInt16(UInt8(ascii: "*")), !isHyphen {
                result.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
            } else {
                result += "\\u" + unit.digits(4, radix: 16)
            }
        }
        return result
    }

    /// Returns a value of strings, integers, booleans, lists and dictionaries that represents a value.
    private static func tagged(_ value: CustomizationValue) -> CustomizationValue {
        switch value {
        case .string, .int, .bool: return value
        // A string, because JSON doesn't distinguish 1.0 from 1.
        case .double(let number): return .dict(["$double": .string("\(number)")])
        case .color(let color):
            let parts = [color.red, color.green, color.blue, color.alpha]
            return .dict(["$color": .list(parts.map { .string("\($0)") })])
        case .data(let bytes): return .dict(["$data": .string(bytes.hexadecimal)])
        case .list(let values): return .list(values.map(tagged))
        case .alias(let key): return .dict(["$alias": .string(key)])
        case .message(let message):
            if case .icu(let text) = message.source { return .dict(["$icu": .string(text)]) }
            return .dict(["$message": tagged(message.stringsDict)])
        case .dict(let members):
            let inner = CustomizationValue.dict(members.mapValues(tagged))
            return members.count == 1 && members.first?.key.hasPrefix("$") == true ? .dict(["$dict": inner]) : inner
        }
    }

    /// Reads a value that `tagged` returned.
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

extension ColorDialect {
    private static let markerNames: [ColorDialect: String] = [
        .components(alpha: .byte): "components-byte", .components(alpha: .percent): "components-percent",
        .components(alpha: .fraction): "components-fraction", .squidKit: "squidkit",
        .squidKitLenient: "squidkit-lenient", .db5: "db5", .css: "css", .android: "android", .dtcg: "dtcg",
    ]

    /// The name of the dialect in a marker.
    fileprivate var markerName: String { Self.markerNames[self] ?? "components-byte" }

    init?(markerName: String) {
        guard let dialect = Self.markerNames.first(where: { $0.value == markerName })?.key else { return nil }
        self = dialect
    }
}
