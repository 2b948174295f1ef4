public import AshlarCustomization

extension AndroidResources {
    /// Reads the files back into layers.
    ///
    /// Files of an export give back its layers, in the same order if the files are. In files of another origin `values` is
    /// the base language, `values-fr` a language, a folder above `res` a brand, and the name of the file without
    /// `strings.xml` the table. `%s` is read as `%@`. Elements of other types are left out and reported.
    ///
    /// - Parameter base: The language of `values` folders that do not say it.
    /// - Returns: The layers, and what was wrong in the files.
    public func layers(
        base: LanguageTag = "en"
    ) -> (layers: [CustomizationLayer], diagnostics: [CustomizationDiagnostic]) {
        var importer = AndroidImporter(base: base)
        for file in files { importer.read(file) }
        return (importer.layers, importer.diagnostics)
    }
}

/// Reads resource files into layers.
private struct AndroidImporter {
    let base: LanguageTag
    private(set) var layers: [CustomizationLayer] = []
    private(set) var diagnostics: [CustomizationDiagnostic] = []

    init(base: LanguageTag) { self.base = base }

    mutating func read(_ file: AndroidResources.File) {
        let source = SourceLines(file.text, file: file.path)
        let (root, comments, failure) = AndroidXML.read(file.text)
        if let failure {
            report(.error, failure.message, source.location(ofByte: failure.offset))
        }
        guard let root, root.name == "resources" else {
            if failure == nil { report(.error, "expected <resources>", CustomizationLocation(file: file.path)) }
            return
        }
        let header = comments.lazy.compactMap { AndroidMarker(comment: $0) }.first
        guard let place = place(file.path, root, header) else {
            report(
                .warning, "the folder is no language's; the file is left out", CustomizationLocation(file: file.path))
            return
        }
        let entries = self.entries(root, source, table: place.table, colors: place.layer.colors)
        let table = StringsTable(file: file.path, entries: entries)
        if let index = layers.firstIndex(where: { $0.id == place.layer.id && $0.role == place.layer.role }) {
            layers[index].tables[place.table] = layers[index].tables[place.table]?.merging(table) ?? table
        } else {
            var layer = place.layer
            layer.tables[place.table] = table
            layers.append(layer)
        }
    }

    // MARK: Layers

    private func place(
        _ path: String, _ root: AndroidXML.Node, _ header: AndroidMarker?
    ) -> (layer: CustomizationLayer, table: String)? {
        let parts = path.split(separator: "/").map(String.init)
        let fileName = parts.last.map { $0.hasSuffix(".xml") ? String($0.dropLast(4)) : $0 } ?? "strings"
        let table =
            header?.text("table")
            ?? (fileName == "strings" ? CustomizationLayer.defaultTable : AndroidNames.key(fileName))
        if let header, let role = role(header) {
            var layer = CustomizationLayer(id: header.text("layer") ?? role.description, role: role, tables: [:])
            layer.colors = header.text("colors").flatMap(ColorDialect.init(androidName:)) ?? .ftCustomization
            layer.resolvesAliases = header["aliases"] == .bool(true)
            return (layer, table)
        }
        let folder = parts.dropLast().last ?? "values"
        let language =
            root.attributes["tools:locale"].flatMap { LanguageTag($0) } ?? AndroidNames.language(ofFolder: folder)
        guard folder == "values" || AndroidNames.language(ofFolder: folder) != nil else { return nil }
        let above = parts.count >= 4 && parts[parts.count - 3] == "res" ? parts[parts.count - 4] : nil
        let brand = above == "main" ? nil : above
        let role: CustomizationLayer.Role =
            switch (brand, folder == "values") {
            case (nil, true): .base(language ?? base)
            case (nil, false): .language(language ?? base)
            case (let brand?, true): .brand(brand)
            case (let brand?, false): .brandLanguage(brand, language ?? base)
            }
        return (CustomizationLayer(id: parts.dropLast().joined(separator: "/"), role: role, tables: [:]), table)
    }

    private func role(_ header: AndroidMarker) -> CustomizationLayer.Role? {
        let language = header.text("language").flatMap { LanguageTag($0) }
        switch (header.text("role"), header.text("name"), language) {
        case ("base", _, let language?): return .base(language)
        case ("language", _, let language?): return .language(language)
        case ("brand", let name?, nil): return .brand(name)
        case ("brand", let name?, let language?): return .brandLanguage(name, language)
        case ("theme", let name?, _): return .theme(name)
        case ("override", _, _): return .override
        default: return nil
        }
    }

    // MARK: Entries

    private mutating func entries(
        _ root: AndroidXML.Node, _ source: SourceLines, table: String, colors: ColorDialect
    ) -> [CustomizationEntry] {
        var entries: [CustomizationEntry] = []
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
                if found["skipped"] == .bool(true), let key = found.text("key"), let value = found["value"] {
                    entries.append(
                        CustomizationEntry(
                            key: key, value: value, location: source.location(ofByte: offset),
                            comment: found.text("comment") ?? comment))
                    (comment, marker) = (nil, nil)
                } else {
                    marker = found
                }
            case .element(let node):
                defer { (comment, marker) = (nil, nil) }
                let location = source.location(ofByte: node.offset)
                guard let name = node.attributes["name"], let element = AndroidElement(node) else {
                    report(.warning, "<\(node.name)> is not read or not well-formed; it is left out", location)
                    continue
                }
                entries.append(
                    CustomizationEntry(
                        key: marker?.text("key") ?? AndroidNames.key(name, table: table),
                        value: value(element, marker, colors), location: location,
                        comment: marker?.text("comment") ?? comment))
            }
        }
        return entries
    }

    /// The exported value if the element still says the same, else the value of the element.
    private func value(_ element: AndroidElement, _ marker: AndroidMarker?, _ colors: ColorDialect)
        -> CustomizationValue
    {
        guard let value = marker?["value"] else { return element.value }
        let isUnchanged = [AndroidTyping.declared, .colors, .all].contains {
            AndroidElement(value, typing: $0, dialect: colors) { _ in element.type } == element
        }
        return isUnchanged ? value : element.value
    }

    private mutating func report(
        _ severity: CustomizationDiagnostic.Severity, _ message: String, _ location: CustomizationLocation
    ) {
        diagnostics.append(CustomizationDiagnostic(severity, .androidMalformed, message, at: location))
    }
}
