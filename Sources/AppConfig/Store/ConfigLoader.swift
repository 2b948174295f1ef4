internal import AshlarCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A configuration of all sources that can be read, and the errors of the others.
package struct ConfigLoadReport: Sendable {
    /// The values of all sources without errors; a source with an error is omitted as a whole.
    package let config: ApplicationConfig
    /// The reasons for omitted sources, in the order of the layers.
    package let errors: [ConfigError]
}

extension ApplicationConfig {
    /// Loads a configuration.
    ///
    /// The method reads files; if they are large, call it off the main thread. A malformed source is never treated as
    /// empty. If the program can run without some sources, use ``ConfigStore/init(loadingBestEffort:)``.
    ///
    /// - Throws: ``ConfigError`` with the first problem of each source.
    public static func load(_ plan: ConfigPlan = ConfigPlan()) throws(ConfigError) -> ApplicationConfig {
        let report = loadReport(plan)
        if !report.errors.isEmpty { throw .joining(report.errors) }
        return report.config
    }

    /// Loads a configuration from the sources that can be read, and returns the errors of the others.
    package static func loadReport(_ plan: ConfigPlan = ConfigPlan()) -> ConfigLoadReport {
        var loader = ConfigLoader(plan: plan)
        let config = loader.load()
        return ConfigLoadReport(config: config, errors: loader.errors)
    }
}

extension ApplicationConfig {
    /// Returns the `$revision` of a file; a nil format is a property list or JSON.
    ///
    /// - Throws: ``ConfigError`` if the bytes or the revision are malformed, or if the bytes change the value at one of
    ///   the `reserved` paths.
    package static func revision(
        of bytes: [UInt8], as format: (any ConfigFormat)?, at location: ConfigLocation, reserved: [ConfigPath] = []
    ) throws(ConfigError) -> ConfigRevision? {
        let tree = try ConfigLoader.read(bytes, format, ConfigReaderContext(location: location))
        for path in reserved {
            guard let node = tree.change(of: path) else { continue }
            throw ConfigError(
                .invalidValue, key: tree.path(of: node), location: tree.location(of: node),
                reason: "a document without a signature can't change \(path)")
        }
        guard let node = tree.child(of: 0, key: ConfigDirectives.revision) else { return nil }
        guard let revision = ConfigRevision(node, of: tree) else {
            throw ConfigError(
                .unknownDirective, key: tree.path(of: node), location: tree.location(of: node),
                expected: ConfigDirectives.revisionForm, found: tree.kind(of: node).name)
        }
        return revision
    }
}

/// Loads the configuration of a plan in stages.
struct ConfigLoader {
    let plan: ConfigPlan
    var errors: [ConfigError] = []
    var diagnostics: [ConfigDiagnostic] = []
    private(set) var layers: [ConfigLayer] = []
    /// The environment variables; nil until they are needed, because a process has many.
    private var variables: [String: ConfigVariable]?
    /// The secrets of the plan, to which directives add after the layers are read.
    private var secrets: ConfigSecrets

    init(plan: ConfigPlan) {
        self.plan = plan
        secrets = plan.secrets
        secrets.paths.formUnion(plan.declaredSecrets)
    }

    mutating func load() -> ApplicationConfig {
        readDefaults()
        addSources(over: .defaults)
        readFile(plan.name, .base, "base", isRequired: plan.requiredLayers.contains(.base))
        addSources(over: .base)
        for environment in plan.environments {
            readFile(
                "\(plan.name).\(environment.name)", .environment, environment.name,
                isRequired: plan.requiredLayers.contains(.environment))
        }
        addSources(over: .environment)
        layers += BundleOverrides.layers(for: plan.bundleIdentifier, in: layers, policy: plan.merge)
        addSources(over: .bundle)
        readLocalFile()
        addSources(over: .local)
        // The problems of files are reported, whether a value needs a variable or not.
        if !plan.variableFiles.isEmpty { variables = readVariables() }
        let config = finish(readGivenValues(over: merged(layers)))
        errors += plan.problems(of: config)
        return config
    }

    /// Records that a source couldn't be read.
    mutating func fail(_ error: ConfigError) {
        errors += (error.problems.isEmpty ? [error] : error.problems).map(redacted)
    }

    /// Adds a layer on top, unless its directives are malformed.
    mutating func append(
        _ tree: ConfigTree, _ kind: ConfigLayerKind, _ label: String, date: (@Sendable () -> Date)? = nil
    ) {
        let tree = plan.literalLayers.contains(kind) ? tree.literal() : tree
        let readsDirectives = plan.merge.isDeep && tree.hasDirectives
        do throws(ConfigError) {
            let values = readsDirectives ? try ConfigDirectives.removed(from: tree) : tree
            layers.append(ConfigLayer(kind: kind, label: label, tree: values, date: date))
        } catch {
            fail(error)
        }
    }

    private mutating func merged(_ layers: [ConfigLayer]) -> ConfigTree {
        var merger = ConfigMerger(layers, policy: plan.merge)
        let tree = merger.merge()
        diagnostics += merger.diagnostics
        return tree
    }

    /// Merges the layers from a number on; because the merge is a left fold, the result is the same as for all layers.
    private mutating func merged(_ tree: ConfigTree, from number: Int) -> ConfigTree {
        if number == layers.count { return tree }
        let below = ConfigLayer(kind: .base, label: "", tree: tree)
        return merged([below] + layers[number...])
    }

    /// Adds variables and arguments, whose names are matched with the keys of lower layers.
    private mutating func readGivenValues(over tree: ConfigTree) -> ConfigTree {
        var (tree, count) = (tree, layers.count)
        // A program can declare thousands of keys, so they are parsed only if names must be matched with them.
        let isMatched = plan.variablePrefix != nil || !plan.arguments.isEmpty
        let declared = isMatched ? plan.shape : .structure([:])
        if let prefix = plan.variablePrefix {
            let known = ConfigKnownPaths(tree: tree, declared: declared)
            let variables = variables ?? readVariables()
            self.variables = variables
            add(VariablesReader.read(variables, prefix: prefix, known: known), .variables)
        }
        addSources(over: .variables)
        tree = merged(tree, from: count)
        count = layers.count
        if !plan.arguments.isEmpty {
            let known = ConfigKnownPaths(tree: tree, declared: declared)
            add(ArgumentsReader.read(plan.arguments, known: known), .arguments)
        }
        addSources(over: .arguments)
        return merged(tree, from: count)
    }

    private mutating func add(
        _ reading: (tree: ConfigTree?, diagnostics: [ConfigDiagnostic], errors: [ConfigError]), _ kind: ConfigLayerKind
    ) {
        diagnostics += reading.diagnostics
        errors += reading.errors.map(redacted)
        if let tree = reading.tree { layers.append(ConfigLayer(kind: kind, label: kind.description, tree: tree)) }
    }

    private mutating func finish(_ merged: ConfigTree) -> ApplicationConfig {
        for layer in layers where plan.merge.isDeep && layer.tree.hasDirectives {
            secrets.paths.formUnion(ConfigDirectives.secretPaths(in: layer))
        }
        var draft = ConfigSnapshot(tree: merged, context: ConfigContext())
        var usedVariables: [String: ConfigVariable] = [:]
        if merged.hasTemplates || !plan.referenceSyntax.hasDollar {
            var interpolator = ConfigInterpolator(
                draft, syntax: plan.referenceSyntax, limits: plan.limits, variables: variables ?? readVariables(),
                secrets: secrets)
            let tree = interpolator.interpolate()
            errors += interpolator.errors
            usedVariables = interpolator.usedVariables
            if tree !== merged { draft = ConfigSnapshot(tree: tree, context: ConfigContext()) }
        }
        let tree = draft.tree
        let hidden = draft.index.hidden.map { node in
            ConfigDiagnostic(
                .hiddenByLiteralKey, key: tree.path(of: node), location: tree.location(of: node),
                message:
                    "hidden by the literal key \"\(tree.path(of: node).components.map(Self.text).joined(separator: "."))\""
                    + (literal(for: node, in: draft).map { " from \(tree.location(of: $0))" } ?? ""))
        }
        var context = ConfigContext(layers: layers, secrets: secrets)
        context.policy = plan.merge
        context.coercion = plan.coercion
        context.diagnostics = diagnostics + hidden
        context.references = plan.referenceSyntax
        context.variables = usedVariables
        return ApplicationConfig(snapshot: ConfigSnapshot(draft, context: context))
    }

    private func literal(for node: Int, in draft: ConfigSnapshot) -> Int? {
        draft.find(draft.tree.path(of: node).description)
    }

    private static func text(_ component: ConfigPath.Component) -> String {
        if case .key(let key) = component { key } else { "" }
    }

    /// Removes secret values from a reader's error, because readers don't know which values are secret.
    func redacted(_ error: ConfigError) -> ConfigError {
        var error = error
        error.found = error.found.map { SecretText.redacted($0) }
        guard let key = error.key else { return error }
        if error.found != nil, secrets.isSecret(key) { error.found = ConfigDescription.redacted }
        // The path of a deeply nested value would hide the rest of the message.
        if key.components.count > Self.longestPath { error.key = nil }
        return error
    }

    private static let longestPath = 64
}
