/// The values of an enumeration, in messages.
enum ConfigChoices {
    /// Returns the values of all cases; none for a type that can't list them.
    static func values(of type: Any.Type) -> [ConfigValue] {
        (type as? any CaseIterable.Type).map { values(ofCases: $0) } ?? []
    }

    private static func values<Cases: CaseIterable>(ofCases type: Cases.Type) -> [ConfigValue] {
        type.allCases.compactMap { value in
            if let value = value as? any Encodable { return SettingsOutline.value(encoding: value) }
            return ((value as? any RawRepresentable)?.rawValue as? any Encodable).flatMap(
                SettingsOutline.value(encoding:))
        }
    }

    /// Returns the expectation of a message: `one of fast, safe`.
    static func expected(_ choices: [ConfigValue]) -> String {
        let shown = choices.prefix(30).map(text).joined(separator: ", ")
        return "one of " + shown + (choices.count > 30 ? ", …" : "")
    }

    /// Returns the suggestion for an invalid value: the nearest choice.
    static func hint(for value: ConfigValue, among choices: [ConfigValue]) -> String? {
        guard let given = ConfigCoercion.standard.string(value) else { return nil }
        return NearestName.find(given, among: choices.map(text)).map { "did you mean \($0)?" }
    }

    private static func text(_ value: ConfigValue) -> String { ConfigCoercion.standard.string(value) ?? "\(value)" }
}
