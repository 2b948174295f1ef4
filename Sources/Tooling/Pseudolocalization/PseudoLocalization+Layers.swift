public import AshlarCustomization

extension Customization {
    /// The customization with all of its texts pseudo-localised, for testing layouts.
    ///
    /// The texts are those in use now, so switch the language before. Numbers, booleans, colours, names of image files and
    /// addresses stay as they are, see ``PseudoLocalization/value(_:colors:)``. Texts of plural forms are changed like
    /// others.
    ///
    /// - Parameter pseudo: How texts change.
    /// - Returns: The customization with a layer named `pseudo` on top; `removing(layer: "pseudo")` takes it away.
    /// - Complexity: O(*n*) in the size of all texts in use.
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

    /// The pseudo-localised value; `nil` if the value holds no text that a person reads.
    ///
    /// Such are numbers, `YES`, `NO`, `true` and `false`, colours, names of files, addresses (`https://…`), aliases, data,
    /// and texts without any letter.
    ///
    /// - Parameters:
    ///   - value: The value of an entry.
    ///   - colors: How the value's layer writes colours.
    /// - Returns: The changed value, or `nil` to keep it.
    public func value(_ value: CustomizationValue, colors: ColorDialect = .ftCustomization) -> CustomizationValue? {
        switch value {
        case .string(let text): return Self.isRead(text, colors) ? .string(pseudolocalize(text)) : nil
        case .list(let values):
            let changed = values.map { self.value($0, colors: colors) ?? $0 }
            return changed == values ? nil : .list(changed)
        case .dict:
            guard var message = PluralMessage(stringsDict: value) else { return nil }
            // The brackets stand around the whole text; a format of one variable alone is that variable's text.
            let names = message.variables.keys.map { "%#@\($0)@" }
            if names.contains(message.format) {
                message.variables = message.variables.mapValues { variable in
                    .init(valueType: variable.valueType, forms: variable.forms.mapValues(pseudolocalize))
                }
            } else {
                let inner = withoutFrame
                message.format = pseudolocalize(message.format)
                message.variables = message.variables.mapValues { variable in
                    .init(valueType: variable.valueType, forms: variable.forms.mapValues(inner.pseudolocalize))
                }
            }
            return message.stringsDict
        case .int, .double, .bool, .color, .data, .alias: return nil
        }
    }

    private static func isRead(_ text: String, _ colors: ColorDialect) -> Bool {
        let hasLetter = PseudoPieces(text).pieces.contains { piece in
            piece.isText && piece.text.unicodeScalars.contains { $0.properties.isAlphabetic }
        }
        guard hasLetter, !["YES", "NO", "true", "false"].contains(text) else { return false }
        if text.utf8.count <= 64, colors.color(text) != nil || CustomizationValue.double(text) != nil { return false }
        guard !text.contains(where: \.isWhitespace) else { return true }
        if let scheme = text.split(separator: ":").first, text.dropFirst(scheme.count).hasPrefix("://") { return false }
        guard let dot = text.lastIndex(of: ".") else { return true }
        return !fileExtensions.contains(text[text.index(after: dot)...].lowercased())
    }
}
