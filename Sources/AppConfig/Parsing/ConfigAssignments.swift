/// Values that are given one by one by path — by variables and arguments — gathered into a tree.
struct ConfigAssignments {
    private struct Branch {
        var children: [String: Branch] = [:]
        var order: [String] = []
        var leaf: (value: ConfigValue, position: UInt32)?

        /// The place of the first value in here, to which a dictionary is put down.
        var firstPosition: UInt32 {
            leaf?.position ?? order.first.flatMap { children[$0]?.firstPosition } ?? 0
        }
    }

    private var root = Branch()
    private var names: [String] = []

    var isEmpty: Bool { names.isEmpty }

    /// Sets the value at some keys; a later value replaces an earlier one at, above or below them.
    mutating func set(_ value: ConfigValue, at keys: [String], name: String) {
        names.append(name)
        Self.set(&root, keys[...], (value, UInt32(names.count - 1)))
    }

    private static func set(_ branch: inout Branch, _ keys: ArraySlice<String>, _ leaf: (ConfigValue, UInt32)) {
        guard let key = keys.first else {
            branch = Branch(leaf: leaf)
            return
        }
        branch.leaf = nil
        if branch.children[key] == nil { branch.order.append(key) }
        set(&branch.children[key, default: Branch()], keys.dropFirst(), leaf)
    }

    func tree(name: String) -> ConfigTree {
        var builder = ConfigTreeBuilder()
        builder.open(.dictionary, position: 0)
        Self.emit(root, &builder)
        builder.close()
        return builder.finish(sources: [ConfigSource(name: name, file: nil, positions: .names(names))])
    }

    private static func emit(_ branch: Branch, _ builder: inout ConfigTreeBuilder) {
        for key in branch.order {
            guard let child = branch.children[key] else { continue }
            builder.key(String(decoding: key.utf8.prefix(65535), as: UTF8.self))
            if let leaf = child.leaf {
                builder.value(leaf.value, position: leaf.position)
            } else {
                builder.open(.dictionary, position: child.firstPosition)
                emit(child, &builder)
                builder.close()
            }
        }
    }
}

/// The paths that lower layers and a schema know, for sources that spell them otherwise.
struct ConfigKnownPaths {
    let tree: ConfigTree
    let schema: [[String]]

    /// How many keys a variable or argument may name.
    static let maximumDepth = 64

    /// The keys that the words mean, compared without regard to case and with `_` for what names of variables lack.
    func match(_ words: [String]) -> (keys: [String], node: Int?)? {
        var keys: [String] = []
        var node = 0
        for word in words {
            let candidates = tree.kind(of: node) == .dictionary ? Array(tree.children(of: node)) : []
            let names = candidates.map { (node: $0, key: tree.key(of: $0)) }
            guard let next = names.first(where: { $0.key == word }) ?? names.first(where: { Self.isSame($0.key, word) })
            else { return matchSchema(words).map { ($0, nil) } }
            keys.append(next.key)
            node = next.node
        }
        return (keys, node)
    }

    private func matchSchema(_ words: [String]) -> [String]? {
        schema.first { $0.count == words.count && zip($0, words).allSatisfy { Self.isSame($0, $1) } }
    }

    private static func isSame(_ key: String, _ word: String) -> Bool {
        func folded(_ text: String) -> String {
            String(text.lowercased().map { $0 == "-" || $0 == "." || $0 == " " ? "_" : $0 })
        }
        return folded(key) == folded(word)
    }
}

/// Reads the environment variables with a prefix: `APP_HTTP__TIMEOUT` sets `http.timeout`.
enum VariablesReader {
    static func read(
        _ variables: [String: String], prefix: String, known: ConfigKnownPaths
    ) -> (tree: ConfigTree?, diagnostics: [ConfigDiagnostic], errors: [ConfigError]) {
        var assignments = ConfigAssignments()
        var diagnostics: [ConfigDiagnostic] = []
        var errors: [ConfigError] = []
        for (name, text) in variables.sorted(by: { $0.key < $1.key }) {
            guard name.hasPrefix(prefix), name.utf8.count > prefix.utf8.count else { continue }
            let origin = ConfigOrigin(name: name)
            let words = split(String(name.dropFirst(prefix.count)))
            guard words.count <= ConfigKnownPaths.maximumDepth, !words.contains("") else {
                diagnostics.append(ConfigDiagnostic(.unknownKey, origin: origin, message: "the variable names no path"))
                continue
            }
            let match = known.match(words)
            if match == nil {
                diagnostics.append(
                    ConfigDiagnostic(
                        .unknownKey, key: ConfigPath(components: words), origin: origin,
                        message: "the variable names no known key and is taken as it is spelled"))
            }
            do throws(ConfigError) {
                let value = try ConfigGivenText.value(text, like: match?.node.map { known.tree.kind(of: $0) }, name)
                assignments.set(value, at: match?.keys ?? words, name: name)
            } catch {
                errors.append(error)
            }
        }
        return (assignments.isEmpty ? nil : assignments.tree(name: "environment"), diagnostics, errors)
    }

    /// The words between double underscores.
    private static func split(_ name: String) -> [String] {
        var words = [""]
        var rest = Substring(name)
        while let first = rest.first {
            if rest.hasPrefix("__"), !rest.hasPrefix("___") {
                words.append("")
                rest = rest.dropFirst(2)
            } else {
                words[words.count - 1].append(first)
                rest = rest.dropFirst()
            }
        }
        return words
    }
}

/// Reads arguments: `--set path=value` and, for known paths, `--path=value`; `--` ends them.
enum ArgumentsReader {
    static func read(
        _ arguments: [String], known: ConfigKnownPaths
    ) -> (tree: ConfigTree?, diagnostics: [ConfigDiagnostic], errors: [ConfigError]) {
        var assignments = ConfigAssignments()
        var diagnostics: [ConfigDiagnostic] = []
        var errors: [ConfigError] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" { break }
            var text = ""
            var isSet = argument == "--set"
            if argument.hasPrefix("--set="), known.match(["set"]) == nil {
                isSet = true
                text = String(argument.dropFirst(6))
            } else if isSet {
                guard let next = rest.popFirst() else {
                    errors.append(
                        ConfigError(
                            .malformedSource, origin: ConfigOrigin(name: "--set"), expected: "path=value",
                            found: "nothing"))
                    break
                }
                text = next
            } else if argument.hasPrefix("--"), argument.contains("=") {
                text = String(argument.dropFirst(2))
            } else {
                continue
            }
            guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
                errors.append(
                    ConfigError(
                        .malformedSource, origin: ConfigOrigin(name: "--set"), expected: "path=value",
                        found: "no path"))
                continue
            }
            let path = String(text[..<equals])
            let name = isSet ? "--set \(path)" : "--\(path)"
            guard let words = keys(path, known) else {
                let origin = ConfigOrigin(name: name)
                if isSet {
                    errors.append(
                        ConfigError(
                            .malformedSource, key: ConfigPath(path), origin: origin,
                            expected: "a path of up to \(ConfigKnownPaths.maximumDepth) keys; an array is given whole",
                            found: "another path"))
                } else {
                    diagnostics.append(leftAlone(path, name))
                }
                continue
            }
            let match = known.match(words)
            guard isSet || match != nil else {
                diagnostics.append(leftAlone(path, name))
                continue
            }
            let keys = match?.keys ?? words
            do throws(ConfigError) {
                let node = known.tree.descend(keys.map { .key($0) })
                let value = try ConfigGivenText.value(
                    String(text[text.index(after: equals)...]), like: node.map { known.tree.kind(of: $0) }, name)
                assignments.set(value, at: keys, name: name)
            } catch {
                errors.append(error)
            }
        }
        return (assignments.isEmpty ? nil : assignments.tree(name: "command line"), diagnostics, errors)
    }

    private static func leftAlone(_ path: String, _ name: String) -> ConfigDiagnostic {
        ConfigDiagnostic(
            .unknownKey, key: ConfigPath(path), origin: ConfigOrigin(name: name),
            message: "the argument names no known key and is left alone")
    }

    /// The keys of a path, a literal root key first; nil for a path with an index or too many keys.
    private static func keys(_ path: String, _ known: ConfigKnownPaths) -> [String]? {
        if known.tree.child(of: 0, key: path) != nil { return [path] }
        var keys: [String] = []
        for component in ConfigPath(path).components {
            guard case .key(let key) = component else { return nil }
            keys.append(key)
        }
        return keys.isEmpty || keys.count > ConfigKnownPaths.maximumDepth ? nil : keys
    }
}

/// The value that text of a variable or argument stands for.
enum ConfigGivenText {
    /// The text itself; where a lower layer has an array or dictionary, the JSON in the text.
    static func value(_ text: String, like kind: ConfigKind?, _ name: String) throws(ConfigError) -> ConfigValue {
        guard let kind, kind.isContainer else { return .string(text) }
        let context = ConfigReaderContext(name: name, file: nil)
        let wrapped = Array("{\"value\":\(text)}".utf8)
        let reading: ConfigReading? = try? ConfigFormat.read(wrapped, context)
        guard let tree = reading?.tree, tree.count(of: 0) == 1, let value = tree.child(of: 0, key: "value"),
            tree.kind(of: value) == kind
        else {
            throw ConfigError(
                .malformedSource, origin: ConfigOrigin(name: name), expected: "JSON of \(kind.name)",
                found: "other text")
        }
        return tree.value(of: value)
    }
}
