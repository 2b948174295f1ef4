import AshlarCore
import AshlarCustomization
import AshlarTexts

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
        problems += strings.fileErrors.map { .init($0, in: folder) }
        // The arguments of a text are those of all languages, brands and devices.
        var signatures: [StringsCoverage.Key: MessageSignature] = [:]
        var entries: [StringsCoverage.Key: (entry: CustomizationEntry, colors: ColorDialect)] = [:]
        for layer in strings.allLayers {
            for (name, table) in layer.tables {
                for entry in table {
                    let key = StringsCoverage.Key(table: name, key: entry.key)
                    if case .base = layer.role { entries[key] = (entry, layer.colors) }
                    signatures[key, default: MessageSignature()].add(
                        entry.value, name: layer.language?.description ?? layer.id, at: entry.location)
                }
            }
        }
        for (key, (entry, colors)) in entries.sorted(by: { $0.key < $1.key }) {
            var signature = signatures[key] ?? MessageSignature()
            signature.add(key: key.key, at: entry.location)
            problems += signature.contradictions.map {
                .init(severity: "error", place: folder.place($0.location), text: "'\(key.key)': \($0.text)".onOneLine)
            }
            add(entry, key.table, folder.place(entry.location), colors, signature, isInBase: true)
            guard let languages = missing[key] else { continue }
            let text = "'\(entry.key)' is missing in \(languages.sorted().joined(separator: ", "))"
            problems.append(.init(severity: "warning", place: folder.place(entry.location), text: text.onOneLine))
        }
        let file = folder.path + "/Themes.json"
        guard FileStatus(file)?.kind == .regular else { return }
        let themes = Theme.load(file)
        problems += themes.diagnostics.filter { $0.severity == .error }.map { .init($0, in: folder) }
        for theme in themes.themes {
            for entry in theme.table {
                var signature = MessageSignature()
                signature.add(entry.value, name: theme.name, at: entry.location)
                let key = StringsCoverage.Key(table: CustomizationLayer.defaultTable, key: entry.key)
                add(
                    entry, nil, folder.place(entry.location), theme.colors, signature, isInBase: entries[key] != nil)
            }
        }
    }

    /// Adds an entry of a table, or of a theme.
    private mutating func add(
        _ entry: CustomizationEntry, _ name: String?, _ place: String, _ dialect: ColorDialect,
        _ signature: MessageSignature, isInBase: Bool
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
        guard let text = entry.value.text ?? entry.value.sample else { return }
        let parameters = signature.parameters
        if types.contains(.color), !types.contains(.int) {
            colors.append(constant("RGBAColor", text))
        } else if types.contains(.bool), !types.contains(.int) {
            values.append(constant("Bool", text))
        } else if types.contains(.int) {
            values.append(constant("Int", text))
        } else if types.contains(.double) {
            values.append(constant("Double", text))
        } else if entry.value.isImageName {
            var image = member(text) { ["static let \($0) = \(key)"] }
            image.isImage = true
            images.append(image)
        } else if !parameters.isEmpty {
            let names = Self.names(parameters)
            let list = zip(names, parameters).map { "\($0): \(Self.type($1.kind))" }.joined(separator: ", ")
            let inner = names.map { String($0.split(separator: " ").last ?? "") }
            let named = zip(parameters, inner).map { "\(KeyName.literal($0.name ?? "")): \($1)" }
            let arguments =
                signature.isNamed
                ? "named: [\(named.joined(separator: ", "))]" : "[\(inner.joined(separator: ", "))]"
            texts.append(
                member(text) { name in
                    [
                        "static func \(name)(\(list)) -> CustomizationText {",
                        "    CustomizationText(\(key), \(arguments)\(table))", "}",
                    ]
                })
        } else if isInBase {
            // Every app has the text, so that it is read without a default.
            texts.append(member(text) { ["static let \($0) = CustomizationText(\(key)\(table))"] })
        } else {
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
    /// A text of a message for a comment.
    fileprivate var sample: String? { if case .message(let message) = self { message.sample } else { nil } }
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
