public import AshlarCustomization

/// Android's resource files for the layers of a customization, and the layers of resource files.
///
/// The base language goes to `res/values`, other languages to `res/values-fr`, `res/values-fr-rCA` or
/// `res/values-b+sr+Latn`. A brand goes to a resource folder of its own, `acme/res/values…`, to be used as a product
/// flavor or overlay. Each table is one file, `strings.xml` for `Localizable`. `aapt2` accepts the result.
///
/// An export followed by an import gives back the layers. Comments (`ashlar: {…}`) hold what resources cannot: keys that
/// are not resource names, C placeholders, values that Android has no type for, and the layers themselves. A text that
/// was changed in Android's file wins over the comment.
///
/// An import followed by an export gives back the resources, in the same files and under the same names. Where a value
/// alone would not give a resource back, the entry's comment holds its XML. ``diagnostics`` and the diagnostics of
/// ``layers(base:)`` report everything that is left out or changed, by key, file and line.
public struct AndroidResources: Sendable {
    /// A resource file.
    public struct File: Hashable, Sendable {
        /// The path with `/`, such as `res/values-fr/strings.xml`.
        public var path: String
        /// The XML.
        public var text: String

        /// Creates a file.
        ///
        /// - Parameters:
        ///   - path: The path with `/`; its folders state language and brand.
        ///   - text: The XML.
        public init(path: String, text: String) { (self.path, self.text) = (path, text) }
    }

    /// The files in the order of their layers and tables.
    public var files: [File]
    /// The problems of an export, or of reading files.
    public var diagnostics: [CustomizationDiagnostic]

    /// Creates resources from files, for an import.
    ///
    /// - Parameter files: Values files in any order.
    public init(files: [File]) { (self.files, diagnostics) = (files, []) }

    /// Exports layers.
    ///
    /// Texts are exported as texts, also `"4"` of a `.strings` file, unless `typing` says otherwise. A key gets a typed
    /// resource only if its value has that type in every layer. `%@` becomes `%s`, integers become `%d`, and two and more
    /// placeholders get positions. A message with one plural variable becomes `<plurals>`.
    ///
    /// Layers with the same folder, such as a string catalog and a folder of one language, become one layer. The last one
    /// wins; each value it replaces is reported.
    ///
    /// - Parameters:
    ///   - layers: Layers of any role. The resources of brands, themes and overrides get folders of their own.
    ///   - typing: The texts that become typed resources. Layers that were imported from Android have none.
    /// - Complexity: O(*n*) in the size of all values.
    public init(_ layers: [CustomizationLayer], typing: AndroidTyping = .colors) {
        var exporter = AndroidExporter(layers, typing: typing)
        exporter.run()
        (files, diagnostics) = (exporter.files, exporter.diagnostics)
    }

    /// Exports a tree of `.lproj` folders: the base language, the other languages, and each brand with its languages.
    ///
    /// ```swift
    /// let tree = CustomizationTree(path: "Resources")
    /// let resources = AndroidResources(tree, base: "en")
    /// for file in resources.files { print(file.path) }  // res/values/strings.xml, res/values-fr/strings.xml …
    /// for problem in resources.diagnostics { print(problem) }
    /// ```
    ///
    /// - Parameters:
    ///   - tree: The tree; files that were not read yet are read.
    ///   - base: The language of the `values` folder.
    ///   - typing: The texts that become typed resources.
    /// - Complexity: O(*n*) in the bytes of all files.
    public init(_ tree: CustomizationTree, base: LanguageTag = "en", typing: AndroidTyping = .colors) {
        self.init(tree.allLayers(base: base), typing: typing)
    }

    /// Imports the files as layers.
    ///
    /// Files of an export give back its layers, in the order of the files. In other files, `values` is the base language
    /// and `values-fr` a language; a folder above `res` other than `main` is a brand; the file's name is the table,
    /// `Localizable` for `strings.xml`; names of resources are keys. `%s` is read as `%@`, `@string/name` as an alias.
    ///
    /// Resources that are not texts, numbers, colors or lists are left out and reported. So are folders with other
    /// qualifiers than a language.
    ///
    /// - Parameter base: The language of `values` folders whose files do not state it in `tools:locale`.
    /// - Returns: The layers, and the problems found.
    /// - Complexity: O(*n*) in the bytes of all files.
    public func layers(
        base: LanguageTag = "en"
    ) -> (layers: [CustomizationLayer], diagnostics: [CustomizationDiagnostic]) {
        var importer = AndroidImporter(base: base)
        for file in files { importer.read(file) }
        return (importer.layers, importer.diagnostics)
    }
}

extension CustomizationDiagnostic.Code {
    /// A value that Android has no resource for.
    public static let androidUnsupported = Self("android-unsupported")
    /// Several layers that are exported to one folder.
    public static let androidMergedLayers = Self("android-merged-layers")
    /// A resource, or a part of one, that an import leaves out.
    public static let androidNotImported = Self("android-not-imported")
    /// A value that differs from the resource it was imported from, such as one without a flag of its placeholder.
    public static let androidChanged = Self("android-changed")
    /// Two keys whose resources have the same name in Java code.
    public static let androidNameCollision = Self("android-name-collision")
    /// A resource file that is not well-formed.
    public static let androidMalformed = Self("android-malformed")
}
