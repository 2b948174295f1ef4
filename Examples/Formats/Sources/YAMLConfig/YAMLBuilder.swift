import AshlarAppConfig

/// Builds a document from the events of a file, without recursion.
struct YAMLBuilder {
    /// A mapping or a sequence that isn't complete.
    private struct Frame {
        var isMapping: Bool
        var anchor: String?
        var path: [ConfigPath.Component]
        var place: YAMLPlace
        var entries: [String: ConfigValue] = [:]
        var elements: [ConfigValue] = []
        /// The key whose value comes next.
        var key: String?
        /// The mappings that `<<` adds, the strongest first.
        var merged: [(value: ConfigValue, place: YAMLPlace)] = []
        /// The number of values in it.
        var count = 1

        var value: ConfigValue { isMapping ? .dictionary(entries) : .array(elements) }
    }

    private struct Leaf {
        var path: [ConfigPath.Component]
        var value: ConfigValue
        var place: YAMLPlace
    }

    private let limits: ConfigLimits
    private var frames: [Frame] = []
    private var leaves: [Leaf] = []
    private var anchors: [String: (value: ConfigValue, count: Int)] = [:]
    private var documents = 0
    private var count = 0

    init(limits: ConfigLimits) { self.limits = limits }

    /// Returns the values with their positions.
    func document() throws -> ConfigDocument {
        var document = ConfigDocument()
        for leaf in leaves where !leaf.path.isEmpty {
            try document.set(leaf.value, at: ConfigPath(leaf.path), line: leaf.place.line, column: leaf.place.column)
        }
        return document
    }

    mutating func add(_ event: YAMLEvent) throws {
        switch event.kind {
        case .documentStart:
            documents += 1
            if documents > 1 { throw error("a second document", event.place) }
        case .mappingStart, .sequenceStart: try open(event)
        case .end: try close()
        case .alias(let name):
            guard let known = anchors[name] else { throw error("no anchor &\(name) before this alias", event.place) }
            if let last = frames.last, last.isMapping, last.key == nil {
                guard case .string(let text) = known.value else {
                    throw error("expected a scalar as the key", event.place)
                }
                return try setKey(text, event.place)
            }
            try append(known.value, known.count, event.place, isLeaf: true)
        case .scalar(let text, let isPlain):
            if let last = frames.last, last.isMapping, last.key == nil {
                if let anchor = event.anchor { anchors[anchor] = (.string(text), 1) }
                return try setKey(text, event.place)
            }
            let value = isPlain ? try YAMLScalar.value(text, event.place) : .string(text)
            if let anchor = event.anchor { anchors[anchor] = (value, 1) }
            try append(value, 1, event.place, isLeaf: true)
        }
    }

    private mutating func setKey(_ key: String, _ place: YAMLPlace) throws {
        let last = frames.count - 1
        guard key == "<<" || frames[last].entries[key] == nil else { throw error("duplicate key \(key)", place) }
        frames[last].key = key
    }

    private mutating func open(_ event: YAMLEvent) throws {
        guard case .mappingStart = event.kind else {
            if frames.isEmpty { throw error("expected a mapping as the root", event.place) }
            return try push(event, isMapping: false)
        }
        try push(event, isMapping: true)
    }

    private mutating func push(_ event: YAMLEvent, isMapping: Bool) throws {
        if let last = frames.last, last.isMapping, last.key == nil {
            throw error("expected a scalar as the key", event.place)
        }
        if frames.count >= limits.depth { throw error("more than \(limits.depth) nested collections", event.place) }
        frames.append(Frame(isMapping: isMapping, anchor: event.anchor, path: nextPath, place: event.place))
    }

    /// The path of the next value.
    private var nextPath: [ConfigPath.Component] {
        guard let last = frames.last else { return [] }
        return last.path + [last.isMapping ? .key(last.key ?? "") : .index(last.elements.count)]
    }

    private mutating func close() throws {
        guard var frame = frames.popLast() else { return }
        // The keys of the mapping itself are stronger than those that it merges.
        for merged in frame.merged {
            for (key, value) in (merged.value.dictionary ?? [:]).sorted(by: { $0.key < $1.key })
            where frame.entries[key] == nil {
                frame.entries[key] = value
                leaves.append(Leaf(path: frame.path + [.key(key)], value: value, place: merged.place))
            }
        }
        if let anchor = frame.anchor { anchors[anchor] = (frame.value, frame.count) }
        let isEmpty = frame.entries.isEmpty && frame.elements.isEmpty
        if !frames.isEmpty { try append(frame.value, frame.count, frame.place, isLeaf: isEmpty) }
    }

    /// Adds a value to the innermost collection.
    private mutating func append(_ value: ConfigValue, _ size: Int, _ place: YAMLPlace, isLeaf: Bool) throws {
        guard let last = frames.indices.last else {
            // A file without values is empty.
            if value == .null { return }
            throw error("expected a mapping as the root", place)
        }
        // An alias adds all values of its anchor again.
        count += isLeaf ? size : 1
        if count > limits.values { throw error("more than \(limits.values) values", place) }
        frames[last].count += size
        let path = nextPath
        guard frames[last].isMapping else {
            frames[last].elements.append(value)
            if isLeaf { leaves.append(Leaf(path: path, value: value, place: place)) }
            return
        }
        let key = frames[last].key ?? ""
        frames[last].key = nil
        if key == "<<" {
            let mappings = value.array ?? [value]
            guard mappings.allSatisfy({ $0.dictionary != nil }) else {
                throw error("expected a mapping after <<", place)
            }
            frames[last].merged += mappings.map { ($0, place) }
            // The leaves of an inline mapping have the path of the key `<<`.
            leaves.removeAll { $0.path.starts(with: path) }
            return
        }
        frames[last].entries[key] = value
        if isLeaf { leaves.append(Leaf(path: path, value: value, place: place)) }
    }

    private func error(_ reason: String, _ place: YAMLPlace) -> ConfigError {
        .malformed(reason, line: place.line, column: place.column)
    }
}

/// Reads plain scalars by the core schema of YAML 1.2 (yaml.org/spec/1.2.2, section 10.3.2).
enum YAMLScalar {
    static func value(_ text: String, _ place: YAMLPlace) throws -> ConfigValue {
        switch text {
        case "", "~", "null", "Null", "NULL": return .null
        case "true", "True", "TRUE": return .boolean(true)
        case "false", "False", "FALSE": return .boolean(false)
        case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF": return .real(.infinity)
        case "-.inf", "-.Inf", "-.INF": return .real(-.infinity)
        case ".nan", ".NaN", ".NAN": return .real(.nan)
        default: break
        }
        if let digits = digits(of: text) {
            if let number = Int64(digits.text, radix: digits.radix) { return .integer(number) }
            if let number = UInt64(digits.text, radix: digits.radix) { return .unsigned(number) }
            throw ConfigError.malformed("expected a 64-bit integer", line: place.line, column: place.column)
        }
        guard isNumber(text), let number = Double(text) else { return .string(text) }
        return .real(number)
    }

    /// The digits of an integer and their base.
    private static func digits(of text: String) -> (text: String, radix: Int)? {
        func isAll(_ text: Substring, _ digits: String) -> Bool { !text.isEmpty && text.allSatisfy(digits.contains) }
        if text.hasPrefix("0x"), isAll(text.dropFirst(2), "0123456789abcdefABCDEF") {
            return (String(text.dropFirst(2)), 16)
        }
        if text.hasPrefix("0o"), isAll(text.dropFirst(2), "01234567") { return (String(text.dropFirst(2)), 8) }
        let unsigned = text.first.map { "+-".contains($0) } == true ? text.dropFirst() : text[...]
        return isAll(unsigned, "0123456789") ? (text.first == "+" ? String(unsigned) : text, 10) : nil
    }

    /// Whether a text has the form of a decimal number, because `Double` also reads names and hexadecimal digits.
    private static func isNumber(_ text: String) -> Bool {
        text.contains { "0123456789".contains($0) } && text.allSatisfy { "0123456789+-.eE".contains($0) }
            && text.first.map { !"eE".contains($0) } == true
    }
}
