import AshlarCustomization

/// Writes layers as resource files.
struct AndroidExporter {
    private let layers: [CustomizationLayer]
    private let typing: AndroidTyping
    /// The resource type of each key, by table; "string" if it is not the same in every layer.
    private var types: [String: [String: String]] = [:]
    private(set) var files: [AndroidResources.File] = []
    private(set) var diagnostics: [CustomizationDiagnostic] = []
    private var paths: Set<String> = []
    /// The key behind each name that Java code sees, for collisions.
    private var javaNames: [String: String] = [:]

    init(_ layers: [CustomizationLayer], typing: AndroidTyping) {
        self.layers = Self.merged(layers)
        self.typing = typing
    }

    /// The layers with those of one role joined, for a resource folder is one: the later one wins and gives its name.
    private static func merged(_ layers: [CustomizationLayer]) -> [CustomizationLayer] {
        var merged: [CustomizationLayer] = []
        for layer in layers {
            guard let index = merged.firstIndex(where: { $0.role == layer.role }) else {
                merged.append(layer)
                continue
            }
            var tables = merged[index].tables
            for (name, table) in layer.tables { tables[name] = tables[name]?.merging(table) ?? table }
            merged[index] = layer
            merged[index].tables = tables
        }
        return merged
    }

    mutating func run() {
        findTypes()
        for layer in layers {
            for (name, table) in layer.tables.sorted(by: { $0.key < $1.key }) where !table.isEmpty {
                write(table, named: name, of: layer)
            }
        }
    }

    private mutating func findTypes() {
        for layer in layers {
            for (name, table) in layer.tables {
                for entry in table {
                    guard let element = AndroidElement(entry.value, typing: typing, dialect: layer.colors) else {
                        continue
                    }
                    let earlier = types[name, default: [:]].updateValue(element.type, forKey: entry.key)
                    if let earlier, earlier != element.type { types[name, default: [:]][entry.key] = "string" }
                }
            }
        }
    }

    // MARK: Files

    private mutating func write(_ table: StringsTable, named name: String, of layer: CustomizationLayer) {
        let isDefault = name == CustomizationLayer.defaultTable
        let file = isDefault ? "strings" : AndroidNames.file(name)
        let path = "\(Self.folder(of: layer))/\(file).xml"
        guard paths.insert(path.lowercased()).inserted else {
            report(
                .error, .androidUnsupported, "\(path) is already taken by another layer; \(layer.id) is left out",
                CustomizationLocation(file: layer.id))
            return
        }
        let locale = layer.language.map { " tools:locale=\"\($0)\"" } ?? ""
        var text =
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!-- \(Self.marker(of: layer, table: name).comment) -->\n"
        text += "<resources xmlns:tools=\"http://schemas.android.com/tools\"\(locale)>\n"
        for entry in table { text += xml(entry, tableNamed: name, of: layer) }
        files.append(AndroidResources.File(path: path, text: text + "</resources>\n"))
    }

    private static func folder(of layer: CustomizationLayer) -> String {
        switch layer.role {
        case .base: "res/values"
        case .language(let language): "res/" + AndroidNames.folder(language)
        case .brand(let name): AndroidNames.file(name) + "/res/values"
        case .brandLanguage(let name, let language): AndroidNames.file(name) + "/res/" + AndroidNames.folder(language)
        case .theme(let name): "theme-" + AndroidNames.file(name) + "/res/values"
        case .override: "override/res/values"
        }
    }

    private static func marker(of layer: CustomizationLayer, table: String) -> AndroidMarker {
        var members: [(String, CustomizationValue)] = []
        switch layer.role {
        case .base(let language): members = [("role", .string("base")), ("language", .string(language.description))]
        case .language(let language):
            members = [("role", .string("language")), ("language", .string(language.description))]
        case .brand(let name): members = [("role", .string("brand")), ("name", .string(name))]
        case .brandLanguage(let name, let language):
            members = [
                ("role", .string("brand")), ("name", .string(name)), ("language", .string(language.description)),
            ]
        case .theme(let name): members = [("role", .string("theme")), ("name", .string(name))]
        case .override: members = [("role", .string("override"))]
        }
        members += [("layer", .string(layer.id)), ("table", .string(table))]
        if layer.colors != .ftCustomization { members.append(("colors", .string(layer.colors.androidName))) }
        if layer.resolvesAliases { members.append(("aliases", .bool(true))) }
        return AndroidMarker(members)
    }

    // MARK: Entries

    private mutating func xml(_ entry: CustomizationEntry, tableNamed table: String, of layer: CustomizationLayer)
        -> String
    {
        let types = types[table] ?? [:]
        let isTyped = types[entry.key] != "string"
        let element = AndroidElement(entry.value, typing: isTyped ? typing : .declared, dialect: layer.colors) {
            types[$0]
        }
        let name = AndroidNames.resource(entry.key, table: table)
        var members: [(String, CustomizationValue)] = []
        if AndroidNames.key(name, table: table) != entry.key { members.append(("key", .string(entry.key))) }
        if let element {
            if element.value != entry.value { members.append(("value", entry.value)) }
            checkName(name, element.type, entry)
            noteLosses(element, entry)
        } else {
            members = [("key", .string(entry.key)), ("value", entry.value), ("skipped", .bool(true))]
            report(
                .note, .androidUnsupported,
                "Android has no resource for this \(entry.value.typeName); it is kept in a comment",
                entry.location, key: entry.key)
        }
        var text = ""
        if let comment = entry.comment {
            if Self.isPlain(comment) {
                text += "    <!-- \(comment) -->\n"
            } else {
                members.append(("comment", .string(comment)))
            }
        }
        if !members.isEmpty { text += "    <!-- \(AndroidMarker(members).comment) -->\n" }
        return text + (element?.xml(name: name) ?? "")
    }

    /// Whether an XML comment can hold the text so that it is read back as it is.
    private static func isPlain(_ comment: String) -> Bool {
        let bytes = Array(comment.utf8)
        return !bytes.isEmpty && comment.trimmingSpace() == comment && !bytes.contains(UInt8(ascii: "\r"))
            && bytes.last != UInt8(ascii: "-") && !zip(bytes, bytes.dropFirst()).contains { $0 == 0x2D && $1 == 0x2D }
            && !comment.hasPrefix(AndroidMarker.prefix) && comment.unicodeScalars.allSatisfy(AndroidXML.isLegal)
    }

    /// Java code sees `.` and `-` of a name as `_`.
    private mutating func checkName(_ name: String, _ type: String, _ entry: CustomizationEntry) {
        let java = type + "/" + String(name.map { $0 == "." || $0 == "-" ? "_" : $0 })
        if let other = javaNames[java], other != name {
            report(
                .warning, .androidNameCollision,
                "Java code sees this key and \"\(AndroidNames.key(other))\" as one name",
                entry.location, key: entry.key)
        }
        javaNames[java] = name
    }

    private mutating func noteLosses(_ element: AndroidElement, _ entry: CustomizationEntry) {
        switch entry.value {
        case .string(let text) where text.utf8.contains(0):
            report(.warning, .androidUnsupported, "U+0000 is left out of the resource", entry.location, key: entry.key)
        case .dict(let members):
            if members[PluralMessage.Name.deviceRule] != nil || members[PluralMessage.Name.widthRule] != nil {
                report(
                    .note, .androidUnsupported, "Android has one text for all devices and widths", entry.location,
                    key: entry.key)
            }
            if case .plurals(let forms) = element, forms[.other] == nil {
                report(.error, .pluralMissingOther, "Android needs a text for other", entry.location, key: entry.key)
            }
        default: break
        }
    }

    private mutating func report(
        _ severity: CustomizationDiagnostic.Severity, _ code: CustomizationDiagnostic.Code, _ message: String,
        _ location: CustomizationLocation, key: String? = nil
    ) {
        diagnostics.append(CustomizationDiagnostic(severity, code, message, at: location, key: key))
    }
}
