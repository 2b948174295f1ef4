import AshlarCustomization
import AshlarTrees

extension SwiftKeys {
    private static let properties = [
        "title": "title", "text": "text", "placeholder": "placeholder", "placeholderString": "placeholderString",
        "headerTitle": "headerTitle", "footerTitle": "footerTitle", "prompt": "prompt", "label": "label",
        "paletteLabel": "paletteLabel", "alternateTitle": "alternateTitle", "toolTip": "ibShadowedToolTip",
    ]

    /// Finds the keys of an interface file: those of the texts of its objects, such as `2Qz-aB-cde.normalTitle`.
    ///
    /// - Parameters:
    ///   - interface: The text of a `.xib` or `.storyboard` file.
    ///   - file: The file's path; its name is the name of the table.
    /// - Complexity: O(*n*) in the length of the text.
    public init(interface: String, file: String) {
        self.init()
        let name = file.split(separator: "/").last ?? ""
        let table = String(name.split(separator: ".").first ?? name)
        let lines = SourceText(utf8: Array(interface.utf8), file: file)
        func add(_ element: XMLTree.Element, id: String, path: String) {
            var (id, path) = (id, path)
            if let own = element["id"] {
                (id, path) = (own, "")
                objects[table, default: []].insert(own)
            } else if let key = element["key"], element.name != "string" {
                path += key + "."
            }
            func use(_ key: String, _ value: String) {
                guard !id.isEmpty, !value.isEmpty else { return }
                uses.append(
                    Use(
                        key: id + "." + key, table: table, value: value,
                        location: lines.location(ofByte: element.offset)))
            }
            for attribute in element.attributes {
                guard let property = Self.properties[attribute.name] else { continue }
                let isState = element.name == "state" && attribute.name == "title"
                use(isState ? path.dropLast() + "Title" : path + property, attribute.value)
            }
            if element.name == "string", let key = element["key"], Self.properties[key] != nil {
                use(path + key, element.text)
            }
            for (number, child) in element.elements.enumerated() {
                if child.name == "segment", let title = child["title"] {
                    use("segmentTitles[\(number)]", title)
                } else {
                    add(child, id: id, path: path)
                }
            }
        }
        if let root = XMLTree(parsing: interface, maximumDepth: 128).root { add(root, id: "", path: "") }
    }
}

extension TranslationCatalog {
    /// Adds the keys that a program uses, and marks unused keys as stale.
    ///
    /// A new key has the text of the call as its source, if the call states one. A key of an interface file isn't added
    /// to a table that doesn't exist, because the interface itself contains the text.
    ///
    /// - Parameter keys: The keys of all source files.
    /// - Complexity: O(*n*) in the number of keys and uses.
    public mutating func update(_ keys: [SwiftKeys]) {
        var index = UnitIndex(units)
        var used = Set<Int>()
        let tables = Set(units.map(\.table))
        var objects: [String: Set<Substring>] = [:]
        for (table, ids) in keys.flatMap(\.objects) { objects[table, default: []].formUnion(ids.map { $0[...] }) }
        // Keys with placeholders, found by the text around them.
        var patterns: [String: [Int]] = [:]
        for (number, unit) in units.enumerated() where unit.key.utf8.contains(UInt8(ascii: "%")) {
            patterns[Self.pattern(unit.table, unit.key), default: []].append(number)
        }
        for source in keys {
            for use in source.uses {
                var known = index.forms(use.table, use.key)
                if known.isEmpty, use.hasGuessedTypes { known = patterns[Self.pattern(use.table, use.key)] ?? [] }
                if known.isEmpty {
                    guard source.objects.isEmpty || tables.contains(use.table) else { continue }
                    let unit = TranslationUnit(table: use.table, key: use.key, source: use.value)
                    known = [index.unit(unit, in: &units)]
                }
                for number in known { units[number].note = units[number].note ?? use.comment }
                used.formUnion(known)
            }
        }
        for number in units.indices {
            let object = units[number].key.prefix { $0 != "." }
            units[number].isStale = !used.contains(number) && objects[units[number].table]?.contains(object) != true
        }
    }

    private static func pattern(_ table: String, _ key: String) -> String {
        PrintfFormat(key).segments.reduce(into: table + "\u{0}") { text, segment in
            if case .literal(let literal) = segment { text += literal } else { text += "\u{0}" }
        }
    }
}
