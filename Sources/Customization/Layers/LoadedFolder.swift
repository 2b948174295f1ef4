internal import AshlarCore

/// The content of one `.lproj` folder: its tables, the names of its files, and the folders inside it.
package struct LoadedFolder: Sendable {
    /// The state of a file.
    struct Version: Equatable, Sendable {
        var signature: FileSignature
        /// The hash of the content, because two writes within one clock tick have the same signature.
        var hash: UInt64
        /// Whether another write could result in the same signature, so that the content must be read again.
        var isFresh: Bool

        /// Returns whether the file has this content, without reading it; false if that is uncertain.
        func isCurrent(_ signature: FileSignature) -> Bool { self.signature == signature && !isFresh }

        static func == (left: Version, right: Version) -> Bool {
            left.signature == right.signature && left.hash == right.hash
        }
    }

    /// A file of tables with its last valid content.
    struct File: Sendable {
        var version: Version
        /// The tables of the file; those of a string catalog by language, those of any other file under nil.
        var tables: [LanguageTag?: StringsTable]
        /// The keys of a string catalog that nobody translates.
        var fixedKeys: Set<String>
        var diagnostics: [CustomizationDiagnostic]
        /// A newer content that isn't used because it has errors, if there is one.
        var rejected: Version?
        /// The problems of the content that isn't used.
        var rejectedDiagnostics: [CustomizationDiagnostic] = []
    }

    /// The path in the tree, such as `fr.lproj`; empty for the tree's own folder.
    let name: String
    let path: String
    private(set) var files: [String: File] = [:]
    private(set) var tables: [String: StringsTable] = [:]
    /// The tables of the string catalogs, by language.
    private(set) var catalogs: [LanguageTag: [String: StringsTable]] = [:]
    /// The keys of the string catalogs that nobody translates, by table.
    package private(set) var fixedKeys: [String: Set<String>] = [:]
    private(set) var names: Set<String> = []
    package private(set) var subfolders: [String] = []
    package private(set) var diagnostics: [CustomizationDiagnostic] = []

    /// Reads a folder; files of `earlier` are reused if they haven't changed or now have errors.
    init(name: String, in root: String, policy: CustomizationPolicy, earlier: LoadedFolder?) {
        self.name = name
        path = name.isEmpty ? root : root + "/" + name
        guard let names = FolderListing.names(in: path) else {
            report(.error, .missingFolder, "the folder can't be listed", at: name)
            return
        }
        self.names = Set(names)
        subfolders = names.filter { $0.hasSuffix(".lproj") && $0 != ".lproj" }.map { String($0.dropLast(6)) }
        for kind in TableFileKind.allCases {
            for fileName in names where fileName.hasSuffix(kind.suffix) {
                // A catalog has every language, so its texts would have no place in the layer of one language or brand.
                if kind == .stringCatalog, !name.isEmpty {
                    report(
                        .error, .catalogPartSkipped, "a string catalog in a .lproj folder isn't read; move it out",
                        at: name + "/" + fileName)
                    continue
                }
                read(fileName, kind: kind, policy: policy, earlier: earlier?.files[fileName])
            }
        }
    }

    private mutating func report(
        _ severity: CustomizationDiagnostic.Severity, _ code: CustomizationDiagnostic.Code, _ message: String,
        at file: String
    ) {
        diagnostics.add(severity, code, message, at: CustomizationLocation(file: file))
    }

    private mutating func read(_ fileName: String, kind: TableFileKind, policy: CustomizationPolicy, earlier: File?) {
        let place = name.isEmpty ? fileName : name + "/" + fileName
        let table = String(fileName.dropLast(kind.suffix.count))
        guard let status = FileStatus(path + "/" + fileName), status.kind != .directory else { return }
        if var earlier {
            let isCurrent = earlier.version.isCurrent(status.signature)
            if isCurrent { earlier.rejected = nil }
            if isCurrent || earlier.rejected?.isCurrent(status.signature) == true {
                return take(earlier, as: fileName, table: table, place: place)
            }
        }
        var version = Version(signature: status.signature, hash: 0, isFresh: status.signature.isFresh())
        do {
            let bytes = try WholeFile.read(path + "/" + fileName, limit: policy.maximumFileSize)
            version.hash = bytes.withUnsafeBufferPointer { ByteHash.hash($0) }
            if var earlier, earlier.version == version {
                (earlier.version, earlier.rejected) = (version, nil)
                return take(earlier, as: fileName, table: table, place: place)
            }
            let read = kind.read(bytes, file: place, policy: policy)
            if var earlier, read.diagnostics.contains(where: { $0.severity == .error }) {
                (earlier.rejected, earlier.rejectedDiagnostics) = (version, read.diagnostics)
                return take(earlier, as: fileName, table: table, place: place)
            }
            take(
                File(
                    version: version, tables: read.tables, fixedKeys: read.fixedKeys, diagnostics: read.diagnostics),
                as: fileName, table: table, place: place)
        } catch {
            let problem = CustomizationDiagnostic(
                .error, .unreadableFile, error.description, at: CustomizationLocation(file: place))
            guard var earlier else { return diagnostics.append(problem) }
            (earlier.rejected, earlier.rejectedDiagnostics) = (version, [problem])
            take(earlier, as: fileName, table: table, place: place)
        }
    }

    private mutating func take(_ file: File, as fileName: String, table: String, place: String) {
        files[fileName] = file
        for (language, content) in file.tables {
            if let language {
                catalogs[language, default: [:]][table] = content
            } else {
                tables[table] = tables[table].map { $0.merging(content) } ?? content
            }
        }
        if !file.fixedKeys.isEmpty { fixedKeys[table, default: []].formUnion(file.fixedKeys) }
        diagnostics += file.diagnostics
        if file.rejected != nil {
            diagnostics += file.rejectedDiagnostics
            report(
                .warning, .keptLastGood, "the changed file has errors; its last good content stays in use", at: place)
        }
    }

    /// Returns the folder as a layer of a stack.
    package func layer(
        id: String? = nil, role: CustomizationLayer.Role, policy: CustomizationPolicy
    ) -> CustomizationLayer {
        var layer = CustomizationLayer(
            id: id ?? name, role: role, tables: tables, colors: policy.colors, resolvesAliases: policy.resolvesAliases,
            diagnostics: diagnostics)
        layer.folder = path
        layer.files = names
        // The tree's own folder contains files of several languages.
        if !name.isEmpty, let language = layer.language {
            for index in layer.diagnostics.indices where layer.diagnostics[index].language == nil {
                layer.diagnostics[index].language = language
            }
        }
        return layer
    }
}

/// The kinds of files with tables; later kinds override earlier ones.
enum TableFileKind: CaseIterable {
    case strings
    case stringsDict
    case stringCatalog

    var suffix: String {
        switch self {
        case .strings: ".strings"
        case .stringsDict: ".stringsdict"
        case .stringCatalog: ".xcstrings"
        }
    }

    func read(
        _ bytes: [UInt8], file: String, policy: CustomizationPolicy
    ) -> (
        tables: [LanguageTag?: StringsTable], fixedKeys: Set<String>, diagnostics: [CustomizationDiagnostic]
    ) {
        switch self {
        case .strings:
            let parsed = StringsTable.parse(strings: bytes, file: file)
            return ([nil: parsed.table], [], parsed.diagnostics)
        case .stringsDict:
            let read = StringsTable.parse(stringsDict: bytes, file: file)
            return ([nil: read.table], [], read.diagnostics)
        case .stringCatalog:
            let catalog = StringCatalog(bytes, file: file)
            let tables = Dictionary(uniqueKeysWithValues: catalog.tables.map { (LanguageTag?.some($0), $1) })
            return (tables, catalog.fixedKeys, catalog.diagnostics)
        }
    }
}
