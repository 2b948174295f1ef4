public import AshlarCustomization

extension Customization {
    /// Returns the customization with pseudolocalized strings, for testing layouts.
    ///
    /// The strings are those of the current languages, so switch the language first. Numbers, booleans, colors, names
    /// of image files and URLs don't change. Plural forms change.
    ///
    /// - Parameter pseudo: The pseudolocalization.
    /// - Returns: The customization with a layer named `pseudo` on top; `removing(layer: "pseudo")` removes it.
    /// - Complexity: O(*n*) in the size of all current strings.
    public func pseudolocalized(_ pseudo: PseudoLocalization = .accented) -> Customization {
        var tables: [String: StringsTable] = [:]
        for name in tableNames {
            let entries: [CustomizationEntry] = keys(table: name).compactMap { key in
                guard let winner = resolvedEntry(for: key, table: name),
                    let value = pseudo.value(winner.entry.value, colors: winner.layer.colors)
                else { return nil }
                var entry = winner.entry
                entry.value = value
                return entry
            }
            if !entries.isEmpty { tables[name] = StringsTable(file: "pseudo", entries: entries) }
        }
        return applying(CustomizationLayer(id: "pseudo", role: .override, tables: tables))
    }
}

extension PseudoLocalization {
    private static let fileExtensions = [
        "png", "jpg", "jpeg", "gif", "pdf", "svg", "heic", "webp", "tiff", "ico", "icns", "xib", "nib", "storyboard",
        "json", "plist", "strings", "html", "css", "js", "ttf", "otf", "wav", "mp3", "caf", "mp4", "mov",
    ]

    /// Returns the pseudolocalized value, or `nil` if the value isn't a string for users.
    ///
    /// It returns `nil` for numbers, `YES`, `NO`, `true` and `false`, colors, file names, URLs (`https://…`), aliases,
    /// data, and strings without letters.
    ///
    /// - Parameters:
    ///   - value: The value of an entry.
    ///   - colors: The color dialect of the value's layer.
    /// - Returns: The new value, or `nil`.
    package func value(_ value: CustomizationValue, colors: ColorDialect = .ftCustomization) -> CustomizationValue? {
        switch value {
        case .string(let text): return Self.isRead(text, colors) ? .string(pseudolocalize(text)) : nil
        case .list(let values):
            let changed = values.map { self.value($0, colors: colors) ?? $0 }
            return changed == values ? nil : .list(changed)
        case .message(let message): return .message(self.message(message))
        case .int, .double, .bool, .color, .data, .dict, .alias: return nil
        }
    }

    private func message(_ message: CustomizationMessage) -> CustomizationMessage {
        guard var text = message.pluralText() else { return message }
        func changed(_ forms: (String) -> String) -> [String: CustomizationMessage.Variable] {
            text.variables.mapValues { .init(valueType: $0.valueType, forms: $0.forms.mapValues(forms)) }
        }
        // The brackets enclose the whole string; if the format is only one variable, they are part of the variable's
        // forms.
        if text.variables.keys.contains(where: { text.format == "%#@\($0)@" }) {
            text.variables = changed(pseudolocalize)
        } else {
            text.variables = changed(withoutFrame.pseudolocalize)
            text.format = pseudolocalize(text.format)
        }
        return CustomizationMessage(.plural(text))
    }

    private static func isRead(_ text: String, _ colors: ColorDialect) -> Bool {
        let hasLetter = PseudoPieces(text).pieces.contains { piece in
            piece.isText && piece.text.unicodeScalars.contains { $0.properties.isAlphabetic }
        }
        guard hasLetter, !["YES", "NO", "true", "false"].contains(text) else { return false }
        if text.utf8.count <= 64, colors.color(text) != nil || NumberReading.double(text) != nil { return false }
        guard !text.contains(where: \.isWhitespace) else { return true }
        if let scheme = text.split(separator: ":").first, text.dropFirst(scheme.count).hasPrefix("://") { return false }
        guard let dot = text.lastIndex(of: ".") else { return true }
        return !fileExtensions.contains(text[text.index(after: dot)...].lowercased())
    }
}
