extension Customization {
    /// Returns the text of a key with its placeholders replaced by values.
    ///
    /// The entry is a plain text (`"%1$@ sent %2$lld files"`) or a message from a `.stringsdict` or `.xcstrings` file,
    /// whose form is chosen by the rules of the entry's language. Formatting never fails: a placeholder without a value
    /// isn't replaced and is reported in ``problems``. If no layer defines the key, the policy's text is formatted, so
    /// a key in natural language (`"Hello %@"`) is its own text. The first call parses the text, and the snapshot
    /// stores the result. For a list of values, read a ``CustomizationText``.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - arguments: The values, in the order of the base language's placeholders.
    ///   - table: The table's name; `Localizable` if nil.
    /// - Returns: The formatted text.
    public func format(_ key: String, _ arguments: any FormatArgument..., table: String? = nil) -> String {
        formatted(key, isICU: false, table) { $0.formatted(arguments.map(\.formatValue), language: $1) }
    }

    /// Returns the text of a key with its named arguments replaced by values.
    ///
    /// A text is read in the notation of ICU MessageFormat: `"{name} sent {count, plural, one {# file} other {#
    /// files}}"`. For a message from a `.stringsdict` or `.xcstrings` file, the arguments have the names of its
    /// variables. Plural forms and numbers follow the language of the entry. Formatting never fails: an argument
    /// without a value isn't replaced and is reported in ``problems``.
    ///
    /// ```swift
    /// let strings = Customization(layers: [CustomizationLayer(overrides: [
    ///     "sent": "{name} sent {count, plural, one {# file} other {# files}}"
    /// ])])
    /// print(strings.message("sent", ["name": "Zoë", "count": 3]))  // Zoë sent 3 files
    /// ```
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - arguments: The values by name.
    ///   - table: The table's name; `Localizable` if nil.
    /// - Returns: The formatted text.
    public func message(
        _ key: String, _ arguments: KeyValuePairs<String, any FormatArgument> = [:],
        table: String? = nil
    ) -> String {
        formatted(key, isICU: true, table) { $0.formatted(arguments, language: $1) }
    }

    /// The conventions of the current language: its plural rules, number format and lists.
    ///
    /// With the module `Ashlar`, they also format dates and amounts of money.
    public var conventions: LanguageConventions { LanguageConventions(textLanguage, formatter: policy.formatter) }

    /// Formats the text of a key and reports the problems with its location.
    func formatted(
        _ key: String, isICU: Bool, _ table: String?,
        _ format: (CustomizationMessage, LanguageConventions) -> (text: String, problems: [MessageProblem])
    ) -> String {
        do throws(CustomizationError) {
            let (composed, number, target) = try find(key, table: table)
            guard let found = message(number, of: composed, isICU: isICU) else {
                throw CustomizationError(
                    .malformed, key: key, table: table, expected: "text", found: composed.value(of: target),
                    location: composed.location(of: target))
            }
            let output = format(found.message, found.language)
            for problem in output.problems {
                report(
                    CustomizationDiagnostic(
                        .warning, problem.code, problem.description, at: composed.location(of: target), key: key))
            }
            return output.text
        } catch {
            report(error.diagnostic)
            let text = policy.text(for: key, in: table ?? CustomizationLayer.defaultTable)
            let message = isICU ? CustomizationMessage(icu: text) : CustomizationMessage(text)
            return format(message, conventions).text
        }
    }

    private func message(_ number: Int, of table: ComposedTable, isICU: Bool) -> ComposedTable.Message? {
        // The language of the layer; for one without a language, such as a brand's, the current language.
        table.message(of: number, isICU: isICU) {
            LanguageConventions(storage.layers[$0].language ?? textLanguage, formatter: policy.formatter)
        }
    }

    /// The current language; a brand's texts in the base language don't change it.
    private var textLanguage: LanguageTag {
        layers.last { $0.language.map { $0 != baseLanguage } ?? false }?.language ?? baseLanguage
    }
}
