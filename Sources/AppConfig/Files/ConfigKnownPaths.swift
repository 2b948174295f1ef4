/// The paths of lower layers, of settings, and of typed keys, with which variables and arguments are matched.
struct ConfigKnownPaths {
    let root: ConfigNode
    /// The types that settings and typed keys declare.
    let declared: ConfigShape
    /// The keys of the dictionaries and the declared keys that were searched, each read once however many names there are.
    private var givenKeys: [[ConfigPath.Component]: Keys] = [:]
    private var declaredKeys: [[ConfigPath.Component]: Keys] = [:]
    /// The root keys with dots, each of which hides the nested path with the same text.
    private lazy var literalKeys: [(key: String, words: [String])] = root.keys.compactMap { key in
        guard key.utf8.contains(where: ConfigPath.needsEscape) else { return nil }
        let words = ConfigPath(key).components.compactMap(\.key).map(Keys.folded)
        return words.count > 1 ? (key, words) : nil
    }

    /// The maximum number of steps in a variable or argument.
    static let maximumDepth = 64

    init(root: ConfigNode, declared: ConfigShape) {
        self.root = root
        self.declared = declared
    }

    struct Match {
        var steps: [ConfigPath.Component]
        /// The value of the lower layers at the path.
        var node: ConfigNode?
        /// The declared type of the value.
        var shape: ConfigShape?
        /// Whether the whole path is known.
        var isKnown: Bool
    }

    /// The keys of one dictionary, which are found regardless of case and separators.
    private struct Keys {
        private var lowercased: [String: String] = [:]
        private var folded: [String: String] = [:]

        init(_ keys: [String]) {
            for key in keys.reversed() {
                lowercased[key.lowercased()] = key
                folded[Self.folded(key)] = key
            }
        }

        /// Returns the key for a word: the first one that differs in case only, or in case and separators.
        func find(_ word: String) -> String? { lowercased[word.lowercased()] ?? folded[Self.folded(word)] }

        /// Returns the letters and digits of a key in lowercase: `MAX_RETRIES`, `maxRetries`, and `max-retries` are equal.
        static func folded(_ text: String) -> String {
            String(decoding: text.lowercased().utf8.filter { !"_-. ".utf8.contains($0) }, as: UTF8.self)
        }
    }

    /// Finds the path for the words of a variable, such as `HTTP` and `MAX_RETRIES`.
    ///
    /// Known keys are found regardless of case and separators. The rest of the path is written in lowercase.
    mutating func match(variable words: [String]) -> Match {
        let indices = words.map { word in word.utf8.allSatisfy { $0.isDigit } ? Int(word) : nil }
        return match(words, indices: indices, isVariable: true)
    }

    /// Finds the path of an argument; its unknown part isn't changed.
    mutating func match(argument path: ConfigPath) -> Match {
        var words: [String] = []
        var indices: [Int?] = []
        for step in path.components {
            switch step {
            case .key(let key):
                words.append(key)
                indices.append(nil)
            case .index(let index):
                words.append("\(index)")
                indices.append(index)
            }
        }
        return match(words, indices: indices, isVariable: false)
    }

    private mutating func match(_ words: [String], indices: [Int?], isVariable: Bool) -> Match {
        var match = Match(steps: [], node: root, shape: declared, isKnown: true)
        // The same path with the declared keys, as long as all of them are declared.
        var declaredSteps: [ConfigPath.Component] = []
        let literal = isVariable ? literalKey(words) : nil
        if let key = literal?.key {
            let shape = ConfigPath(key).components.reduce(Optional(declared)) { $0?.entries[$1.key ?? ""] }
            match = Match(steps: [.key(key)], node: root.child(.key(key)), shape: shape, isKnown: true)
            declaredSteps = match.steps
        }
        for (depth, word) in words.enumerated().dropFirst(literal?.words.count ?? 0) {
            let isArray = match.shape?.isArray == true || match.node?.elements != nil
            if let index = indices[depth], isArray {
                match.node = match.node?.child(.index(index))
                match.shape = match.shape?.element
                match.steps.append(.index(index))
                declaredSteps.append(.index(index))
                continue
            }
            let entry = declaredEntry(word, match.shape, at: declaredSteps, isVariable)
            if let key = match.node.flatMap({ givenKey(word, in: $0, at: match.steps) }) {
                match.node = match.node?.child(.key(key))
                match.steps.append(.key(key))
            } else if let entry {
                match.node = nil
                match.steps = declaredSteps + [.key(entry.key)]
            } else {
                match.isKnown = false
                match.node = nil
                let index = isVariable ? nil : indices[depth]
                match.steps.append(index.map { .index($0) } ?? .key(isVariable ? Self.spelling(word) : word))
            }
            match.shape = entry?.shape
            if let entry { declaredSteps.append(.key(entry.key)) }
        }
        return match
    }

    /// Returns the declared key for a word, and its type; the keys of a dictionary are arbitrary.
    private mutating func declaredEntry(
        _ word: String, _ shape: ConfigShape?, at steps: [ConfigPath.Component], _ isVariable: Bool
    ) -> (key: String, shape: ConfigShape)? {
        switch shape {
        case .dictionary(let value): return (isVariable ? Self.spelling(word) : word, value)
        case .structure(let entries):
            if let exact = entries[word] { return (word, exact) }
            let keys = declaredKeys[steps] ?? Keys(entries.keys.sorted())
            declaredKeys[steps] = keys
            return keys.find(word).flatMap { key in entries[key].map { (key, $0) } }
        default: return nil
        }
    }

    /// Returns the key of a dictionary of the lower layers for a word.
    private mutating func givenKey(
        _ word: String, in node: ConfigNode, at steps: [ConfigPath.Component]
    ) -> String? {
        if node.child(.key(word)) != nil { return word }
        guard case .dictionary = node else { return nil }
        let keys = givenKeys[steps] ?? Keys(node.keys)
        givenKeys[steps] = keys
        return keys.find(word)
    }

    /// Returns the longest root key with dots that the words spell, or that is a section for the rest of them.
    private mutating func literalKey(_ words: [String]) -> (key: String, words: [String])? {
        if literalKeys.isEmpty { return nil }
        let folded = words.map(Keys.folded)
        let root = root
        return literalKeys.filter { literal in
            folded.starts(with: literal.words)
                && (literal.words.count == words.count || root.child(.key(literal.key))?.kind.isContainer == true)
        }.max { $0.words.count < $1.words.count }
    }

    /// Returns an unknown word of a variable as a key.
    private static func spelling(_ word: String) -> String {
        word.contains(where: \.isLowercase) ? word : word.lowercased()
    }
}
