import AshlarAppConfig
import AshlarCustomization

/// The language, brand and theme that a configuration selects.
struct ConfiguredCustomization: Hashable, Sendable {
    /// The language, from `app.language`.
    var language: LanguageTag?
    /// The name of the brand, from `app.brand`.
    var brand: String?
    /// The name of the theme, from `app.theme`.
    var theme: String?

    /// Selects nothing.
    init() {}

    /// Reads the section `app`; an absent key selects nothing.
    init(_ config: ApplicationConfig) {
        language = config.string(forKey: "app.language").flatMap { LanguageTag($0) }
        brand = config.string(forKey: "app.brand")
        theme = config.string(forKey: "app.theme")
    }

    /// Returns the customization with these members applied instead of the members of `old`.
    ///
    /// A member that was applied and is now absent returns to its value in `base`. A member that hasn't changed
    /// preserves the later selection of the app or the user.
    func applied(to strings: Customization, after old: ConfiguredCustomization, base: Customization) -> Customization {
        var strings = strings
        if language != old.language { strings = strings.switching(language: language ?? base.overrideLanguage) }
        if brand != old.brand { strings = strings.switching(brand: brand ?? base.brand) }
        if theme != old.theme { strings = strings.switching(theme: theme ?? base.theme) }
        return strings
    }
}

extension CustomizationCenter {
    /// Applies `app.language`, `app.brand` and `app.theme` of a store's configuration now and after each change.
    ///
    /// A key that a reload removes returns its member to the value before the call.
    ///
    /// - Parameters:
    ///   - store: The store of the configuration.
    ///   - read: Returns the selection, so that the configuration can select some members only.
    /// - Returns: The task that follows the store until it is cancelled.
    func follow(
        _ store: ConfigStore, reading read: @escaping @Sendable (ApplicationConfig) -> ConfiguredCustomization
    ) -> Task<Void, Never> {
        let base = current
        let first = read(store.current)
        update { first.applied(to: $0, after: ConfiguredCustomization(), base: base) }
        return Task {
            var applied = first
            for await config in store.changes() {
                let next = read(config)
                guard next != applied else { continue }
                update { [applied] in next.applied(to: $0, after: applied, base: base) }
                applied = next
            }
        }
    }
}
