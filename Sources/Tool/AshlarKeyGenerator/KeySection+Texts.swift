import AshlarCore
import AshlarCustomization

extension KeySection {
    /// Returns the strings, values and colors of a tree and its themes.
    static func texts(_ folder: KeyFolder) -> Found {
        let strings = Customization(path: folder.path, base: folder.base)
        var reader = TextReader(strings)
        reader.read(folder)
        return (
            [
                KeySection(
                    name: "Strings", module: reader.module, summary: "The texts of the app: `strings[Strings.name]`.",
                    members: reader.texts),
                KeySection(
                    name: "Values", module: reader.module,
                    summary: "The numbers and switches that brands can change: `strings[Values.name]`.",
                    members: reader.values),
                KeySection(
                    name: "Colors", module: reader.module, summary: "The colors of the app: `strings[Colors.name]`.",
                    members: reader.colors),
                KeySection(
                    name: "Images", module: "", summary: "The names of images: `strings.image(Images.name)`.",
                    members: reader.images),
            ], reader.problems
        )
    }
}

private struct TextReader {
    let module = "AshlarCustomization"
    private(set) var texts: [KeyMember] = []
    private(set) var values: [KeyMember] = []
    private(set) var colors: [KeyMember] = []
    /// Keys whose values are names of images.
    private(set) var images: [KeyMember] = []
    private(set) var problems: [KeyGenerator.Problem] = []
    private let strings: Customization

    init(_ strings: Customization) { self.strings = strings }

    mutating func read(_ folder: KeyFolder) {
        let coverage = StringsCoverage(strings)
        var missing: [StringsCoverage.Key: [String]] = [:]
        for language in coverage.languages {
            for key in coverage.missing(language) { missing[key, default: []].append("\(language)") }
        }
        for layer in strings.allLayers {
            guard case .base = layer.role else { continue }
            for (name, table) in layer.tables.sorted(by: { $0.key < $1.key }) {
                for entry in table {
                    let place = self.place(entry.location, folder)
                    add(entry, name, place, layer.colors)
                    guard let languages = missing[.init(table: name, key: entry.key)] else { continue }
                    let text = "'\(entry.key)' is missing in \(languages.sorted().joined(separator: ", "))"
                    problems.append(.init(severity: "warning", place: place, text: text.onOneLine))
                }
            }
        }
        let themes = folder.path + "/Themes.json"
        guard FileStatus(themes)?.kind == .regular else { return }
        for theme in Theme.load(themes).themes {
            for entry in theme.table { add(entry, nil, place(entry.location, folder), theme.colors) }
        }
    }

    private func place(_ location: CustomizationLocation, _ folder: KeyFolder) -> String {
        (location.file.hasPrefix(folder.path + "/") ? "" : folder.path + "/") + "\(location)"
    }

    /// Adds an entry of a table, or of a theme.
    private mutating func add(
        _ entry: CustomizationEntry, _ name: String?, _ place: String, _ dialect: ColorDialect
    ) {
        let isDefault = name == nil || name == CustomizationLayer.defaultTable
        let sections = isDefault ? [] : [name ?? ""]
        let key = KeyName.literal(entry.key)
        let table = isDefault ? "" : ", table: " + KeyName.literal(name ?? "")
        func member(_ text: String, _ declaration: @escaping (String) -> [String]) -> KeyMember {
            KeyMember(
                key: entry.key, sections: sections, place: place, comment: "`\(text)`",
                declaration: declaration)
        }
        func constant(_ type: String, _ text: String) -> KeyMember {
            member(text) { ["static let \($0) = CustomizationKey<\(type)>(\(key)\(table))"] }
        }
        let types = entry.value.types(colors: dialect)
        let text = entry.value.text ?? entry.value.sample
        if types.contains(.color), !types.contains(.int) {
            colors.append(constant("RGBAColor", text))
        } else if types.contains(.bool), !types.contains(.int) {
            values.append(constant("Bool", text))
        } else if types.contains(.int) {
            values.append(constant("Int", text))
        } else if types.contains(.double) {
            values.append(constant("Double", text))
        } else if entry.value.isImageName {
            images.append(member(text) { ["static let \($0) = \(key)"] })
        } else if let parameters = entry.value.parameters, !parameters.list.isEmpty {
            let names = Self.names(parameters.list)
            let list = zip(names, parameters.list).map { "\($0): \(Self.type($1.kind))" }.joined(separator: ", ")
            let inner = names.map { String($0.split(separator: " ").last ?? "") }
            let arguments =
                parameters.isNamed
                ? "named: ["
                    + zip(parameters.list, inner).map { "\(KeyName.literal($0.name ?? "")): \($1)" }.joined(
                        separator: ", ")
                    + "]"
                : "[" + inner.joined(separator: ", ") + "]"
            texts.append(
                member(text) { name in
                    [
                        "static func \(name)(\(list)) -> CustomizationText {",
                        "    CustomizationText(\(key), \(arguments)\(table))", "}",
                    ]
                })
        } else if entry.value.text != nil {
            texts.append(constant("String", text))
        } else if case .message = entry.value {
            texts.append(constant("String", text))
        }
    }

    /// Returns labels and names of parameters: those of the message, `count` for a single number, otherwise none.
    private static func names(_ parameters: [MessageParameter]) -> [String] {
        var used: Set<String> = []
        return parameters.enumerated().map { index, parameter in
            guard let name = parameter.name else {
                return parameters.count == 1 && parameter.kind == .integer ? "count" : "_ value\(index + 1)"
            }
            var identifier = KeyName.identifier(name == "value" ? "count" : name)
            while !used.insert(identifier).inserted { identifier += "_" }
            return KeyName.declared(identifier)
        }
    }

    private static func type(_ kind: MessageParameter.Kind) -> String {
        switch kind {
        case .text: "String"
        case .integer: "Int"
        case .number: "Double"
        case .any: "any FormatArgument"
        }
    }
}

extension CustomizationValue {
    /// The arguments of a text or message; nil for other values.
    fileprivate var parameters: (list: [MessageParameter], isNamed: Bool)? {
        switch self {
        case .string(let text):
            let positional = CustomizationMessage(text).positionalParameters
            if positional.isEmpty, CustomizationMessage.hasICUArguments(text) {
                return (CustomizationMessage(icu: text).namedParameters, true)
            }
            // A sign before a space, as in "50 % of all", isn't a placeholder.
            return (PrintfFormat(text).placeholders.contains(where: \.isAccidental) ? [] : positional, false)
        case .message(let message):
            if case .icu = message.source { return (message.namedParameters, true) }
            return (message.positionalParameters, false)
        default: return nil
        }
    }

    /// A text of a message for a comment.
    fileprivate var sample: String {
        if case .message(let message) = self { message.sample } else { "" }
    }
}

extension CustomizationMessage {
    fileprivate var sample: String {
        switch source {
        case .format(let text), .icu(let text): return text
        case .plural(let text):
            let forms = text.variables.max { $0.key < $1.key }?.value.forms ?? [:]
            return PluralCategory.allCases.compactMap { forms[$0] }.last ?? text.format
        case .devices(let choices): return choices.max { $0.key < $1.key }?.value.sample ?? ""
        }
    }
}
