/// What one `.lproj` folder holds: its tables, the names of its files, and the folders inside it.
struct LoadedFolder: Sendable {
    /// One file of tables as it was last read well.
    struct File: Sendable {
        var signature: FileSignature
        /// The file's tables; those of a string catalog by language, any other file's under nil.
        var tables: [LanguageTag?: StringsTable]
        var diagnostics: [CustomizationDiagnostic]
        /// The signature of a later content that was bad and not taken, if there is one.
        var rejectedSignature: FileSignature?
    }

    /// The path in the tree, such as `fr.lproj`; empty for the tree's own folder.
    let name: String
    let path: String
    private(set) var files: [String: File] = [:]
    private(set) var tables: [String: StringsTable] = [:]
    /// The tables of string catalogs by language.
    private(set) var catalogs: [LanguageTag: [String: StringsTable]] = [:]
    private(set) var names: Set<String> = []
    private(set) var subfolders: [String] = []
    private(set) var diagnostics: [CustomizationDiagnostic] = []

    /// Reads a folder, taking over what `earlier` has of files that did not change or that are now bad.
    init(name: String, in root: String, policy: CustomizationPolicy, earlier: LoadedFolder?) {
        self.name = name
        path = name.isEmpty ? root : root + "/" + name
        guard let names = FileReading.names(in: path) else {
            report(.error, .missingFolder, "the folder cannot be listed", at: name)
            return
        }
        self.names = Set(names)
        subfolders = names.filter { $0.hasSuffix(".lproj") && $0 != ".lproj" }.map { String($0.dropLast(6)) }
        for kind in TableFileKind.allCases {
            for fileName in names where fileName.hasSuffix(kind.suffix) {
                read(fileName, kind: kind, policy: policy, earlier: earlier?.files[fileName])
            }
        }
    }

    private mutating func report(
        _ severity: CustomizationDiagnostic.Severity, _ code: CustomizationDiagnostic.Code, _ message: String,
        at file: String
    ) {
        diagnostics.append(CustomizationDiagnostic(severity, code, message, at: CustomizationLocation(file: file)))
    }

    private mutating func read(_ fileName: String, kind: TableFileKind, policy: CustomizationPolicy, earlier: File?) {
        let place = name.isEmpty ? fileName : name + "/" + fileName
        let table = String(fileName.dropLast(kind.suffix.count))
        guard let status = FileReading.status(path + "/" + fileName), !status.isFolder else { return }
        if var earlier, earlier.signature == status.signature || earlier.rejectedSignature == status.signature {
            if earlier.signature == status.signature { earlier.rejectedSignature = nil }
            return take(earlier, as: fileName, table: table, place: place)
        }
        do {
            let bytes = try FileReading.bytes(of: path + "/" + fileName, limit: policy.maximumFileSize)
            let read = kind.read(bytes, file: place, policy: policy)
            let isBad = read.diagnostics.contains { $0.severity == .error }
            if var earlier, isBad {
                earlier.rejectedSignature = status.signature
                diagnostics += read.diagnostics
                return take(earlier, as: fileName, table: table, place: place)
            }
            take(
                File(signature: status.signature, tables: read.tables, diagnostics: read.diagnostics), as: fileName,
                table: table, place: place)
        } catch {
            report(.error, .unreadableFile, error.message, at: place)
            guard var earlier else { return }
            earlier.rejectedSignature = status.signature
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
        diagnostics += file.diagnostics
        if file.rejectedSignature != nil {
            report(
                .warning, .keptLastGood, "the file has changed and is bad now; its last good content stays in use",
                at: place)
        }
    }

    /// The folder as a layer of a stack.
    func layer(id: String? = nil, role: CustomizationLayer.Role, policy: CustomizationPolicy) -> CustomizationLayer {
        var layer = CustomizationLayer(
            id: id ?? name, role: role, tables: tables, colors: policy.colors, resolvesAliases: policy.resolvesAliases,
            diagnostics: diagnostics)
        (layer.folder, layer.files) = (path, names)
        return layer
    }
}

/// The kinds of files that hold tables, in the order in which they are laid over each other.
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
    ) -> (tables: [LanguageTag?: StringsTable], diagnostics: [CustomizationDiagnostic]) {
        switch self {
        case .strings:
            let parsed = StringsTable.parse(strings: bytes, file: file, assuming: policy.assumedEncoding)
            return ([nil: parsed.table], parsed.diagnostics)
        case .stringsDict:
            let read = StringsDictReader.read(bytes, file: file)
            return ([nil: read.table], read.diagnostics)
        case .stringCatalog:
            let read = StringCatalogReader.read(bytes, file: file)
            return (Dictionary(uniqueKeysWithValues: read.tables.map { ($0.key, $0.value) }), read.diagnostics)
        }
    }
}
