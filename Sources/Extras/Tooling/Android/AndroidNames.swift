import AshlarCustomization

/// Names of resources, folders and languages on Android.
enum AndroidNames {
    // MARK: Resource names

    /// Returns the resource name for a key; different keys have different names.
    ///
    /// Letters and digits (by Unicode's XID rules, which aapt2 uses), `_`, `.` and `-` don't change. Other scalars, and
    /// an underscore before an `x`, become `_xHHHH_` with the scalar's value.
    static func resource(_ key: String) -> String {
        guard !key.isEmpty else { return emptyKey }
        let scalars = Array(key.unicodeScalars)
        var name = String.UnicodeScalarView()
        for (index, scalar) in scalars.enumerated() {
            let isKept =
                switch scalar {
                case "_": scalars.dropFirst(index + 1).first != "x"
                case ".", "-": index > 0
                case _ where index == 0: isKnown(scalar) && scalar.properties.isXIDStart
                default: isKnown(scalar) && scalar.properties.isXIDContinue
                }
            if isKept {
                name.append(scalar)
            } else {
                name.append(contentsOf: "_x\(String(scalar.value, radix: 16, uppercase: true))_".unicodeScalars)
            }
        }
        return String(name)
    }

    /// Whether aapt2 accepts a name.
    static func isValid(_ name: String) -> Bool {
        guard let first = name.unicodeScalars.first, first == "_" || isKnown(first) && first.properties.isXIDStart
        else { return false }
        return name.unicodeScalars.allSatisfy { scalar in
            isKnown(scalar) && scalar.properties.isXIDContinue || scalar == "." || scalar == "-"
        }
    }

    /// Returns the resource name of a key, with the name of the table as a prefix unless it is the default table.
    ///
    /// Names are unique among all tables.
    static func resource(_ key: String, table: String) -> String { prefix(of: table) + resource(key) }

    /// Returns the key of a resource name in a table's file.
    static func key(_ name: String, table: String) -> String {
        let prefix = prefix(of: table)
        return key(name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name)
    }

    /// Returns the prefix for a table; only the name of an empty key contains `_x_`, so it ends the table's name.
    private static func prefix(of table: String) -> String {
        table == CustomizationLayer.defaultTable ? "" : resource(table) + emptyKey
    }

    /// Whether a scalar is in aapt2's tables, which are older than Swift's.
    private static func isKnown(_ scalar: Unicode.Scalar) -> Bool { (scalar.properties.age?.major ?? 99) <= 8 }

    /// Returns the key of a resource name; a name that an export doesn't produce is its own key.
    static func key(_ name: String) -> String {
        if name == emptyKey { return "" }
        var key = String.UnicodeScalarView()
        var rest = name.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if scalar == "_", rest.first == "x" {
                let digits = rest.dropFirst().prefix { $0 != "_" }
                if (1...6).contains(digits.count), digits.endIndex < rest.endIndex,
                    let value = UInt32(String(digits), radix: 16), let decoded = Unicode.Scalar(value)
                {
                    key.append(decoded)
                    rest = rest[rest.index(after: digits.endIndex)...]
                    continue
                }
            }
            key.append(scalar)
        }
        return String(key)
    }

    private static let emptyKey = "_x_"

    // MARK: Folders

    /// Returns `values`, `values-fr`, `values-fr-rCA` or `values-b+sr+Latn`; extensions of a tag are omitted.
    static func folder(_ language: LanguageTag?) -> String {
        guard let language else { return "values" }
        let code = oldCodes[language.language] ?? language.language
        let region = language.region
        let isPlain =
            code.utf8.count == 2 && language.script == nil && language.variants.isEmpty
            && (region?.utf8.count ?? 2) == 2
        if isPlain { return "values-" + code + (region.map { "-r" + $0 } ?? "") }
        let subtags = [code] + [language.script, region].compactMap { $0 } + language.variants
        return "values-b+" + subtags.joined(separator: "+")
    }

    /// Returns the language of a folder such as `values-fr-rCA`; `nil` if it has another qualifier or none.
    static func language(ofFolder name: String) -> LanguageTag? {
        guard name.hasPrefix("values-") else { return nil }
        let qualifier = name.dropFirst("values-".count)
        if qualifier.hasPrefix("b+") {
            return LanguageTag(qualifier.dropFirst(2).split(separator: "+").joined(separator: "-"))
        }
        let parts = qualifier.split(separator: "-", omittingEmptySubsequences: false)
        guard let language = parts.first, (2...3).contains(language.utf8.count), parts.count <= 2 else { return nil }
        guard parts.count == 2 else { return LanguageTag(String(language)) }
        guard parts[1].first == "r" else { return nil }
        return LanguageTag("\(language)-\(parts[1].dropFirst())")
    }

    /// Java's language codes from before 1989, which Android's folders still use.
    private static let oldCodes = ["he": "iw", "id": "in", "yi": "ji"]

    /// Returns a name for a file or folder; different names remain different on case-insensitive file systems.
    static func file(_ name: String) -> String {
        let kept = name.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "_")
        }
        return kept && !name.isEmpty && !name.contains("_x") ? name : resource(name).filter { $0 != "/" }
    }
}

/// Finds names that are the same in Java code, where `.` and `-` become `_`.
struct AndroidJavaNames {
    /// The resource name for each name in Java code.
    private var names: [String: String] = [:]

    mutating func collision(of name: String, type: String, _ entry: CustomizationEntry) -> CustomizationDiagnostic? {
        let java = type + "/" + String(name.map { $0 == "." || $0 == "-" ? "_" : $0 })
        guard let other = names.updateValue(name, forKey: java), other != name else { return nil }
        return CustomizationDiagnostic(
            .warning, .androidNameCollision,
            "Java code sees the same name for this key and \"\(AndroidNames.key(other))\"", at: entry.location,
            key: entry.key)
    }

    /// Returns the collision of an entry's resource with an earlier one.
    mutating func collision(of entry: CustomizationEntry, table: String) -> CustomizationDiagnostic? {
        let type: String
        switch entry.value {
        case .data, .dict: return nil
        case .string, .alias: type = "string"
        default: type = entry.value.typeName
        }
        return collision(of: AndroidNames.resource(entry.key, table: table), type: type, entry)
    }
}

/// The layer that a folder of resources belongs to: a language, a brand, or both.
struct AndroidPlace {
    /// The role of the folder's layer.
    let role: CustomizationLayer.Role

    /// Reads the path of a folder such as `app/src/acme/res/values-fr`; `nil` if it has another qualifier.
    ///
    /// - Parameters:
    ///   - folder: The path; a folder above `res` other than `main` is a brand.
    ///   - base: The language of `values`.
    ///   - locale: The language that the file specifies.
    init?(folder: String, base: LanguageTag, locale: LanguageTag? = nil) {
        let parts = folder.split(separator: "/").map(String.init)
        guard let name = parts.last, name == "values" || name.hasPrefix("values-") else { return nil }
        let isBase = name == "values"
        guard let language = isBase ? locale ?? base : AndroidNames.language(ofFolder: name) else { return nil }
        let above = parts.count >= 3 && parts[parts.count - 2] == "res" ? parts[parts.count - 3] : nil
        role =
            switch (above == "main" ? nil : above, isBase) {
            case (nil, true): .base(language)
            case (nil, false): .language(language)
            case (let brand?, true): .brand(brand)
            case (let brand?, false): .brandLanguage(brand, language)
            }
    }

    /// Whether a layer was imported from a resource folder, whose name is the layer's identifier.
    ///
    /// Such a layer is exported to the same folder, and its keys are the names of its resources.
    static func isImported(_ layer: CustomizationLayer) -> Bool {
        guard let place = AndroidPlace(folder: layer.id, base: layer.language ?? "en") else { return false }
        return place.role == layer.role
    }

    /// Returns the folder that a layer is exported to.
    static func folder(of layer: CustomizationLayer) -> String {
        if isImported(layer) { return layer.id }
        switch layer.role {
        case .base: return "res/values"
        case .language(let language): return "res/" + AndroidNames.folder(language)
        case .brand(let name): return AndroidNames.file(name) + "/res/values"
        case .brandLanguage(let name, let language):
            return AndroidNames.file(name) + "/res/" + AndroidNames.folder(language)
        case .theme(let name): return "theme-" + AndroidNames.file(name) + "/res/values"
        case .override: return "override/res/values"
        }
    }
}
