internal import AshlarCore
internal import AshlarTrees

/// A folder of `.lproj` folders, in which each file is read at most once.
///
/// Creating a tree lists its folders and reads Info.plist. Strings files are read when a customization first uses their
/// folder, and remain in memory, so switching back and forth reads no files. Creating a tree never fails: an unreadable
/// file results in a diagnostic of its layer.
package final class CustomizationTree: Sendable {
    package let path: String
    /// The problems found while listing the folder and reading Info.plist.
    package let diagnostics: [CustomizationDiagnostic]
    /// The brand in Info.plist's `FTCustomizationString`, if any.
    package let brandOfInfoPlist: String?
    package let options: CustomizationPolicy
    /// The names of all `.lproj` folders without the extension.
    let folders: [String]
    let rootFiles: Set<String>
    private let loaded = Mutex<[String: LoadedFolder]>([:])
    /// The folders of an earlier tree, which are reused if they haven't changed.
    private let earlier: [String: LoadedFolder]

    package init(path: String, policy: CustomizationPolicy = .init(), earlier: [String: LoadedFolder] = [:]) {
        var root = path
        while root.count > 1, root.hasSuffix("/") { root.removeLast() }
        self.path = root
        options = policy
        self.earlier = earlier
        var diagnostics: [CustomizationDiagnostic] = []
        let names = FolderListing.names(in: root)
        if names == nil {
            diagnostics.add(
                .error, .missingFolder, "the folder can't be listed", at: CustomizationLocation(file: root))
        }
        folders = (names ?? []).filter { $0.hasSuffix(".lproj") && $0 != ".lproj" }.map { String($0.dropLast(6)) }
        rootFiles = Set((names ?? []).filter { !$0.hasSuffix(".lproj") })
        brandOfInfoPlist = Self.readBrand(root, rootFiles, policy, &diagnostics)
        for folder in folders where Self.isNearlyLanguage(folder) && folder != brandOfInfoPlist {
            guard !policy.brands.contains(folder) else { continue }
            diagnostics.add(
                .warning, .unknownFolder,
                "\(folder).lproj looks like a language but is not one; its texts are not used",
                at: CustomizationLocation(file: folder + ".lproj"),
                fix: "correct the name, or declare the brand in CustomizationPolicy.brands")
        }
        self.diagnostics = diagnostics
    }

    private static func readBrand(
        _ root: String, _ files: Set<String>, _ policy: CustomizationPolicy,
        _ diagnostics: inout [CustomizationDiagnostic]
    ) -> String? {
        guard files.contains("Info.plist") else { return nil }
        let file = CustomizationLocation(file: "Info.plist")
        do {
            let bytes = try WholeFile.read(root + "/Info.plist", limit: policy.maximumFileSize)
            let read = PropertyListReader.read(bytes: bytes, file: "Info.plist")
            diagnostics += read.diagnostics
            guard let info = read.root else { return nil }
            if let brand = info["FTCustomizationString"]?.text { return brand.isEmpty ? nil : brand }
            diagnostics.add(
                .note, .noBrand, "Info.plist has no FTCustomizationString; there is no brand layer", at: file)
        } catch {
            diagnostics.add(.error, .unreadableFile, error.description, at: file)
        }
        return nil
    }

    /// The languages with a folder, in canonical form and sorted, without brands.
    package var availableLanguages: [LanguageTag] { languages(brand: nil) }

    /// Returns the languages if `brand` is the name of a brand's folder.
    package func languages(brand: String?) -> [LanguageTag] {
        let tags = Set(folders.compactMap { language(of: $0, brand: brand) }).union(folder("").catalogs.keys)
        return tags.sorted { $0.description < $1.description }
    }

    /// The names of the brands: declared folders, and folders whose name doesn't look like a language.
    ///
    /// FTCustomization uses the terms brand, customer and theme.
    package var availableBrands: [String] {
        folders.filter { folder in
            if options.brands.contains(folder) || folder == brandOfInfoPlist { return true }
            return folder != "Base" && Self.language(folder) == nil && !Self.isNearlyLanguage(folder)
        }
    }

    /// Returns the language of a folder; nil for a brand that is requested, declared or in Info.plist, such as `bbc`.
    package func language(of folder: String, brand: String? = nil) -> LanguageTag? {
        guard folder != brand, folder != brandOfInfoPlist, !options.brands.contains(folder) else { return nil }
        return Self.language(folder)
    }

    /// Returns the language of a folder's name; nil if CLDR doesn't contain the language.
    static func language(_ folder: String) -> LanguageTag? {
        guard folder != "Base", let tag = LanguageTag(folder), tag.language.utf8.count <= 3 else { return nil }
        // CLDR has no script for Interlingue and Pali.
        return tag.maximized.script != nil || ["ie", "pi"].contains(tag.language) ? tag : nil
    }

    /// Returns whether a name is probably a misspelled language: `kab_KAB`, `hp`, but not `red` or `acme`.
    private static func isNearlyLanguage(_ folder: String) -> Bool {
        guard folder != "Base", language(folder) == nil else { return false }
        let parts = folder.split(omittingEmptySubsequences: false) { $0 == "_" || $0 == "-" }
        func isWord(_ part: Substring, _ counts: ClosedRange<Int>) -> Bool {
            counts.contains(part.utf8.count) && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        }
        guard parts[0].allSatisfy({ $0.isASCII && $0.isLowercase }) else { return false }
        if parts.count == 1 { return parts[0].utf8.count == 2 }
        return isWord(parts[0], 2...3) && parts.dropFirst().allSatisfy { isWord($0, 2...8) }
    }

    /// Returns the layers of files that belong to no language or to every language: the tree's own folder, and `Base`.
    package func baseLayers(_ base: LanguageTag, _ policy: CustomizationPolicy) -> [CustomizationLayer] {
        let root = folder("")
        var layers = root.tables.isEmpty ? [] : [root.layer(id: ".", role: .base(base), policy: policy)]
        if folders.contains("Base") { layers.append(folder("Base.lproj").layer(role: .base(base), policy: policy)) }
        return layers
    }

    /// Returns the layers of a language: its strings in the string catalogs, then its folders.
    ///
    package func layers(
        of language: LanguageTag, role: CustomizationLayer.Role, brand: String? = nil, policy: CustomizationPolicy
    ) -> [CustomizationLayer] {
        var layers: [CustomizationLayer] = []
        if let tables = folder("").catalogs[language] {
            layers.append(
                CustomizationLayer(
                    id: "*.xcstrings#\(language)", role: role, tables: tables, colors: policy.colors,
                    resolvesAliases: policy.resolvesAliases))
        }
        let names = Self.ordered(folders.filter { self.language(of: $0, brand: brand) == language }, of: language)
        return layers + names.map { folder($0 + ".lproj").layer(role: role, policy: policy) }
    }

    /// Returns the folders of one language, such as French.lproj and fr.lproj; the canonical name is last and wins.
    static func ordered(_ folders: [String], of language: LanguageTag) -> [String] {
        folders.sorted { a, b in a == language.description ? false : b == language.description ? true : a < b }
    }

    /// Reads all unread files.
    func preload() {
        for folder in folders {
            for inner in self.folder(folder + ".lproj").subfolders { _ = self.folder("\(folder).lproj/\(inner).lproj") }
        }
    }

    /// The loaded folders, by their path in the tree.
    var loadedFolders: [String: LoadedFolder] { loaded.withLock { $0 } }

    /// The folders and files whose changes make a reload necessary, sorted.
    var watchedPaths: [String] {
        let folders = loadedFolders.values
        // Also the files that can't be read yet.
        let files = folders.flatMap { folder in
            folder.names.filter { name in TableFileKind.allCases.contains { name.hasSuffix($0.suffix) } }
                .map { folder.path + "/" + $0 }
        }
        return ([path + "/"] + folders.map { $0.path + "/" } + files).sorted()
    }

    /// The content of a folder, read by the first call.
    package func folder(_ name: String) -> LoadedFolder {
        if let folder = loaded.withLock({ $0[name] }) { return folder }
        let folder = LoadedFolder(name: name, in: path, policy: options, earlier: earlier[name])
        return loaded.withLock { loaded in
            if let first = loaded[name] { return first }
            loaded[name] = folder
            return folder
        }
    }
}
