/// Creates a theme from a file in the format of the Design Tokens Community Group.
///
/// A token is an object with a `$value`; every other object is a group. The key of a token consists of the names of its
/// groups and its own name, joined by dots. Aliases (`{color.brand}`) use this key, too.
struct DesignTokenReader {
    let text: SourceText
    let colors: ColorDialect
    private var diagnostics: [CustomizationDiagnostic] = []
    private var entries: [CustomizationEntry] = []

    init(text: SourceText, colors: ColorDialect) { (self.text, self.colors) = (text, colors) }

    /// Whether the file contains a token.
    static func isDesignTokens(_ node: SourceNode) -> Bool {
        guard let members = node.members else { return false }
        return members.contains { $0.key == "$value" || isDesignTokens($0.value) }
    }

    mutating func theme(_ root: SourceNode) -> Theme {
        group(root, path: [], type: nil)
        var theme = Theme(
            name: Self.name(text.file), table: StringsTable(file: text.file, entries: entries), colors: colors)
        theme.diagnostics = diagnostics
        return theme
    }

    /// Returns the file's name up to its first dot: `dark` for `themes/dark.tokens.json`.
    private static func name(_ file: String) -> String {
        let name = file.split(separator: "/").last.map { $0.prefix { $0 != "." } } ?? ""
        return name.isEmpty ? "design tokens" : String(name)
    }

    private mutating func report(
        _ severity: CustomizationDiagnostic.Severity, _ message: String, _ offset: Int, _ key: String
    ) {
        diagnostics.add(
            severity, .malformedValue, message, at: text.location(ofByte: offset), key: key.isEmpty ? nil : key)
    }

    /// Reads a group; its `$type` applies to everything in it without a type.
    private mutating func group(_ node: SourceNode, path: [String], type: String?) {
        let type = node["$type"]?.text ?? type
        for member in node.members ?? [] {
            let key = (path + [member.key]).joined(separator: ".")
            switch member.key {
            case "$type", "$description", "$extensions", "$deprecated", "$schema": continue
            case "$extends", "$ref":
                report(
                    .warning, "\(member.key) is not supported; the referenced tokens are not read", member.offset, key)
                continue
            default: break
            }
            if member.value["$value"] != nil {
                token(member, key: key, type: type)
                // The value of a group itself has this name; it is also the value of the group's key.
                if member.key == "$root" { token(member, key: path.joined(separator: "."), type: type) }
            } else if member.value.members != nil {
                group(member.value, path: path + [member.key], type: type)
            } else {
                report(.error, "expected a token or a group", member.value.offset, key)
            }
        }
    }

    private mutating func token(_ member: SourceNode.Member, key: String, type: String?) {
        guard let content = member.value["$value"] else { return }
        let location = text.location(ofByte: member.offset)
        let comment = member.value["$description"]?.text
        func add(_ key: String, _ value: CustomizationValue) {
            entries.append(CustomizationEntry(key: key, value: value, location: location, comment: comment))
        }
        // The parts of a composite value have their own keys and can be aliases.
        func addParts(_ prefix: String, _ node: SourceNode) {
            for part in node.members ?? [] {
                addParts(prefix + "." + part.key, part.value)
                add(prefix + "." + part.key, part.value.value())
            }
        }
        addParts(key, content)
        add(key, value(content, type: member.value["$type"]?.text ?? type, key: key))
    }

    private mutating func value(_ node: SourceNode, type: String?, key: String) -> CustomizationValue {
        let value = node.value()
        if let text = node.text, AliasSyntax.alias(text) != nil { return value }
        switch type {
        case "color":
            if let color = color(value) { return .color(color) }
            report(.error, "expected a color, found \(value)", node.offset, key)
        case "dimension":
            // The size of a rem depends on the user's settings, so the value isn't converted.
            guard case .dict(let members) = value else { break }
            if members["unit"] == .string("px"), let number = node["value"]?.number { return .double(number) }
            if members["unit"] != .string("rem") || node["value"]?.number == nil {
                report(.error, "expected a dimension in px or rem, found \(value)", node.offset, key)
            }
        case "duration":
            guard case .dict(let members) = value else { break }
            if let number = node["value"]?.number {
                if members["unit"] == .string("ms") { return .double(number / 1000) }
                if members["unit"] == .string("s") { return .double(number) }
            }
            report(.error, "expected a duration in ms or s, found \(value)", node.offset, key)
        case "number":
            if node.number == nil { report(.error, "expected a number, found \(value)", node.offset, key) }
        default: break
        }
        return value
    }

    private func color(_ value: CustomizationValue) -> RGBAColor? {
        switch value {
        case .string(let text): colors.color(text)
        case .dict(let members): ColorDialect.dtcg.color(members)
        default: nil
        }
    }
}
