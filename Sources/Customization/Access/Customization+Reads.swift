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
    @inline(__always)
    public func string(_ key: String, table: String? = nil) -> String {
        if let composed = storage.table(table) {
            let slot = composed.slot(key)
            if slot >= 0, let text = composed.text(of: slot),
                !(storage.policy.reportsFallbacks && composed.isFallback(slot))
            {
                return text
            }
        }
        return slowString(key, table)
    }

    @inline(never)
    private func slowString(_ key: String, _ table: String?) -> String {
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
        let reading = try self.reading(key.name, table: key.table)
        guard let value = Value(reading.reading) else {
            throw CustomizationError(
                .malformed, key: key.name, table: key.table ?? CustomizationLayer.defaultTable,
                expected: Value.customizationTypeName, found: reading.reading.value, location: reading.location)
        }
        return value
    }

    /// Returns the value of a key after resolving its aliases.
    func reading(
        _ key: String, table: String?
    ) throws(CustomizationError) -> (reading: CustomizationReading, location: CustomizationLocation) {
        let name = table ?? CustomizationLayer.defaultTable
        guard let composed = storage.table(table) else { throw CustomizationError(.missing, key: key, table: name) }
        let slot = composed.slot(key)
        guard slot >= 0 else { throw CustomizationError(.missing, key: key, table: name) }
        let winner = composed.resolvedEntry(of: slot)
        guard let target = composed.target(of: slot) else {
            switch composed.aliasProblems[slot] {
            case .cycle(let path)?:
                throw CustomizationError(.cycle, key: key, table: name, location: winner.entry.location, aliases: path)
            case .dangling(let path)?:
                throw CustomizationError(
                    .missing, key: key, table: name, location: winner.entry.location, aliases: path)
            case nil:
                throw CustomizationError(.missing, key: key, table: name, location: winner.entry.location)
            }
        }
        if policy.reportsFallbacks, composed.isFallback(slot) {
            report(
                CustomizationDiagnostic(
                    .note, .fallback, "\"\(key)\" is defined in the base language \(baseLanguage) only",
                    at: winner.entry.location, key: key))
        }
        let layer = storage.layers[composed.layer(of: target)]
        var value = composed.value(of: target)
        if layer.resolvesAliases, case .string = value, let text = composed.text(of: target) { value = .string(text) }
        let reading = CustomizationReading(
            value: value, colors: layer.colors, numbers: policy.numbers, typed: composed.typed(of: target))
        return (reading, composed.resolvedEntry(of: target).entry.location)
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

    /// Returns the interpretations of a key's value; nil if it is only a text, or if the read has a problem to report.
    @inline(__always)
    private func typed(_ key: String, _ table: String?) -> ComposedTable.Typed? {
        guard let composed = storage.table(table) else { return nil }
        let slot = composed.slot(key)
        guard slot >= 0, !(storage.policy.reportsFallbacks && composed.isFallback(slot)) else { return nil }
        return composed.typed(of: slot)
    }

    /// Returns an integer, or the default if no layer defines the key or its value is malformed, which is reported.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - default: The result if the read fails.
    ///   - table: The table's name; `Localizable` if nil.
    /// - Returns: The number.
    public func int(_ key: String, default: Int = 0, table: String? = nil) -> Int {
        if let typed = typed(key, table), typed.parts.contains(.int), let int = Int(exactly: typed.int) { return int }
        return read(key, table, default: `default`)
    }

    /// Returns a number, or the default if no layer defines the key or its value is malformed, which is reported.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - default: The result if the read fails.
    ///   - table: The table's name; `Localizable` if nil.
    /// - Returns: The number.
    public func double(_ key: String, default: Double = 0, table: String? = nil) -> Double {
        if let typed = typed(key, table), typed.parts.contains(.double) { return typed.double }
        return read(key, table, default: `default`)
    }

    /// Returns a number, or the default if no layer defines the key or its value is malformed, which is reported.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - default: The result if the read fails.
    ///   - table: The table's name; `Localizable` if nil.
    /// - Returns: The number.
    public func float(_ key: String, default: Float = 0, table: String? = nil) -> Float {
        read(key, table, default: `default`)
    }

    /// Returns a boolean, or the default if no layer defines the key or its value is malformed, which is reported.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - default: The result if the read fails.
    ///   - table: The table's name; `Localizable` if nil.
    /// - Returns: The boolean.
    public func bool(_ key: String, default: Bool = false, table: String? = nil) -> Bool {
        if let typed = typed(key, table), typed.parts.contains(.bool) { return typed.flag }
        return read(key, table, default: `default`)
    }

    /// Returns a color, or the default if no layer defines the key or its value is malformed, which is reported.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - default: The result if the read fails.
    ///   - table: The table's name; `Localizable` if nil.
    /// - Returns: The color.
    public func color(_ key: String, default: RGBAColor = .black, table: String? = nil) -> RGBAColor {
        if let typed = typed(key, table), typed.parts.contains(.color) { return typed.color }
        return read(key, table, default: `default`)
    }

    /// Returns a list, or the default if no layer defines the key or its value is malformed, which is reported.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - default: The result if the read fails.
    ///   - table: The table's name; `Localizable` if nil.
    /// - Returns: The list.
    public func list<Element: CustomizationReadable>(
        _ key: String, default: [Element] = [], table: String? = nil
    ) -> [Element] {
        read(key, table, default: `default`)
    }
}
