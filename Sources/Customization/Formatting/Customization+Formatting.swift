extension Customization {
    /// The text of a key with its placeholders replaced by values.
    ///
    /// The entry is a plain text (`"%1$@ sent %2$lld files"`) or a text that depends on numbers, from a `.stringsdict` or
    /// `.xcstrings` file, whose form is chosen by the rules of the entry's language. Never fails: a placeholder without a
    /// value stays visible and is reported in ``problems``. For a key that no layer defines the policy's text is formatted,
    /// so a key in natural language (`"Hello %@"`) is its own text.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - arguments: The values, in the order of the base language's placeholders.
    ///   - table: The table's name; `Localizable` if nil.
    /// - Returns: The formatted text.
    public func format(_ key: String, _ arguments: any FormatArgument..., table: String? = nil) -> String {
        format(key, values: arguments.map(\.formatValue), table: table)
    }

    /// The text of a key with its placeholders replaced by the values of a list.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - values: The values, in the order of the base language's placeholders.
    ///   - table: The table's name; `Localizable` if nil.
    /// - Returns: The formatted text; see ``format(_:_:table:)``.
    public func format(_ key: String, values: [FormatValue], table: String? = nil) -> String {
        do throws(CustomizationError) {
            let (reading, location) = try self.reading(key, table: table)
            let output: CustomizationFormat.Output
            if let message = PluralMessage(stringsDict: reading.value) {
                output = message.formatted(values, rules: PluralRules(language(of: key, table: table)))
            } else if let text = reading.value.text {
                output = CustomizationFormat(text).formatted(values)
            } else {
                throw CustomizationError(
                    .malformed, key: key, table: table ?? CustomizationLayer.defaultTable, expected: "text",
                    found: reading.value, location: location)
            }
            for problem in output.problems {
                report(
                    CustomizationDiagnostic(
                        .warning, .init(problem.code.rawValue), problem.description, at: location, key: key))
            }
            return output.text
        } catch {
            report(error.diagnostic)
            let text = policy.text(for: key, in: table ?? CustomizationLayer.defaultTable)
            return CustomizationFormat(text).formatted(values).text
        }
    }

    /// The text of a key for a number of things, which is its first argument.
    ///
    /// - Parameters:
    ///   - key: The key of an entry in a `.stringsdict` or `.xcstrings` file, or of a plain text.
    ///   - count: The number, which chooses the form and is shown by the form's `%d`.
    ///   - arguments: Further values.
    ///   - table: The table's name; `Localizable` if nil.
    /// - Returns: The formatted text; see ``format(_:_:table:)``.
    public func plural(
        _ key: String, count: Int, _ arguments: any FormatArgument..., table: String? = nil
    ) -> String {
        format(key, values: [count.formatValue] + arguments.map(\.formatValue), table: table)
    }

    /// The text of a key for a number with decimals, which is its first argument.
    ///
    /// - Parameters:
    ///   - key: The key of an entry in a `.stringsdict` or `.xcstrings` file, or of a plain text.
    ///   - count: The number, which chooses the form and is shown by it.
    ///   - arguments: Further values.
    ///   - table: The table's name; `Localizable` if nil.
    /// - Returns: The formatted text; see ``format(_:_:table:)``.
    public func plural(
        _ key: String, count: Double, _ arguments: any FormatArgument..., table: String? = nil
    ) -> String {
        format(key, values: [.double(count)] + arguments.map(\.formatValue), table: table)
    }

    /// The language of an entry's plural rules: its layer's, or for a layer without one the current language.
    private func language(of key: String, table: String?) -> LanguageTag {
        resolvedEntry(for: key, table: table)?.layer.language ?? layers.last { $0.language != nil }?.language
            ?? baseLanguage
    }
}
