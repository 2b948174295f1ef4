public import AshlarCustomization

/// Android's resource files for the layers of a customization, and the way back.
///
/// The base language goes to `res/values`, other languages to `res/values-fr`, `res/values-fr-rCA` or
/// `res/values-b+sr+Latn`, a brand to a resource folder of its own, `acme/res/values…`, to be used as a product flavor or
/// overlay. Each table is one file, `strings.xml` for `Localizable`. `aapt2 compile` accepts the result.
///
/// Nothing is lost: keys that are no resource names, C placeholders, values that Android has no type for, and the layers
/// themselves are kept in comments (`ashlar: {…}`), so that an import gives back the exported layers. A text that was
/// changed in Android's file wins over the comment.
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
        ///   - path: The path with `/`; its folders tell language and brand.
        ///   - text: The XML.
        public init(path: String, text: String) { (self.path, self.text) = (path, text) }
    }

    /// The files in the order of their layers and tables.
    public var files: [File]
    /// What Android cannot hold as it is; nothing of it is lost to an import.
    public var diagnostics: [CustomizationDiagnostic]

    /// Takes files for an import.
    ///
    /// - Parameter files: Values files; the order does not matter.
    public init(files: [File]) { (self.files, diagnostics) = (files, []) }

    /// Exports layers.
    ///
    /// Texts keep their type as files have it: `"4"` of a `.strings` file stays a text unless `typing` says otherwise. A
    /// key gets a typed resource only if its value is of that type in every layer. `%@` becomes `%s`, whole numbers
    /// `%d`, and with two placeholders and more all get positions. A message with one plural variable becomes
    /// `<plurals>`.
    ///
    /// Layers of one role, such as a string catalog and a folder of the same language, become one.
    ///
    /// - Parameters:
    ///   - layers: Layers of any role. The resources of brands, themes and overrides get folders of their own.
    ///   - typing: Which texts become typed resources.
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
}

extension CustomizationDiagnostic.Code {
    /// A value that Android has no resource for.
    public static let androidUnsupported = Self("android-unsupported")
    /// Two keys whose resources Java code would see under one name.
    public static let androidNameCollision = Self("android-name-collision")
    /// A resource file that is not well-formed, or an element that is left out.
    public static let androidMalformed = Self("android-malformed")
}
