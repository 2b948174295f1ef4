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
                    let element = XMLTree.Element(entry.value, name: "", typing: typing, dialect: layer.colors) { _ in
                        nil
                    }
                    guard let type = element?.resourceType else { continue }
                    let earlier = types[name, default: [:]].updateValue(type, forKey: entry.key)
                    if let earlier, earlier != type { types[name, default: [:]][entry.key] = "string" }
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
        let namespaces = XMLTree.Element.androidNamespaces.prefix(usesMarks ? 2 : 1)
        let text = """
            <?xml version="1.0" encoding="utf-8"?>
            <!-- \(AndroidMarker(layer: layer, table: name).comment) -->
            <resources\(namespaces.map { " \($0.name)=\"\($0.value)\"" }.joined())\(locale)>
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
        let element = XMLTree.Element(
            entry.value, name: name, typing: isTyped ? typing : .declared, dialect: layer.colors
        ) { key in
            isImported ? AndroidReference.named(key) : types[key].map { ($0, "@\($0)/" + AndroidNames.resource(key)) }
        }
        guard let element else {
            diagnostics.add(
                .note, .androidUnsupported, "Android has no resource for \(entry.value.typeName); a comment holds it",
                for: entry)
            let members: [(String, CustomizationValue)] = [("key", .string(entry.key)), ("value", entry.value)]
            return xml([], entry.comment, members + [("skipped", .bool(true))])
        }
        checkName(name, element.resourceType, entry)
        reportLosses(element, entry)
        let isSame = element.value(key: isImported ? { $0 } : AndroidNames.key)?.value == entry.value
        return xml([element], entry.comment, isSame ? key : key + [("value", entry.value)])
    }

    /// Returns a comment, a marker and the elements of an entry as XML.
    private func xml(
        _ elements: [XMLTree.Element], _ comment: String?, _ members: [(String, CustomizationValue)]
    ) -> String {
        var members = members
        let comment = xml(ofComment: comment, &members)
        let marker = members.isEmpty ? "" : "    <!-- \(AndroidMarker(members).comment) -->\n"
        return comment + marker + elements.map { "    \($0.xml)\n" }.joined()
    }

    /// Returns the XML of an entry whose comment contains the resource it was imported from.
    private mutating func sourceXML(
        _ source: AndroidSource, _ entry: CustomizationEntry, name: String, key: [(String, CustomizationValue)]
    ) -> String {
        var elements = source.elements
        for index in elements.indices { elements[index].set("name", to: name) }
        let original = elements[0].value()
        checkName(name, original == nil ? "string" : elements[0].resourceType, entry)
        if original?.value != entry.value {
            elements[0] = changed(elements[0], original?.losses ?? [], entry, name: name)
        }
        return xml(elements, source.comment, key)
    }

    /// Returns the element with a new value.
    private mutating func changed(
        _ node: XMLTree.Element, _ losses: [String], _ entry: CustomizationEntry, name: String
    ) -> XMLTree.Element {
        guard var new = XMLTree.Element(entry.value, name: name) else {
            diagnostics.add(
                .warning, .androidUnsupported, "Android has no resource for the new value; the original is written",
                for: entry)
            return node
        }
        // The items of plurals and arrays aren't markup.
        let isString = node.resourceType == "string"
        let hasMarkup = ([node] + node.elements).dropFirst(isString ? 0 : 1).contains(where: AndroidMarkup.hasMarkup)
        if case .string(let text) = entry.value, hasMarkup, isString,
            let content = AndroidMarkup.content(AndroidFormat.java(text))
        {
            new.children = content
        } else if hasMarkup {
            diagnostics.add(.warning, .androidChanged, "markup of the original is not in the new value", for: entry)
        }
        for loss in losses { diagnostics.add(.warning, .androidChanged, loss + " in the new value", for: entry) }
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

    private mutating func reportLosses(_ element: XMLTree.Element, _ entry: CustomizationEntry) {
        switch entry.value {
        case .string(let text) where text.utf8.contains(0):
            diagnostics.add(.warning, .androidUnsupported, "U+0000 is left out of the resource", for: entry)
        case .message(let message):
            if message.source != message.source(devices: []) {
                diagnostics.add(
                    .note, .androidUnsupported, "Android has one text for all devices and widths", for: entry)
            }
            if element.name == "plurals", !element.elements.contains(where: { $0["quantity"] == "other" }) {
                diagnostics.add(.error, .pluralMissingOther, "no text for category 'other'", for: entry)
            }
        default: break
        }
    }
}
