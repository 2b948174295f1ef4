// The one public declaration of the core that this module exports: apps read fonts from the configuration, too.
@_exported public import struct AshlarCore.FontSpec

extension Customization {
    /// The problems of reads of this snapshot: missing keys and malformed values, without duplicates.
    public var problems: [CustomizationDiagnostic] { storage.problemList }

    /// Stores a problem of a read, and calls the policy's hook.
    func report(_ problem: CustomizationDiagnostic) { storage.report(problem) }

    // MARK: Text

    /// Returns the text of a key, or the policy's text if no layer defines it.
    ///
    /// Numbers, booleans and colors are also read as text. An empty text is valid.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - table: The table's name; `Localizable` if nil.
    /// - Returns: The text.
    public func string(_ key: String, table: String? = nil) -> String {
        do {
            return try value(CustomizationKey<String>(key, table: table))
        } catch {
            report(error.diagnostic)
            return policy.text(for: key, in: table ?? CustomizationLayer.defaultTable)
        }
    }

    // MARK: Values by name

    /// The value of a key; nil if no layer defines it or it can't be read as the type.
    ///
    /// A malformed value is reported in ``problems``; a missing key isn't.
    ///
    /// - Parameter key: The key with its type.
    public subscript<Value: CustomizationReadable>(key: CustomizationKey<Value>) -> Value? {
        do {
            return try value(key)
        } catch {
            if error.code != .missing { report(error.diagnostic) }
            return nil
        }
    }

    /// Returns the value of a key.
    ///
    /// - Parameter key: The key with its type.
    /// - Returns: The value.
    /// - Throws: ``CustomizationError`` with the code `missing`, `malformed` or `cycle`.
    public func value<Value: CustomizationReadable>(_ key: CustomizationKey<Value>) throws(CustomizationError) -> Value
    {
        let (table, number, target) = try find(key.name, table: key.table)
        let reading = table.reading(of: number, target, numbers: policy.numbers)
        if let value = Value(reading) { return value }
        throw CustomizationError(
            .malformed, key: key.name, table: key.table, expected: CustomizationError.name(of: Value.self),
            found: reading.value, location: table.location(of: target))
    }

    /// Returns the number of a key's entry, and the entry with its value after following aliases.
    func find(
        _ key: String, table name: String?
    ) throws(CustomizationError) -> (table: ComposedTable, number: Int, target: ComposedTable.Entry) {
        guard let table = storage.table(name), let number = table.number(of: key) else {
            throw CustomizationError(.missing, key: key, table: name)
        }
        let entry = table.entries[number]
        guard let target = entry.target else {
            let (aliases, end) = table.aliasPath(of: number)
            throw CustomizationError(
                end == nil ? .missing : .cycle, key: key, table: name, location: table.location(of: entry),
                aliases: aliases)
        }
        // The base language's text, although another language is selected.
        if policy.reportsFallbacks, storage.selection.hasLanguage,
            case .base = storage.layers[table.layer(of: entry)].role
        {
            report(
                CustomizationDiagnostic(
                    .note, .fallback, "\"\(key)\" is defined in the base language \(baseLanguage) only",
                    at: table.location(of: entry), key: key))
        }
        return (table, number, table.entries[target])
    }

    /// Returns the value of a key, or the default if no layer defines it or it can't be read as the type.
    private func read<Value: CustomizationReadable>(_ key: String, _ table: String?, default: Value) -> Value {
        do {
            return try value(CustomizationKey<Value>(key, table: table))
        } catch {
            report(error.diagnostic)
            return `default`
        }
    }

    /// Returns an integer, or the default if no layer defines the key or its value is malformed, which is reported.
    public func int(_ key: String, default: Int = 0, table: String? = nil) -> Int {
        read(key, table, default: `default`)
    }

    /// Returns a number, or the default if no layer defines the key or its value is malformed, which is reported.
    public func double(_ key: String, default: Double = 0, table: String? = nil) -> Double {
        read(key, table, default: `default`)
    }

    /// Returns a boolean, or the default if no layer defines the key or its value is malformed, which is reported.
    public func bool(_ key: String, default: Bool = false, table: String? = nil) -> Bool {
        read(key, table, default: `default`)
    }

    /// Returns a color, or the default if no layer defines the key or its value is malformed, which is reported.
    public func color(_ key: String, default: RGBAColor = .black, table: String? = nil) -> RGBAColor {
        read(key, table, default: `default`)
    }

    /// Returns a color for a light or a dark appearance.
    ///
    /// The dark color is that of the key with `~dark` at its end, such as `defaultBackgroundColor~dark`. Without it, the color is
    /// the same in both.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - isDark: Whether the appearance is dark.
    /// - Returns: The color; black if no layer defines the key or its value is malformed, which is reported in `problems`.
    public func color(_ key: String, isDark: Bool) -> RGBAColor {
        (isDark ? self[CustomizationKey<RGBAColor>(key + "~dark")] : nil) ?? color(key)
    }

    /// Returns the font with the name at the key and the size at the key with `Size`.
    ///
    /// A dictionary with `name` and `size` is also valid. Without a name, the font is the system font. A size that is
    /// missing or less than 1 is replaced by 15. If neither exists, the key is reported in ``problems``.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - table: The table's name; `Localizable` if nil.
    /// - Returns: The font.
    public func font(_ key: String, table: String? = nil) -> FontSpec {
        func exists(_ name: String) -> Bool {
            guard let entry = entry(name, table: table) else { return false }
            if name == key, case .dict = entry.value { return false }
            return true
        }
        let nameKey = [key, key + ".name"].first(where: exists)
        let sizeKey = [key + "Size", key + ".size"].first(where: exists)
        if nameKey == nil, sizeKey == nil { report(CustomizationError(.missing, key: key, table: table).diagnostic) }
        let name = nameKey.flatMap { self[CustomizationKey<String>($0, table: table)] }
        let size = sizeKey.flatMap { self[CustomizationKey<Double>($0, table: table)] } ?? 0
        return FontSpec(name: name?.isEmpty == true ? nil : name, size: size < 1 ? 15 : size)
    }
}

extension ComposedTable {
    /// Returns the value of an entry for a typed read.
    ///
    /// A color in DB5's dialect has the alpha of the key `nameAlpha`. The color and the alpha can come from different
    /// themes, and an alias of a color can have its own alpha.
    fileprivate func reading(of number: Int, _ target: Entry, numbers: NumberSpelling) -> CustomizationReading {
        let colors = sources[target.source].colors
        var reading = CustomizationReading(value: value(of: target), colors: colors, numbers: numbers)
        if colors == .db5 { reading.alpha = alpha(of: target, numbers) }
        let entry = entries[number]
        if entry.alias != nil, sources[entry.source].colors == .db5 { reading.alpha *= alpha(of: entry, numbers) }
        return reading
    }

    private func alpha(of entry: Entry, _ numbers: NumberSpelling) -> Float {
        guard let end = number(of: entry.key + "Alpha").flatMap({ entries[$0].target }),
            let alpha = value(of: entries[end]).double(numbers)
        else { return 1 }
        return Float(min(max(alpha, 0), 1))
    }
}
