import AshlarCore
import AshlarCustomization
import AshlarTrees

/// Writes layers as resource files.
struct AndroidExporter {
    private let typing: AndroidTyping
    private var layers: [CustomizationLayer] = []
    /// The resource type of each key, by table; "string" if the layers have different types.
    private var types: [String: [String: String]] = [:]
    private(set) var files: [AndroidResources.File] = []
    private(set) var diagnostics: [CustomizationDiagnostic] = []
    private var paths: Set<String> = []
    private var javaNames = AndroidJavaNames()

    init(_ layers: [CustomizationLayer], typing: AndroidTyping) {
        self.typing = typing
        for layer in layers { add(layer) }
        findTypes()
    }

    mutating func run() {
        for layer in layers {
            for (name, table) in layer.tables.sorted(by: { $0.key < $1.key }) where !table.isEmpty {
                write(table, named: name, of: layer)
            }
        }
    }

    /// Adds a layer; layers with the same folder are merged, and the last one wins and gives the layer its name.
    private mutating func add(_ layer: CustomizationLayer) {
        let folder = AndroidPlace.folder(of: layer)
        guard let index = layers.firstIndex(where: { AndroidPlace.folder(of: $0) == folder }) else {
            layers.append(layer)
            return
        }
        let earlier = layers[index]
        diagnostics.add(
            .note, .androidMergedLayers, "\(earlier.id) and \(layer.id) share the folder \(folder); \(layer.id) wins",
            at: CustomizationLocation(file: layer.id))
        var tables = earlier.tables
        for (name, table) in layer.tables {
            for entry in table {
                guard let other = tables[name]?.entry(entry.key), other.value != entry.value else { continue }
                diagnostics.add(
                    .warning, .androidMergedLayers, "the value is replaced by the one at \(entry.location)",
                    at: other.location, key: entry.key)
            }
            tables[name] = tables[name]?.merging(table) ?? table
        }
        layers[index] = layer
        layers[index].tables = tables
    }

    private mutating func findTypes() {
        for layer in layers where !AndroidPlace.isImported(layer) {
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
        let isImported = AndroidPlace.isImported(layer)
        let file =
            name == CustomizationLayer.defaultTable ? "strings" : isImported ? name : AndroidNames.file(name)
        let path = "\(AndroidPlace.folder(of: layer))/\(file).xml"
        guard paths.insert(path.lowercased()).inserted else {
            diagnostics.add(
                .error, .androidUnsupported, "another layer is written to \(path); \(layer.id) is left out",
                at: CustomizationLocation(file: layer.id))
            return
        }
        let locale = layer.language.map { " tools:locale=\"\($0)\"" } ?? ""
        var (body, usesMarks) = ("", false)
        for entry in table {
            let xml = xml(entry, tableNamed: name, of: layer, isImported: isImported)
            usesMarks = usesMarks || xml.contains("<xliff:")
            body += xml
        }
        let namespaces = XMLTree.Element.androidNamespaces.filter { $0.0 == "tools" || usesMarks }
        let text = """
            <?xml version="1.0" encoding="utf-8"?>
            <!-- \(AndroidMarker(layer: layer, table: name).comment) -->
            <resources\(namespaces.map { " xmlns:\($0)=\"\($1)\"" }.joined())\(locale)>
            \(body)</resources>

            """
        files.append(AndroidResources.File(path: path, text: text))
    }

    // MARK: Entries

    /// Returns the XML of an entry; `isImported` if its layer was imported from Android.
    private mutating func xml(
        _ entry: CustomizationEntry, tableNamed table: String, of layer: CustomizationLayer, isImported: Bool
    ) -> String {
        let name: String
        let hasOwnName: Bool
        if isImported {
            name = AndroidNames.isValid(entry.key) ? entry.key : AndroidNames.resource(entry.key)
            hasOwnName = name == entry.key
        } else {
            name = AndroidNames.resource(entry.key, table: table)
            hasOwnName = AndroidNames.key(name, table: table) == entry.key
        }
        let key: [(String, CustomizationValue)] = hasOwnName ? [] : [("key", .string(entry.key))]
        let source = AndroidSource(entry.comment)
        if !source.elements.isEmpty { return sourceXML(source, entry, name: name, key: key) }
        let types = types[table] ?? [:]
        let isTyped = !isImported && types[entry.key] != "string"
        let element = AndroidElement(entry.value, typing: isTyped ? typing : .declared, dialect: layer.colors) { key in
            isImported ? AndroidReference.named(key) : types[key].map { ($0, "@\($0)/" + AndroidNames.resource(key)) }
        }
        let isSame = element.map { $0.value(key: isImported ? { $0 } : AndroidNames.key).value == entry.value } == true
        return xml(element, entry, name: name, comment: entry.comment, members: key, isSame: isSame)
    }

    private mutating func xml(
        _ element: AndroidElement?, _ entry: CustomizationEntry, name: String, comment: String?,
        members: [(String, CustomizationValue)], isSame: Bool
    ) -> String {
        var members = members
        if let element {
            if !isSame { members.append(("value", entry.value)) }
            checkName(name, element.type, entry)
            reportLosses(element, entry)
        } else {
            members = [("key", .string(entry.key)), ("value", entry.value), ("skipped", .bool(true))]
            diagnostics.add(
                .note, .androidUnsupported, "Android has no resource for \(entry.value.typeName); a comment holds it",
                for: entry)
        }
        let comment = xml(ofComment: comment, &members)
        let marker = members.isEmpty ? "" : "    <!-- \(AndroidMarker(members).comment) -->\n"
        return comment + marker + (element?.xml(name: name) ?? "")
    }

    /// Returns the XML of an entry whose comment contains the resource it was imported from.
    private mutating func sourceXML(
        _ source: AndroidSource, _ entry: CustomizationEntry, name: String, key: [(String, CustomizationValue)]
    ) -> String {
        var (source, members) = (source, key)
        for index in source.elements.indices { source.elements[index].set("name", to: name) }
        let original = source.element
        let isUnchanged = original.map { $0.value { $0 }.value == entry.value } == true
        if !isUnchanged { source.elements[0] = changed(source.elements[0], original, entry, name: name) }
        checkName(name, original?.type ?? "string", entry)
        let comment = xml(ofComment: source.comment, &members)
        let marker = members.isEmpty ? "" : "    <!-- \(AndroidMarker(members).comment) -->\n"
        return comment + marker + source.xml
    }

    /// Returns the element with a new value.
    private mutating func changed(
        _ node: XMLTree.Element, _ original: AndroidElement?, _ entry: CustomizationEntry, name: String
    ) -> XMLTree.Element {
        var element = AndroidElement(
            entry.value, typing: .declared, dialect: .ftCustomization, reference: AndroidReference.named)
        if case .markup? = original, case .string(let text)? = element, AndroidMarkup.xml(text) != nil {
            element = .markup(text)
        } else if AndroidMarkup.hasMarkup(node) || node.elements.contains(where: AndroidMarkup.hasMarkup) {
            diagnostics.add(.warning, .androidChanged, "markup of the original is not in the new value", for: entry)
        }
        for loss in original?.value(key: { $0 }).losses ?? [] {
            diagnostics.add(.warning, .androidChanged, loss + " in the new value", for: entry)
        }
        guard let element, var new = XMLTree(parsing: element.xml(name: name)).root else {
            diagnostics.add(
                .warning, .androidUnsupported, "Android has no resource for the new value; the original is written",
                for: entry)
            return node
        }
        for attribute in node.attributes where new[attribute.name] == nil && attribute.name != "formatted" {
            if node.name == new.name { new.attributes.append(attribute) }
        }
        return new
    }

    /// Returns a comment as XML; a comment that XML can't contain is added to the members of the marker.
    private func xml(ofComment comment: String?, _ members: inout [(String, CustomizationValue)]) -> String {
        guard let comment else { return "" }
        let bytes = Array(comment.utf8)
        let isPlain =
            !bytes.isEmpty && comment.trimmingSpace() == comment && !bytes.contains(UInt8(ascii: "\r"))
            && bytes.last != UInt8(ascii: "-") && !comment.contains("--")
            && !comment.hasPrefix(AndroidMarker.prefix) && comment.unicodeScalars.allSatisfy(XMLText.isLegal)
        if isPlain { return "    <!-- \(comment) -->\n" }
        members.append(("comment", .string(comment)))
        return ""
    }

    // MARK: Diagnostics

    private mutating func checkName(_ name: String, _ type: String, _ entry: CustomizationEntry) {
        if let collision = javaNames.collision(of: name, type: type, entry) { diagnostics.append(collision) }
    }

    private mutating func reportLosses(_ element: AndroidElement, _ entry: CustomizationEntry) {
        switch entry.value {
        case .string(let text) where text.utf8.contains(0):
            diagnostics.add(.warning, .androidUnsupported, "U+0000 is left out of the resource", for: entry)
        case .message(let message):
            if message.source != message.source(devices: []) {
                diagnostics.add(
                    .note, .androidUnsupported, "Android has one text for all devices and widths", for: entry)
            }
            if case .plurals(let forms) = element, forms[.other] == nil {
                diagnostics.add(.error, .pluralMissingOther, "no text for category 'other'", for: entry)
            }
        default: break
        }
    }
}
