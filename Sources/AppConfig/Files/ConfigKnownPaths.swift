/// The paths of lower layers, of settings, and of typed keys, with which variables and arguments are matched.
struct ConfigKnownPaths {
    let tree: ConfigTree
    /// The types that settings and typed keys declare.
    let declared: ConfigShape

    /// The maximum number of steps in a variable or argument.
    static let maximumDepth = 64

    struct Match {
        var steps: [ConfigPath.Component]
        /// The node of the lower layers at the path.
        var node: Int?
        /// The declared type of the value.
        var shape: ConfigShape?
        /// Whether the whole path is known.
        var isKnown: Bool
    }

    /// Finds the path for the words of a variable, such as `HTTP` and `MAX_RETRIES`.
    ///
    /// Known keys are found regardless of case and separators. The rest of the path is written like the other keys of
    /// the dictionary, or in lowercase.
    func match(variable words: [String]) -> Match {
        let steps = words.map { word in word.utf8.allSatisfy { $0.isDigit } ? Int(word) : nil }
        return match(words, indices: steps, adaptsSpelling: true)
    }

    /// Finds the path of an argument; its unknown part isn't changed.
    func match(argument path: ConfigPath) -> Match {
        let steps = path.components
        let words = steps.map { step in
            switch step {
            case .key(let key): key
            case .index(let index): "\(index)"
            }
        }
        let indices = steps.map { step in
            if case .index(let index) = step { index } else { nil as Int? }
        }
        return match(words, indices: indices, adaptsSpelling: false)
    }

    private func match(_ words: [String], indices: [Int?], adaptsSpelling: Bool) -> Match {
        var match = Match(steps: [], node: 0, shape: declared, isKnown: true)
        // The same path with the declared keys, as long as all of them are declared.
        var declaredSteps: [ConfigPath.Component] = []
        let literal = adaptsSpelling ? literalKey(words) : nil
        if let literal {
            let key = tree.key(of: literal.node)
            match = Match(steps: [.key(key)], node: literal.node, shape: shape(ofRootKey: key), isKnown: true)
            declaredSteps = match.steps
        }
        for (depth, word) in words.enumerated().dropFirst(literal?.length ?? 0) {
            let isArray = match.shape?.isArray == true || match.node.map { tree.kind(of: $0) == .array } == true
            if let index = indices[depth], isArray {
                match.node = match.node.flatMap { tree.child(of: $0, index: index) }
                match.shape = match.shape?.element
                match.steps.append(.index(index))
                declaredSteps.append(.index(index))
                continue
            }
            let entry = entry(word, match, adaptsSpelling)
            if let node = match.node, let child = child(of: node, word) {
                match.node = child
                match.steps.append(.key(tree.key(of: child)))
            } else if let entry {
                match.node = nil
                match.steps = declaredSteps + [.key(entry.key)]
            } else {
                match.isKnown = false
                if !adaptsSpelling, let index = indices[depth] {
                    match.steps.append(.index(index))
                } else {
                    match.steps.append(.key(adaptsSpelling ? spelling(of: word, in: match.node) : word))
                }
                match.node = nil
            }
            match.shape = entry?.shape
            if let entry { declaredSteps.append(.key(entry.key)) }
        }
        return match
    }

    /// Returns the declared key for a word; an arbitrary key of a dictionary is written like those next to it.
    private func entry(_ word: String, _ match: Match, _ adaptsSpelling: Bool) -> (key: String, shape: ConfigShape)? {
        guard let shape = match.shape else { return nil }
        if case .dictionary(let value) = shape {
            return (adaptsSpelling ? spelling(of: word, in: match.node) : word, value)
        }
        return shape.entry(word) { Self.folded($0) == Self.folded(word) }
    }

    /// The declared type of a root key that contains dots.
    private func shape(ofRootKey key: String) -> ConfigShape? {
        ConfigPath(key).keys.reduce(Optional(declared)) { shape, key in shape?.entry(key) { $0 == key }?.shape }
    }

    private func child(of node: Int, _ word: String) -> Int? {
        guard tree.kind(of: node) == .dictionary else { return nil }
        if let child = tree.child(of: node, key: word) { return child }
        let children = tree.children(of: node).map { (node: $0, key: tree.key(of: $0)) }
        let (lowercased, folded) = (word.lowercased(), Self.folded(word))
        return
            (children.first { $0.key.lowercased() == lowercased } ?? children.first { Self.folded($0.key) == folded })?
            .node
    }

    /// Returns the root key with dots that the first words spell, which hides the nested path with the same text.
    private func literalKey(_ words: [String]) -> (node: Int, length: Int)? {
        let folded = words.map(Self.folded)
        for node in tree.children(of: 0) where tree.nodes[node].flags.contains(.escapedKey) {
            let keys = ConfigPath(tree.key(of: node)).keys.map(Self.folded)
            if keys.count > 1, folded.starts(with: keys) { return (node, keys.count) }
        }
        return nil
    }

    /// Returns the letters and digits of a key in lowercase: `MAX_RETRIES`, `maxRetries`, and `max-retries` are equal.
    private static func folded(_ text: String) -> String {
        String(text.lowercased().filter { !"_-. ".contains($0) })
    }

    /// Returns an unknown word in the style of a dictionary's keys.
    private func spelling(of word: String, in node: Int?) -> String {
        if word.contains(where: \.isLowercase) { return word }
        let isDictionary = node.map { tree.kind(of: $0) == .dictionary } ?? false
        let siblings = isDictionary ? tree.children(of: node ?? 0).map { tree.key(of: $0) } : []
        let isUpperCase = siblings.contains { $0.contains(where: \.isUppercase) }
        if isUpperCase, !siblings.contains(where: { $0.contains(where: \.isLowercase) }) { return word }
        let parts = word.lowercased().split(separator: "_", omittingEmptySubsequences: false)
        let isCamelCase = siblings.contains { key in
            zip(key, key.dropFirst()).contains { $0.isLowercase && $1.isUppercase }
        }
        if isCamelCase {
            return parts[0] + parts.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        }
        return parts.joined(separator: siblings.contains { $0.contains("-") } ? "-" : "_")
    }
}

extension ConfigPath {
    /// The keys of the path.
    var keys: [String] { components.compactMap(\.key) }
}
