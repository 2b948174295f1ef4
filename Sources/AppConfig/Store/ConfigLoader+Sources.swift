internal import AshlarTrees

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Reads files and other sources into layers.
extension ConfigLoader {
    mutating func readDefaults() {
        if plan.defaults.isEmpty { return }
        append(ConfigTree(root: PlacedValue(plan.defaults), source: .code("defaults")), .defaults, "defaults")
    }

    /// Reads the files with one name, as one layer for each existing extension.
    mutating func readFile(_ stem: String, _ kind: ConfigLayerKind, _ label: String, isRequired: Bool) {
        var isFound = false
        for suffix in plan.extensions {
            let name = "\(stem).\(suffix)"
            let location = ConfigLocation(file: plan.path(of: name) ?? name, name: name)
            do throws(ConfigError) {
                guard let bytes = try bytes(of: name, location) else { continue }
                isFound = true
                read(bytes, location, format: plan.formats[suffix], as: kind, label: label)
            } catch {
                isFound = true
                fail(error)
            }
        }
        if isFound { return }
        let suffixes = plan.extensions.map { ".\($0)" }
        let names = suffixes.dropLast().joined(separator: ", ") + (suffixes.count > 2 ? "," : "")
        noteMissing(
            "\(stem)\(names) or \(suffixes.last ?? "") in \(plan.files)",
            ConfigLocation(file: "\(stem).plist"), isRequired)
    }

    mutating func readLocalFile() {
        guard let path = plan.localFile else { return }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let location = ConfigLocation(file: path, name: name)
        do throws(ConfigError) {
            guard let bytes = try ConfigFileReading.bytes(of: location, limit: plan.limits.bytes) else {
                return noteMissing(path, location, plan.requiredLayers.contains(.local))
            }
            let format = name.lastIndex(of: ".").flatMap { plan.formats[String(name[$0...].dropFirst())] }
            read(bytes, location, format: format, as: .local, label: ConfigLayerKind.local.description)
        } catch {
            fail(error)
        }
    }

    /// Adds the sources that lie over the layers of a kind.
    mutating func addSources(over kind: ConfigLayerKind) {
        for layer in plan.sources where layer.over == kind {
            let (source, name) = (layer.source, layer.source.shownName)
            do {
                let limited = source as? any LimitedConfigSource
                let content = try limited?.content(within: plan.limits) ?? source.content()
                let location = content.location ?? ConfigLocation(file: name)
                switch content.kind {
                case .missing: noteMissing("content of \(name)", location, layer.isRequired)
                case .bytes(let bytes, let format):
                    read(
                        bytes, location, format: format, as: .source, label: name, date: content.date,
                        isSecret: content.isSecret)
                case .document(let document):
                    var tree = document.tree(of: location)
                    try tree.check(plan.limits)
                    tree.source.isSecret = content.isSecret
                    append(tree, .source, name, date: content.date)
                }
            } catch {
                fail(.reading(error, of: ConfigLocation(file: name), .unreadableSource))
            }
        }
    }

    /// Returns the variables of the environment, merged over those of `.env` files.
    mutating func readVariables() -> [String: ConfigVariable] {
        var variables: [String: ConfigVariable] = [:]
        for path in plan.variableFiles {
            let location = ConfigLocation(file: path, name: path.split(separator: "/").last.map(String.init) ?? path)
            do throws(ConfigError) {
                guard let bytes = try ConfigFileReading.bytes(of: location, limit: plan.limits.bytes) else {
                    noteMissing(path, location, false)
                    continue
                }
                variables.merge(try DotEnvReader.read(bytes, location)) { $1 }
            } catch {
                fail(error)
            }
        }
        for (name, text) in plan.variables ?? ConfigProcess.variables {
            variables[name] = ConfigVariable(text: text, location: ConfigLocation(file: name))
        }
        return variables
    }

    private mutating func noteMissing(_ searched: String, _ location: ConfigLocation, _ isRequired: Bool) {
        if isRequired {
            fail(
                ConfigError(
                    .missingSource, location: location, reason: "the required file is missing", expected: searched))
        } else {
            diagnostics.append(ConfigDiagnostic(.missingSource, message: "no \(searched)"))
        }
    }

    private func bytes(of name: String, _ location: ConfigLocation) throws(ConfigError) -> [UInt8]? {
        switch plan.files.kind {
        case .memory(let files): files[name]
        case .directory: try ConfigFileReading.bytes(of: location, limit: plan.limits.bytes)
        }
    }

    /// Reads a file or the bytes of a source and adds its layer.
    private mutating func read(
        _ bytes: [UInt8], _ location: ConfigLocation, format: (any ConfigFormat)?, as kind: ConfigLayerKind,
        label: String, date: (@Sendable () -> Date)? = nil, isSecret: Bool = false
    ) {
        do throws(ConfigError) {
            var tree = try Self.read(bytes, format, ConfigReaderContext(location: location, limits: plan.limits))
            tree.source.isSecret = isSecret
            append(tree, kind, label, date: date)
        } catch {
            fail(error)
        }
    }

    static func read(
        _ bytes: [UInt8], _ format: (any ConfigFormat)?, _ context: ConfigReaderContext
    ) throws(ConfigError) -> ConfigTree {
        guard let format else { return try FormatRecognition.read(bytes, context) }
        try context.checkSize(bytes)
        do {
            let tree = try format.document(from: bytes, limits: context.limits).tree(of: context.location)
            try tree.check(context.limits)
            return tree
        } catch {
            throw .reading(error, of: context.location)
        }
    }
}
