import AshlarCustomization
import AshlarTrees

/// Converts resource files to layers.
struct AndroidImporter {
    let base: LanguageTag
    private(set) var layers: [CustomizationLayer] = []
    private(set) var diagnostics: [CustomizationDiagnostic] = []

    init(base: LanguageTag) { self.base = base }

    mutating func read(_ file: AndroidResources.File) {
        let source = SourceText(utf8: Array(file.text.utf8), file: file.path)
        let document = XMLTree(parsing: file.text)
        if let failure = document.failure {
            diagnostics.add(.error, .androidMalformed, failure.message, at: source.location(ofByte: failure.offset))
        }
        guard let root = document.root, root.name == "resources" else {
            if document.failure == nil {
                diagnostics.add(
                    .error, .androidMalformed, "expected <resources>", at: CustomizationLocation(file: file.path))
            }
            return
        }
        let header = document.comments.lazy.compactMap { AndroidMarker(comment: $0) }.first
        guard let (layer, table) = place(file.path, root, header) else {
            for node in root.elements where node["name"] != nil {
                diagnostics.add(
                    .warning, .androidNotImported, "the folder is not one of a language",
                    at: source.location(ofByte: node.offset), key: node["name"])
            }
            return
        }
        var reader = AndroidFileReader(
            source: source, table: table, colors: layer.colors, isForeign: AndroidPlace.isImported(layer))
        reader.read(root)
        diagnostics += reader.diagnostics
        let new = StringsTable(file: file.path, entries: reader.entries)
        if let index = layers.firstIndex(where: { $0.id == layer.id && $0.role == layer.role }) {
            let earlier = layers[index].tables[table]
            layers[index].tables[table] = earlier.map { $0.merging(new) } ?? new
        } else {
            layers.append(layer)
            layers[layers.count - 1].tables[table] = new
        }
    }

    /// Returns the layer and table of a file, from its marker, or else from its path.
    private func place(
        _ path: String, _ root: XMLTree.Element, _ header: AndroidMarker?
    ) -> (layer: CustomizationLayer, table: String)? {
        let parts = path.split(separator: "/").map(String.init)
        let fileName = String((parts.last ?? "").dropLast(".xml".utf8.count))
        let isDefault = fileName == "strings"
        if let header, let role = header.role {
            var layer = CustomizationLayer(id: header.text("layer") ?? role.description, role: role, tables: [:])
            layer.colors = header.text("colors").flatMap(ColorDialect.init(markerName:)) ?? .ftCustomization
            layer.resolvesAliases = header["aliases"] == .bool(true)
            let table = header.text("table")
            return (layer, table ?? (isDefault ? CustomizationLayer.defaultTable : AndroidNames.key(fileName)))
        }
        let folder = parts.dropLast().joined(separator: "/")
        let locale = root["tools:locale"].flatMap { LanguageTag($0) }
        guard let place = AndroidPlace(folder: folder, base: base, locale: locale) else { return nil }
        let layer = CustomizationLayer(id: folder, role: place.role, tables: [:])
        return (layer, isDefault ? CustomizationLayer.defaultTable : fileName)
    }
}

/// Converts the elements of one resource file to entries.
private struct AndroidFileReader {
    let source: SourceText
    let table: String
    let colors: ColorDialect
    /// Whether the names of the resources are used as keys.
    let isForeign: Bool
    var items: [(entry: CustomizationEntry, source: AndroidSource, isImplied: Bool)] = []
    var diagnostics: [CustomizationDiagnostic] = []
    /// The items of the resource names.
    var indices: [String: Int] = [:]

    /// The entries, with the elements in the comments of those whose value alone can't restore them.
    var entries: [CustomizationEntry] {
        items.map { entry, source, isImplied in
            var entry = entry
            entry.comment = isImplied ? source.comment : source.text
            return entry
        }
    }

    mutating func add(
        _ key: String, _ value: CustomizationValue, at location: CustomizationLocation, comment: String?,
        _ node: XMLTree.Element? = nil, isImplied: Bool = true
    ) {
        let entry = CustomizationEntry(key: key, value: value, location: location)
        items.append((entry, AndroidSource(comment: comment, elements: node.map { [$0] } ?? []), isImplied))
    }

    mutating func read(_ root: XMLTree.Element) {
        var comment: String?
        var marker: AndroidMarker?
        for child in root.children {
            switch child {
            case .text: continue
            case .comment(let text, let offset):
                guard let found = AndroidMarker(comment: text) else {
                    comment = text.trimmingSpace()
                    continue
                }
                marker = found
                guard found["skipped"] == .bool(true), let key = found.text("key"), let value = found["value"] else {
                    continue
                }
                add(key, value, at: source.location(ofByte: offset), comment: found.text("comment") ?? comment)
                comment = nil
                marker = nil
            case .element(let node):
                read(node.declaringNamespaces(of: root), marker, comment)
                comment = nil
                marker = nil
            }
        }
    }

    private mutating func read(_ node: XMLTree.Element, _ marker: AndroidMarker?, _ comment: String?) {
        // They have no values.
        if ["eat-comment", "skip"].contains(node.name) { return }
        let location = source.location(ofByte: node.offset)
        guard let name = node["name"] else {
            return diagnostics.add(.warning, .androidMalformed, "<\(node.name)> has no name", at: location)
        }
        let key = marker?.text("key") ?? (isForeign ? name : AndroidNames.key(name, table: table))
        if let index = indices[name] { return addVariant(node, to: index, location) }
        guard let (value, losses) = node.value(key: resourceKey) else {
            let type = node.name == "item" ? node["type"] ?? "item" : node.name
            return diagnostics.add(.warning, .androidNotImported, "<\(type)> is not imported", at: location, key: key)
        }
        for loss in losses where marker?["value"] == nil {
            diagnostics.add(.warning, .androidChanged, loss, at: location, key: key)
        }
        indices[name] = items.count
        add(
            key, exported(marker, value) ?? value, at: location, comment: marker?.text("comment") ?? comment, node,
            isImplied: !isForeign || AndroidSource.isImplied(node, by: value, name: name))
    }

    /// Adds another element with the same name: a variant for a product, or a resource of another type.
    private mutating func addVariant(_ node: XMLTree.Element, to index: Int, _ location: CustomizationLocation) {
        items[index].isImplied = false
        let product = node["product"].map { "product \"\($0)\"" }
        let isOther = items[index].source.elements.first.map { $0.name != node.name } == true
        diagnostics.add(
            .note, .androidNotImported,
            isOther
                ? "<\(node.name)> has the name of another resource; only an export to Android contains it"
                : "only an export to Android contains the variant for \(product ?? "the default product")",
            at: location, key: items[index].entry.key)
        func isDefault(_ node: XMLTree.Element) -> Bool { [nil, "default"].contains(node["product"]) }
        // A copy of the elements would make each addition copy all of them.
        let isFirstDefault = isDefault(node) && !items[index].source.elements.contains(where: isDefault)
        if isFirstDefault, let (value, _) = node.value() {
            items[index].source.elements.insert(node, at: 0)
            items[index].entry.value = value
        } else {
            items[index].source.elements.append(node)
        }
    }

    /// Returns the exported value if a resource of it still has the same value.
    private func exported(_ marker: AndroidMarker?, _ value: CustomizationValue) -> CustomizationValue? {
        guard let exported = marker?["value"] else { return nil }
        let isUnchanged = [AndroidTyping.declared, .colors, .all].contains { typing in
            let written = XMLTree.Element(exported, name: "", typing: typing, dialect: colors)
            return written?.value(key: resourceKey)?.value == value
        }
        return isUnchanged ? exported : nil
    }

    private func resourceKey(_ name: String) -> String { isForeign ? name : AndroidNames.key(name) }
}
