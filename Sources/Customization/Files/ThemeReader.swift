internal import AshlarCore
internal import AshlarTrees

extension Theme {
    /// Parses a file of themes: SquidKit's JSON in both forms, or DB5's property list.
    ///
    /// - SquidKit: `{"themes": [{"name": …, "attributes": …}]}`. The attributes are a list of `{"type"?, "value", "key"
    ///   | "keys", "alpha"?}`, or an object in which a color is `{"color": …, "alpha"?}` and any other value is the
    ///   value itself. A theme can extend another one with `extends`.
    /// - DB5: a property list whose keys are the names of the themes. The theme named "default" is the parent of all
    ///   others. A key `nameAlpha` is the alpha of the color `name`, even if they are in different themes of the stack.
    ///
    /// The strings `$key` and `{a.b}` are aliases of that key; `$$` is a literal `$`. The members of dictionaries have
    /// the keys `a.b.c`.
    ///
    /// - Parameters:
    ///   - bytes: The file's bytes.
    ///   - file: The file's path, for locations.
    ///   - colors: The color dialect of the file; if nil, that of the format.
    /// - Returns: The themes in the order of the file, for duplicate names only the last one, and the problems.
    /// - Complexity: O(*n*) in the number of bytes.
    public static func parse(
        _ bytes: [UInt8], file: String = "", colors: ColorDialect? = nil
    ) -> (themes: [Theme], diagnostics: [CustomizationDiagnostic]) {
        var reader = ThemeReader(file: file, colors: colors)
        return reader.read(bytes)
    }

    /// Reads a file of themes from disk; an unreadable file results in a diagnostic and no theme.
    ///
    /// - Parameters:
    ///   - path: The file's path.
    ///   - colors: The color dialect of the file; if nil, that of the format.
    /// - Returns: The themes and the problems.
    public static func load(
        _ path: String, colors: ColorDialect? = nil
    ) -> (themes: [Theme], diagnostics: [CustomizationDiagnostic]) {
        do {
            return parse(try WholeFile.read(path, limit: 64 << 20), file: path, colors: colors)
        } catch {
            let problem = CustomizationDiagnostic(
                .error, .unreadableFile, error.description, at: CustomizationLocation(file: path))
            return ([], [problem])
        }
    }
}

/// Creates themes from a JSON or property list file.
struct ThemeReader {
    let file: String
    let colors: ColorDialect?
    private var text = SourceText(withoutLines: "")
    private var diagnostics: [CustomizationDiagnostic] = []

    init(file: String, colors: ColorDialect?) { (self.file, self.colors) = (file, colors) }

    mutating func read(_ bytes: [UInt8]) -> (themes: [Theme], diagnostics: [CustomizationDiagnostic]) {
        let isPropertyList = PropertyListReader.isBinary(bytes) || PropertyListReader.isXML(bytes)
        let read =
            isPropertyList
            ? PropertyListReader.read(bytes: bytes, file: file) : JSONReader.read(bytes: bytes, file: file)
        text = read.text
        diagnostics = read.diagnostics
        guard let root = read.root else { return ([], diagnostics) }
        var themes: [Theme]
        diagnostics += root.repeats(in: text)
        if let list = root["themes"]?.items {
            themes = list.compactMap { node in withItsProblems { $0.squidKitTheme(node) } }
        } else if let members = root.members {
            themes = members.compactMap { member in withItsProblems { $0.db5Theme(member) } }
        } else {
            report(.error, .notATable, "expected an object of themes", root.offset)
            themes = []
        }
        themes = withoutRepeats(themes)
        return (themes, diagnostics)
    }

    private mutating func report(
        _ severity: CustomizationDiagnostic.Severity, _ code: CustomizationDiagnostic.Code, _ message: String,
        _ offset: Int, key: String? = nil
    ) {
        diagnostics.add(severity, code, message, at: text.location(ofByte: offset), key: key)
    }

    /// Reads one theme and stores its problems in the theme, for the lint of a stack with it.
    private mutating func withItsProblems(_ read: (inout ThemeReader) -> Theme?) -> Theme? {
        let before = diagnostics.count
        var theme = read(&self)
        theme?.diagnostics = Array(diagnostics[before...])
        return theme
    }

    private mutating func withoutRepeats(_ themes: [Theme]) -> [Theme] {
        var last: [String: Int] = [:]
        for (index, theme) in themes.enumerated() where last.updateValue(index, forKey: theme.name) != nil {
            diagnostics.add(
                .warning, .duplicateKey, "duplicate theme \(theme.name); the last one wins",
                at: CustomizationLocation(file: file), key: theme.name)
        }
        return themes.enumerated().filter { last[$0.element.name] == $0.offset }.map(\.element)
    }

    // MARK: SquidKit

    private mutating func squidKitTheme(_ node: PlacedValue) -> Theme? {
        guard node.members != nil else {
            report(.error, .malformedFile, "a theme must be an object", node.offset)
            return nil
        }
        let name = node["name"]?.text ?? "unnamed theme"
        let dialect = colors ?? .squidKit
        var entries: [CustomizationEntry] = []
        switch node["attributes"]?.content {
        case .array(let items)?:
            for item in items { squidKitAttribute(item, dialect, &entries) }
        case .dictionary(let members)?: add(members, dialect, &entries)
        default: break
        }
        if entries.isEmpty {
            report(.warning, .malformedFile, "the theme \(name) has no attributes", node.offset)
            return nil
        }
        let table = StringsTable(file: file, entries: entries)
        return Theme(name: name, parent: node["extends"]?.text, table: table, colors: dialect)
    }

    /// Reads an attribute of the older form; without `key` and `keys`, it is an object of named values.
    private mutating func squidKitAttribute(
        _ node: PlacedValue, _ dialect: ColorDialect, _ entries: inout [CustomizationEntry]
    ) {
        guard let members = node.members else {
            return report(.error, .malformedFile, "an attribute must be an object", node.offset)
        }
        let names = node["key"]?.text.map { [$0] } ?? node["keys"]?.items?.compactMap(\.text)
        guard let names else { return add(members, dialect, &entries) }
        guard let content = node["value"] else {
            return report(.error, .malformedFile, "the attribute has no value", node.offset, key: names.first)
        }
        let type = node["type"]?.text
        var read: CustomizationValue?
        if type == "color" {
            read = color(content, alpha: node["alpha"], dialect, key: names.first)
        } else {
            if let type {
                report(
                    .warning, .malformedFile, "unknown type \(type); the value is not converted",
                    node.offset, key: names.first)
            }
            read = value(content, dialect, key: names.first)
        }
        for name in names { add(name, read, at: node.offset, &entries) }
    }

    // MARK: DB5

    private mutating func db5Theme(_ member: PlacedValue.Member) -> Theme? {
        guard let members = member.value.members else {
            report(.error, .malformedFile, "the theme \(member.key) must be a dictionary", member.offset)
            return nil
        }
        let dialect = colors ?? .db5
        var entries: [CustomizationEntry] = []
        let values = Dictionary(members.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
        for item in members {
            if let alpha = values[item.key + "Alpha"], let content = item.value.text, dialect.color(content) != nil,
                alpha.text.map(Self.isTextAlpha) != true
            {
                // The alpha is applied at composition, so that a theme can change only the color or only the alpha.
                _ = opacity(alpha, key: item.key)
            }
        }
        add(members, dialect, &entries)
        return Theme(name: member.key, table: StringsTable(file: file, entries: entries), colors: dialect)
    }

    /// Whether a text is an alpha, or an alias for one.
    private static func isTextAlpha(_ text: String) -> Bool {
        AliasSyntax.alias(text) != nil || (0...1).contains(NumberReading.double(text) ?? -1)
    }

    // MARK: Values

    /// Adds a value and, for a dictionary, its members under dotted names; the entry of the key itself is last and
    /// wins.
    private func add(
        _ key: String, _ value: CustomizationValue?, at offset: Int, _ entries: inout [CustomizationEntry]
    ) {
        guard let value else { return }
        let location = text.location(ofByte: offset)
        func addMembers(_ prefix: String, _ value: CustomizationValue) {
            guard case .dict(let members) = value else { return }
            for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                let path = prefix + "." + name
                addMembers(path, member)
                entries.append(CustomizationEntry(key: path, value: member, location: location))
            }
        }
        addMembers(key, value)
        entries.append(CustomizationEntry(key: key, value: value, location: location))
    }

    private mutating func add(
        _ members: [PlacedValue.Member], _ dialect: ColorDialect, _ entries: inout [CustomizationEntry]
    ) {
        for member in members {
            add(member.key, value(member.value, dialect, key: member.key), at: member.offset, &entries)
        }
    }

    private mutating func value(_ node: PlacedValue, _ dialect: ColorDialect, key: String?) -> CustomizationValue? {
        if case .dictionary(let members) = node.content {
            if let content = node["color"], content.text != nil,
                members.allSatisfy({ $0.key == "color" || $0.key == "alpha" })
            {
                return color(content, alpha: node["alpha"], dialect, key: key)
            }
            return .dict(
                Dictionary(
                    members.compactMap { member in
                        value(member.value, dialect, key: member.key).map { (member.key, $0) }
                    }, uniquingKeysWith: { $1 }))
        }
        if case .null = node.content { return nil }
        return node.value()
    }

    /// Reads a declared color; an alias remains an alias, and any other value is reported and remains a string.
    private mutating func color(
        _ node: PlacedValue, alpha: PlacedValue?, _ dialect: ColorDialect, key: String?
    ) -> CustomizationValue {
        guard let content = node.text else {
            report(.error, .malformedValue, "a color must be a text", node.offset, key: key)
            return node.value()
        }
        if AliasSyntax.alias(content) != nil { return .string(content) }
        let opacity = alpha.map { self.opacity($0, key: key) } ?? 1
        guard let color = dialect.color(content) else {
            report(.error, .malformedValue, "expected a color, found \"\(content)\"", node.offset, key: key)
            return .string(content)
        }
        return .color(color.withAlpha(color.alpha * opacity))
    }

    /// Reads an alpha from 0 to 1; any other value is reported.
    private mutating func opacity(_ node: PlacedValue, key: String?) -> Float {
        guard let number = node.number else {
            report(.warning, .malformedValue, "an alpha must be a number; 1 is used", node.offset, key: key)
            return 1
        }
        if !(0...1).contains(number) {
            report(
                .warning, .malformedValue, "the alpha \(number) is not in 0…1 and is clamped",
                node.offset, key: key)
        }
        return Float(min(max(number, 0), 1))
    }
}

/// A named set of values: colors, strings, numbers, booleans, lists or dictionaries.
public struct Theme: Sendable {
    /// The theme's name.
    public var name: String
    /// The name of the theme that this one extends, if any.
    package var parent: String?
    /// The theme's values.
    package var table: StringsTable
    /// The color dialect of the theme.
    package var colors: ColorDialect
    /// The problems found while reading the theme.
    package var diagnostics: [CustomizationDiagnostic] = []

    /// Creates a theme.
    package init(
        name: String, parent: String? = nil, table: StringsTable, colors: ColorDialect = .squidKit
    ) {
        self.name = name
        self.parent = parent
        self.table = table
        self.colors = colors
    }
}
