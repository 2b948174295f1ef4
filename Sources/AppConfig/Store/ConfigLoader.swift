internal import AshlarCore
internal import AshlarTrees

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
            guard let (steps, value) = tree.root.change(of: path) else { continue }
            throw ConfigError(
                .invalidValue, key: ConfigPath(steps), location: tree.location(of: value),
                reason: "a document without a signature can't change \(path)")
        }
        guard let value = tree.root[ConfigDirectives.revision] else { return nil }
        guard let revision = ConfigRevision(value) else {
            throw tree.error(
                .unknownDirective, at: value.place, [.key(ConfigDirectives.revision)],
                expected: ConfigDirectives.revisionForm, found: value.kind.name)
        }
        return revision
    }
}

extension PlacedValue {
    /// Returns the value that sets, removes or hides the value at a path when the dictionary is merged over another one.
    ///
    /// A value that isn't a dictionary replaces everything below it, a literal root key such as `a.b` hides the path `a.b`,
    /// and the section of a bundle identifier can be merged over the root.
    fileprivate func change(of path: ConfigPath) -> (
        steps: [ConfigPath.Component], value: PlacedValue
    )? {
        let text = path.description
        for member in members ?? [] {
            let steps = [ConfigPath.Component.key(member.key)]
            if member.key == text || member.key.hasPrefix(text + ".") { return (steps, member.value) }
            if member.key.contains("."), let (rest, value) = member.value.change(of: path),
                member.value.kind == .dictionary
            {
                return (steps + rest, value)
            }
        }
        return change(of: path.components[...])
    }

    private func change(
        of steps: ArraySlice<ConfigPath.Component>
    ) -> (steps: [ConfigPath.Component], value: PlacedValue)? {
        guard let step = steps.first, case .dictionary = content else { return ([], self) }
        guard let key = step.key, let child = self[key],
            let (rest, value) = child.change(of: steps.dropFirst())
        else { return nil }
        return ([step] + rest, value)
    }
}

/// Loads the configuration of a plan in stages.
struct ConfigLoader {
    let plan: ConfigPlan
    var errors: [ConfigError] = []
    var diagnostics: [ConfigDiagnostic] = []
    private(set) var layers: [ConfigLayerValues] = []
    /// The result of the merged layers.
    private var root: ConfigNode?
    /// The root keys of the sections that were applied.
    private var sections: Set<String> = []
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
        merge()
        readGivenValues()
        let config = finish(root ?? .empty(ConfigLayer(.base)))
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
        var tree = tree
        if plan.literalLayers.contains(kind) { tree.source.isLiteral = true }
        var secrets: [[ConfigPath.Component]] = []
        do throws(ConfigError) {
            if plan.merge.isDeep, !tree.source.isLiteral {
                secrets = try ConfigDirectives.read(&tree)
            }
        } catch {
            return fail(error)
        }
        let layer = ConfigLayer(kind, label: label, source: tree.source, date: date)
        layers.append(ConfigLayerValues(layer: layer, values: tree.root, secrets: secrets))
    }

    /// Merges the layers that were read over the result so far.
    private mutating func merge() {
        for layer in layers {
            var merger = ConfigMerger(layer.layer, policy: plan.merge)
            root = merger.merge(layer.values, over: root)
            diagnostics += merger.diagnostics
            secrets.paths.formUnion(layer.secrets.map { ConfigPath($0) })
            if layer.layer.kind == .bundle {
                sections.insert(layer.layer.label)
                secrets.sections.insert(layer.layer.label)
            }
        }
        layers = []
    }

    /// Sets variables and arguments, whose names are matched with the keys of lower layers.
    private mutating func readGivenValues() {
        // A program can declare thousands of keys, so they are parsed only if names must be matched with them.
        let isMatched = plan.variablePrefix != nil || !plan.arguments.isEmpty
        let declared = isMatched ? plan.shape : .structure([:])
        if let prefix = plan.variablePrefix {
            let known = ConfigKnownPaths(root: root ?? .empty(ConfigLayer(.base)), declared: declared)
            let variables = variables ?? readVariables()
            self.variables = variables
            set(VariablesReader.read(variables, prefix: prefix, known: known), .variables)
        }
        addSources(over: .variables)
        merge()
        if !plan.arguments.isEmpty {
            let known = ConfigKnownPaths(root: root ?? .empty(ConfigLayer(.base)), declared: declared)
            set(ArgumentsReader.read(plan.arguments, known: known), .arguments)
        }
        addSources(over: .arguments)
        merge()
    }

    /// Sets single values over the result so far.
    private mutating func set(_ given: ConfigGivenValues, _ kind: ConfigLayerKind) {
        diagnostics += given.diagnostics
        errors += given.errors.map(redacted)
        let layer = ConfigLayer(
            kind,
            source: ConfigTreeSource(
                whole: ConfigLocation(file: kind.description), positions: .places(given.values.map(\.location)),
                isLiteral: true))
        var merger = ConfigMerger(layer, policy: plan.merge)
        // An element can be set after those before it, whatever the order of the names.
        var pending = Array(given.values.enumerated())
        var failures: [ConfigError] = []
        var remaining = Int.max
        while !pending.isEmpty, pending.count < remaining {
            remaining = pending.count
            failures = []
            pending = pending.filter { place, given in
                let value = PlacedValue(given.value, place: UInt32(place))
                do throws(IndexOutOfRange) {
                    try merger.set(value, at: given.steps, in: &root)
                    return false
                } catch {
                    failures.append(
                        ConfigError(
                            .malformedSource, key: ConfigPath(given.steps), location: given.location,
                            expected: "an index up to \(error.count)", found: "\(error.index)"))
                    return true
                }
            }
        }
        errors += failures.map(redacted)
        diagnostics += merger.diagnostics
    }

    private mutating func finish(_ merged: ConfigNode) -> ApplicationConfig {
        var root = merged
        var usedVariables: [String: ConfigVariable] = [:]
        if needsVariables(merged) {
            var resolver = ConfigResolver(
                merged, limits: plan.limits, variables: variables ?? readVariables(),
                keepsUnsetVariables: plan.keepsUnsetVariables, secrets: secrets)
            root = resolver.resolve()
            errors += resolver.errors
            usedVariables = resolver.usedVariables
        }
        let index = ConfigIndex(root)
        let hidden = index.hidden.compactMap { text -> ConfigDiagnostic? in
            let path = ConfigPath(ConfigPath(text).components)
            guard let node = root.descend(path.components) else { return nil }
            let literal = root.child(.key(text)).map { " from \($0.location)" } ?? ""
            return ConfigDiagnostic(
                .hiddenByLiteralKey, key: path, location: node.location,
                message: "hidden by the literal key \"\(text)\"\(literal)")
        }
        var context = ConfigContext(secrets: secrets)
        context.sections = sections
        context.coercion = plan.coercion
        context.diagnostics = diagnostics + hidden
        context.variables = usedVariables
        return ApplicationConfig(snapshot: ConfigSnapshot(root, context, index: index))
    }

    /// Whether a string contains a reference.
    private func needsVariables(_ node: ConfigNode) -> Bool {
        switch node {
        case .scalar(.string(let text), let origin):
            !origin.entry.layer.source.isLiteral && ConfigTemplate.isTemplate(text)
        case .array(let elements, _): elements.contains(where: needsVariables)
        case .dictionary(let members, _): members.contains { needsVariables($0.node) }
        default: false
        }
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
