internal import AshlarCore

/// A configuration loaded from what could be read, and the errors of what could not.
///
/// ```swift
/// let report = ApplicationConfig.loadReport(.directory("/no/such/place"))
/// for error in report.errors { print(error) }
/// print(report.config.string(forKey: "title", default: "untitled"))
/// ```
public struct ConfigLoadReport: Sendable {
    /// The values of all sources that could be read whole; a bad source is left out whole.
    public let config: ApplicationConfig
    /// The reasons why sources were left out, in the order of the layers.
    public let errors: [ConfigError]
}

extension ApplicationConfig {
    /// Loads a configuration.
    ///
    /// Reads files; call it off the main thread if they are big. A bad source never becomes an empty one.
    ///
    /// - Throws: ``ConfigError`` with the first thing that is wrong in each source; several are one error with code
    ///   `several`.
    public static func load(_ plan: ConfigPlan = .standard) throws(ConfigError) -> ApplicationConfig {
        let report = loadReport(plan)
        if !report.errors.isEmpty { throw .joining(report.errors) }
        return report.config
    }

    /// Loads a configuration from the sources that can be read and reports the others.
    ///
    /// Use it in a program that should run even if a source is bad, and show the errors.
    public static func loadReport(_ plan: ConfigPlan = .standard) -> ConfigLoadReport {
        var loader = ConfigLoader(plan: plan)
        let config = loader.load()
        return ConfigLoadReport(config: config, errors: loader.errors)
    }
}

/// Takes a plan from its sources to a configuration, station by station.
struct ConfigLoader {
    let plan: ConfigPlan
    private(set) var errors: [ConfigError] = []
    private var diagnostics: [ConfigDiagnostic] = []
    private var layers: [ConfigLayer] = []
    /// The secrets of the plan and its schema; directives add to them after the layers are read.
    private var secrets: ConfigSecrets

    init(plan: ConfigPlan) {
        self.plan = plan
        secrets = plan.secrets
        for rule in plan.schema?.rules ?? [] where rule.isSecret { secrets.paths.insert(rule.path) }
    }

    mutating func load() -> ApplicationConfig {
        readDefaults()
        readFiles()
        layers += BundleOverrides.layers(for: plan.bundleIdentifier, in: layers, policy: plan.merge)
        readLocalFile()
        checkDirectives()
        let config = finish(readGivenValues(over: merged(layers)))
        guard let schema = plan.schema else { return config }
        errors += config.problems(with: schema)
        if schema.unknownKeys != .reported { return config }
        let unknown = config.unknownKeys(schema).map { unknown in
            ConfigDiagnostic(
                .unknownKey, key: unknown.key, origin: unknown.origin,
                message: [unknown.reason, unknown.hint].compactMap { $0 }.joined(separator: "; "))
        }
        return config.adding(unknown)
    }

    private mutating func merged(_ layers: [ConfigLayer]) -> ConfigTree {
        var merger = ConfigMerger(layers, policy: plan.merge, readsDirectives: plan.readsDirectives)
        let tree = merger.merge()
        diagnostics += merger.diagnostics
        return tree
    }

    /// Merges one more layer; because the merge is a left fold, the result is that of merging all layers at once.
    private mutating func add(_ layer: ConfigLayer, to tree: ConfigTree) -> ConfigTree {
        layers.append(layer)
        // Directives of the lower layers have been applied.
        let below = ConfigLayer(kind: .base, label: "", tree: tree.withoutDirectives())
        return merged([below, layer])
    }

    /// Adds variables and arguments, whose names are compared with the keys of lower layers.
    private mutating func readGivenValues(over merged: ConfigTree) -> ConfigTree {
        var merged = merged
        let declared =
            (plan.schema?.rules.map(\.path.keys) ?? []) + ConfigDeclaredKeys.names.sorted().map { ConfigPath($0).keys }
        if let prefix = plan.variablePrefix {
            let known = ConfigKnownPaths(tree: merged, declared: declared)
            let (tree, found, problems) = VariablesReader.read(variables, prefix: prefix, known: known)
            diagnostics += found
            errors += problems.map(redacted)
            if let tree {
                let label = ConfigLayerKind.variables.description
                merged = add(ConfigLayer(kind: .variables, label: label, tree: tree), to: merged)
            }
        }
        if !plan.arguments.isEmpty {
            let known = ConfigKnownPaths(tree: merged, declared: declared)
            let (tree, found, problems) = ArgumentsReader.read(plan.arguments, known: known)
            diagnostics += found
            errors += problems.map(redacted)
            if let tree {
                let label = ConfigLayerKind.arguments.description
                merged = add(ConfigLayer(kind: .arguments, label: label, tree: tree), to: merged)
            }
        }
        return merged
    }

    private var variables: [String: String] { plan.variables ?? ConfigProcess.variables }

    private mutating func finish(_ merged: ConfigTree) -> ApplicationConfig {
        for layer in layers where plan.readsDirectives && plan.merge.isDeep && layer.tree.hasDirectives {
            secrets.paths.formUnion(ConfigDirectives.secretPaths(in: layer))
        }
        var draft = ConfigSnapshot(tree: merged, context: ConfigContext())
        if plan.interpolates, merged.hasTemplates || !plan.referenceSyntax.hasDollar {
            var interpolator = ConfigInterpolator(
                draft, plan: plan, variables: variables, layers: layers, secrets: secrets)
            let tree = interpolator.interpolate()
            errors += interpolator.errors
            if tree !== merged { draft = ConfigSnapshot(tree: tree, context: ConfigContext()) }
        }
        let tree = draft.tree
        let hidden = draft.index.hidden.map { node in
            ConfigDiagnostic(
                .hiddenByLiteralKey, key: tree.path(of: node), origin: tree.origin(of: node),
                message:
                    "hidden by the literal key \"\(tree.path(of: node).components.map(Self.text).joined(separator: "."))\""
                    + (literal(for: node, in: draft).map { " from \(tree.origin(of: $0))" } ?? ""))
        }
        let context = ConfigContext(
            layers: layers, policy: plan.merge, coercion: plan.coercion, secrets: secrets,
            diagnostics: diagnostics + hidden, readsDirectives: plan.readsDirectives)
        return ApplicationConfig(snapshot: ConfigSnapshot(draft, context: context))
    }

    private func literal(for node: Int, in draft: ConfigSnapshot) -> Int? {
        draft.find(draft.tree.path(of: node).description)
    }

    private static func text(_ component: ConfigPath.Component) -> String {
        if case .key(let key) = component { key } else { "" }
    }

    private mutating func readDefaults() {
        if plan.defaults.isEmpty { return }
        var builder = ConfigTreeBuilder()
        builder.value(.dictionary(plan.defaults))
        let tree = builder.finish(sources: [.code("defaults")])
        layers.append(ConfigLayer(kind: .defaults, label: "defaults", tree: literal(tree, .defaults)))
    }

    private mutating func readFiles() {
        var files: [(stem: String, kind: ConfigLayerKind, label: String, isRequired: Bool)] = [
            (plan.name, .base, "base", plan.requiresBase)
        ]
        for environment in plan.environments {
            let isRequired = plan.requiredEnvironments.contains(environment)
            files.append(("\(plan.name).\(environment.name)", .environment, environment.name, isRequired))
        }
        for file in files {
            var isFound = false
            for suffix in ["plist", "json"] {
                let name = "\(file.stem).\(suffix)"
                guard let (outcome, path) = fetch(name) else { continue }
                isFound = true
                add(outcome, name: name, path: path, file.kind, file.label)
            }
            if isFound { continue }
            let searched = "\(file.stem).plist or .json in \(place)"
            if file.isRequired {
                errors.append(
                    ConfigError(
                        .missingSource, origin: ConfigOrigin(name: "\(file.stem).plist"),
                        reason: "the required file is missing", expected: searched))
            } else {
                diagnostics.append(ConfigDiagnostic(.missingSource, message: "no \(searched)"))
            }
        }
    }

    private enum Outcome {
        case bytes([UInt8])
        case missing
        case failed(String)
    }

    private static func read(_ path: String, limit: Int) -> Outcome {
        do throws(FileFailure) {
            return .bytes(try WholeFile.read(path, limit: limit))
        } catch {
            switch error.reason {
            case .tooLarge: return .failed("larger than \(limit) bytes")
            case .notRegular: return .failed("not a regular file")
            default: return error.isMissing ? .missing : .failed(error.description)
            }
        }
    }

    private var place: String {
        switch plan.location.kind {
        case .directory(let path): path
        case .memory: "memory"
        }
    }

    private func fetch(_ name: String) -> (Outcome, path: String?)? {
        switch plan.location.kind {
        case .memory(let files):
            return files[name].map { (.bytes($0), nil) }
        case .directory(let directory):
            let path = directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
            let outcome = Self.read(path, limit: plan.limits.bytes)
            if case .missing = outcome { return nil }
            return (outcome, path)
        }
    }

    private mutating func readLocalFile() {
        guard let path = plan.localFile else { return }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let outcome = Self.read(path, limit: plan.limits.bytes)
        if case .missing = outcome {
            if plan.requiresLocalFile {
                errors.append(
                    ConfigError(
                        .missingSource, origin: ConfigOrigin(name: name, file: path),
                        reason: "the required file is missing", expected: path))
            } else {
                diagnostics.append(ConfigDiagnostic(.missingSource, message: "no \(path)"))
            }
            return
        }
        add(outcome, name: name, path: path, .local, ConfigLayerKind.local.description)
    }

    private mutating func add(
        _ outcome: Outcome, name: String, path: String?, _ kind: ConfigLayerKind, _ label: String
    ) {
        switch outcome {
        case .missing: break
        case .failed(let reason):
            errors.append(
                ConfigError(
                    .unreadableSource, origin: ConfigOrigin(name: name, file: path),
                    reason: "cannot read the file: \(reason)"))
        case .bytes(let bytes):
            let context = ConfigReaderContext(
                name: name, file: path, limits: plan.limits, duplicates: plan.refusesDuplicateKeys ? .error : .lastWins)
            do throws(ConfigError) {
                let reading = try ConfigFormat.read(bytes, context)
                diagnostics += reading.diagnostics
                layers.append(ConfigLayer(kind: kind, label: label, tree: literal(reading.tree, kind)))
            } catch {
                errors.append(redacted(error))
            }
        }
    }

    private func literal(_ tree: ConfigTree, _ kind: ConfigLayerKind) -> ConfigTree {
        plan.literalLayers.contains(kind) ? tree.literal() : tree
    }

    /// Removes secret values from a reader's error, because readers do not know which values are secret.
    private func redacted(_ error: ConfigError) -> ConfigError {
        var error = error
        error.found = error.found.map { SecretText.redactingCredentials(in: $0) }
        guard let key = error.key else { return error }
        if error.found != nil, secrets.isSecret(key) { error.found = ConfigDescription.redacted }
        // The path of a value nested a thousand deep would hide the rest of the message.
        if key.components.count > Self.longestPath { error.key = nil }
        return error
    }

    private static let longestPath = 64

    /// Leaves out layers whose directives are wrong.
    private mutating func checkDirectives() {
        guard plan.readsDirectives, plan.merge.isDeep else { return }
        var bad: Set<ObjectIdentifier> = []
        for layer in layers where layer.tree.hasDirectives && layer.root == 0 {
            do throws(ConfigError) {
                try ConfigDirectives.check(layer)
            } catch {
                errors += error.problems.isEmpty ? [error] : error.problems
                bad.insert(ObjectIdentifier(layer.tree))
            }
        }
        layers.removeAll { bad.contains(ObjectIdentifier($0.tree)) }
    }
}
