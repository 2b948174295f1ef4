public import AshlarCustomization

/// A translation service, such as Lokalise, Phrase or Weblate, that exchanges the texts of a catalog.
///
/// A conforming type sends requests to the service's interface and converts between its files and units, for example with
/// ``TranslationCatalog/xliff(version:language:)`` and ``TranslationCatalog/parse(xliff:file:language:)``. The catalog
/// compares and merges.
public protocol TranslationService: Sendable {
    /// Returns the translations of a language that the service has.
    ///
    /// - Parameter language: The language.
    /// - Returns: A catalog with the service's units; it can contain keys that the project lacks.
    /// - Throws: An error of the service.
    func translations(into language: LanguageTag) async throws -> TranslationCatalog

    /// Replaces the texts to translate into a language.
    ///
    /// - Parameters:
    ///   - catalog: The catalog whose ``TranslationCatalog/units(for:)`` are to be translated.
    ///   - language: The language.
    /// - Throws: An error of the service.
    func send(_ catalog: TranslationCatalog, for language: LanguageTag) async throws
}

extension TranslationCatalog {
    /// Merges the translations of a service, and sends the merged texts to it.
    ///
    /// Nothing is sent if the service's translations can't be read. Write the result with ``write(_:toTree:)``, and store
    /// the sent catalog as the ancestor of the next synchronization.
    ///
    /// - Parameters:
    ///   - language: The language.
    ///   - service: The service.
    ///   - ancestor: The catalog of the previous synchronization; without it, two different translations are a conflict.
    ///   - side: The side that wins in a conflict; if nil, the translation here remains and is sent.
    /// - Returns: The merged catalog, and a report.
    /// - Throws: The error of the service.
    public func synchronizing(
        _ language: LanguageTag, with service: some TranslationService, ancestor: TranslationCatalog? = nil,
        preferring side: TranslationMerge.Side? = nil
    ) async throws -> TranslationMerge {
        let merge = merging(try await service.translations(into: language), ancestor: ancestor, preferring: side)
        try await service.send(merge.catalog, for: language)
        return merge
    }
}
