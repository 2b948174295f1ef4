import AshlarCore
public import AshlarCustomization

/// Android resource files for the layers of a customization, and the layers of resource files.
///
/// The base language is exported to `res/values`, other languages to `res/values-fr`, `res/values-fr-rCA` or
/// `res/values-b+sr+Latn`. A brand is exported to its own resource folder, `acme/res/values…`, for use as a product
/// flavor or overlay. Each table is one file, `strings.xml` for `Localizable`. `aapt2` accepts the files.
///
/// An export followed by an import restores the layers. Comments (`ashlar: {…}`) store the data that resources can't
/// represent: keys that aren't resource names, C placeholders, values without an Android type, and the layers
/// themselves. If a string was changed in Android's file, the change takes precedence over the comment.
///
/// An import followed by an export restores the resources, in the same files and with the same names. If a value alone
/// isn't enough to restore a resource, the entry's comment contains its XML. ``diagnostics`` and the diagnostics of
/// ``layers(base:)`` report everything that is omitted or changed, with key, file and line.
public struct AndroidResources: Sendable {
    /// A resource file.
    public struct File: Hashable, Sendable {
        /// The path with `/`, such as `res/values-fr/strings.xml`.
        public var path: String
        /// The XML.
        public var text: String

        /// Creates a file.
        public init(path: String, text: String) {
            self.path = path
            self.text = text
        }
    }

    /// The files in the order of their layers and tables.
    public var files: [File]
    /// The problems of an export, or of reading files.
    public var diagnostics: [CustomizationDiagnostic]

    /// Creates resources from files, for an import.
    ///
    /// - Parameter files: Values files in any order.
    public init(files: [File]) {
        self.files = files
        diagnostics = []
    }

    /// Exports layers.
    ///
    /// Strings are exported as strings, including `"4"` of a `.strings` file, unless `typing` selects another type. A
    /// key gets a typed resource only if its value has that type in every layer. `%@` becomes `%s`, and integers become
    /// `%d`. If there are several placeholders, they get positions. A message with one plural variable becomes
    /// `<plurals>`.
    ///
    /// Layers with the same folder, such as a string catalog and a folder of one language, are merged. The last one
    /// wins, and each value that it replaces is reported.
    ///
    /// - Parameters:
    ///   - layers: Layers of any role. The resources of brands, themes and overrides get their own folders.
    ///   - typing: The strings that become typed resources. It has no effect on layers that were imported from Android.
    /// - Complexity: O(*n*) in the size of all values.
    public init(_ layers: [CustomizationLayer], typing: AndroidTyping = .colors) {
        var exporter = AndroidExporter(layers, typing: typing)
        exporter.run()
        files = exporter.files
        diagnostics = exporter.diagnostics
    }

    /// Exports a customization: the base language, the other languages, and each brand with its languages.
    ///
    /// ```swift
    /// let resources = AndroidResources(Customization(path: "Resources"))
    /// for file in resources.files { print(file.path) }  // res/values/strings.xml, res/values-fr/strings.xml …
    /// for problem in resources.diagnostics { print(problem) }
    /// ```
    ///
    /// - Parameters:
    ///   - customization: The customization of the tree; files that haven't been read yet are read.
    ///   - typing: The strings that become typed resources.
    /// - Complexity: O(*n*) in the bytes of all files.
    public init(_ customization: Customization, typing: AndroidTyping = .colors) {
        self.init(customization.allLayers, typing: typing)
    }

    /// Imports the files as layers.
    ///
    /// For the files of an export, the result is the exported layers, in the order of the files. In other files,
    /// `values` is the base language and `values-fr` a language; a folder above `res` other than `main` is a brand; the
    /// file's name is the table, `Localizable` for `strings.xml`; resource names are keys. `%s` becomes `%@`, and
    /// `@string/name` an alias.
    ///
    /// Resources that aren't strings, numbers, colors or lists are omitted and reported, and so are folders with
    /// qualifiers other than a language.
    ///
    /// - Parameter base: The language of `values` folders whose files don't specify it in `tools:locale`.
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
    /// A value without a corresponding Android resource.
    package static let androidUnsupported = Self("android-unsupported")
    /// Several layers that are exported to the same folder.
    package static let androidMergedLayers = Self("android-merged-layers")
    /// A resource, or a part of one, that an import omits.
    package static let androidNotImported = Self("android-not-imported")
    /// A value that differs from the resource it was imported from, such as a placeholder without one of its flags.
    package static let androidChanged = Self("android-changed")
    /// Two keys whose resources have the same name in Java code.
    package static let androidNameCollision = Self("android-name-collision")
    /// A resource file that is not well-formed.
    package static let androidMalformed = Self("android-malformed")
}

extension AndroidResources {
    /// Reads every `values…/*.xml` file below a folder, for an import.
    ///
    /// Paths are relative to the folder. Pass the folder above `res`: the project's, `app/src`, or that of an export.
    /// Unreadable files are reported in ``diagnostics``. Hidden folders and folders named `build` are skipped.
    ///
    /// - Parameters:
    ///   - folder: The path of the folder.
    ///   - maximumFileSize: Larger files are reported and skipped.
    public init(folder: String, maximumFileSize: Int = 64 << 20) {
        self.init(files: [])
        collect(folder, path: "", depth: 0, limit: maximumFileSize)
    }

    private mutating func collect(_ folder: String, path: String, depth: Int, limit: Int) {
        guard depth < 32, let names = FolderListing.names(in: folder) else {
            return report(path.isEmpty ? folder : path, "the folder can't be listed")
        }
        let isValues = path.split(separator: "/").last?.hasPrefix("values") == true
        for name in names where !name.hasPrefix(".") {
            let (file, inner) = (folder + "/" + name, path.isEmpty ? name : path + "/" + name)
            if FileStatus(file)?.kind == .directory {
                if name != "build" { collect(file, path: inner, depth: depth + 1, limit: limit) }
            } else if isValues, name.hasSuffix(".xml") {
                do throws(FileFailure) {
                    let bytes = try WholeFile.read(file, limit: limit)
                    files.append(File(path: inner, text: String(decoding: bytes, as: UTF8.self)))
                    if UTF8Validation.firstInvalid(in: bytes) != nil {
                        report(inner, "the file is not UTF-8; other bytes are read as U+FFFD")
                    }
                } catch {
                    report(inner, "\(error)")
                }
            }
        }
    }

    private mutating func report(_ path: String, _ message: String) {
        diagnostics.add(.error, .unreadableFile, message, at: CustomizationLocation(file: path))
    }

    /// Writes the files below a folder; creates folders and replaces existing files.
    ///
    /// - Parameter folder: The path of the folder.
    /// - Throws: `CustomizationError` with the code `unwritable` and the file's path; files before it have been
    ///   written.
    public func write(toFolder folder: String) throws(CustomizationError) {
        for file in files {
            let parts = file.path.split(separator: "/")
            if parts.contains("..") {
                throw CustomizationError(.unwritable, key: file.path, expected: "the path leads out of the folder")
            }
            let path = parts.isEmpty ? "strings.xml" : parts.joined(separator: "/")
            try FileOutput.write(Array(file.text.utf8), to: folder + "/" + path)
        }
    }
}
