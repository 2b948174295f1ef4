/// The paths of lower layers, of settings, and of typed keys, with which variables and arguments are matched.
struct ConfigKnownPaths {
    let root: ConfigNode
    /// The types that settings and typed keys declare.
    let declared: ConfigShape

    /// The maximum number of steps in a variable or argument.
    static let maximumDepth = 64

    struct Match {
        var steps: [ConfigPath.Component]
        /// The value of the lower layers at the path.
        var node: ConfigNode?
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
        var match = Match(steps: [], node: root, shape: declared, isKnown: true)
        // The same path with the declared keys, as long as all of them are declared.
        var declaredSteps: [ConfigPath.Component] = []
        let literal = adaptsSpelling ? literalKey(words) : nil
        if let literal {
            let key = literal.key
            match = Match(steps: [.key(key)], node: root.child(.key(key)), shape: shape(ofRootKey: key), isKnown: true)
            declaredSteps = match.steps
        }
        for (depth, word) in words.enumerated().dropFirst(literal?.length ?? 0) {
            let isArray = match.shape?.isArray == true || match.node?.elements != nil
            if let index = indices[depth], isArray {
                match.node = match.node?.child(.index(index))
                match.shape = match.shape?.element
                match.steps.append(.index(index))
                declaredSteps.append(.index(index))
                continue
            }
            let entry = entry(word, match, adaptsSpelling)
            if let key = match.node.flatMap({ self.key(of: $0, word) }) {
                match.node = match.node?.child(.key(key))
                match.steps.append(.key(key))
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

    /// Returns the key of a dictionary for a word.
    private func key(of node: ConfigNode, _ word: String) -> String? {
        if node.child(.key(word)) != nil { return word }
        let keys = node.keys
        let (lowercased, folded) = (word.lowercased(), Self.folded(word))
        return keys.first { $0.lowercased() == lowercased } ?? keys.first { Self.folded($0) == folded }
    }

    /// Returns the root key with dots that the first words spell, which hides the nested path with the same text.
    private func literalKey(_ words: [String]) -> (key: String, length: Int)? {
        let folded = words.map(Self.folded)
        for key in root.keys where key.utf8.contains(where: ConfigPath.needsEscape) {
            let keys = ConfigPath(key).keys.map(Self.folded)
            if keys.count > 1, folded.starts(with: keys) { return (key, keys.count) }
        }
        return nil
    }

    /// Returns the letters and digits of a key in lowercase: `MAX_RETRIES`, `maxRetries`, and `max-retries` are equal.
    private static func folded(_ text: String) -> String {
        String(text.lowercased().filter { !"_-. ".contains($0) })
    }

    /// Returns an unknown word in the style of a dictionary's keys.
    private func spelling(of word: String, in node: ConfigNode?) -> String {
        if word.contains(where: \.isLowercase) { return word }
        let siblings = node?.keys ?? []
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
