internal import AshlarCore

/// The composition of one table's layers: the highest layer that defines each key.
///
/// Composition finds the entries and follows aliases once. A read is then one look-up, and converts the value.
final class ComposedTable: Sendable {
    struct Entry: Sendable {
        let key: String
        /// The positions of the defining table in ``sources`` and of the entry in it.
        var source: Int
        var record: Int
        /// The entry with the value: the entry itself, the end of its aliases, or nil if an alias can't be resolved.
        var target: Int?
        /// The key that the value refers to, if it is an alias.
        var alias: String?
    }

    /// A table of a layer.
    struct Source: Sendable {
        /// The number of the layer.
        let layer: Int
        let table: StringsTable
        let colors: ColorDialect
        let resolvesAliases: Bool
    }

    let name: String
    /// The tables with this name in the layers, lowest first.
    let sources: [Source]
    let entries: [Entry]
    private let numbers: [ByteKey: Int]
    /// The messages that have been formatted, by entry and notation.
    private let messages = Mutex<[Int: Message]>([:])

    /// A message of the table and the conventions of its language.
    struct Message: Sendable {
        let message: CustomizationMessage
        let language: LanguageConventions
    }

    /// Composes tables.
    ///
    /// - Complexity: O(*n*) in the entries of all tables.
    init(name: String, layers: [CustomizationLayer]) {
        self.name = name
        sources = layers.enumerated().compactMap { number, layer in
            layer.tables[name].map {
                Source(layer: number, table: $0, colors: layer.colors, resolvesAliases: layer.resolvesAliases)
            }
        }
        var (entries, numbers): ([Entry], [ByteKey: Int]) = ([], [:])
        let bound = sources.map(\.table.count).max() ?? 0
        entries.reserveCapacity(bound)
        numbers.reserveCapacity(bound)
        for (source, content) in sources.enumerated() {
            for (record, entry) in content.table.entries.enumerated() where !entry.isReplaced {
                let key = ByteKey(entry.key)
                let alias = Self.alias(entry.value, in: content)
                if let known = numbers[key] {
                    entries[known].source = source
                    entries[known].record = record
                    entries[known].alias = alias
                } else {
                    numbers[key] = entries.count
                    entries.append(
                        Entry(key: entry.key, source: source, record: record, target: entries.count, alias: alias))
                }
            }
        }
        for number in entries.indices where entries[number].alias != nil {
            let end = Self.aliasPath(of: number, in: entries, numbers).end
            entries[number].target = end.flatMap { entries[$0].alias == nil ? $0 : nil }
        }
        self.entries = entries
        self.numbers = numbers
    }

    private static func alias(_ value: CustomizationValue, in source: Source) -> String? {
        switch value {
        case .alias(let key): key
        case .string(let text) where source.resolvesAliases: AliasSyntax.alias(text)
        default: nil
        }
    }

    // MARK: Finding

    /// Returns the number of a key's entry; nil if no layer defines it.
    func number(of key: String) -> Int? { numbers[ByteKey(key)] }

    /// The maximum number of aliases that are followed in sequence.
    private static let maximumAliases = 64

    /// Returns the keys that an alias refers to, the entry's own key first, and the number of the last entry.
    ///
    /// The last entry is nil if its key does not exist, and an alias if the aliases form a cycle or are too many. An entry
    /// that isn't an alias has only its own key.
    func aliasPath(of number: Int) -> (keys: [String], end: Int?) { Self.aliasPath(of: number, in: entries, numbers) }

    private static func aliasPath(
        of number: Int, in entries: [Entry], _ numbers: [ByteKey: Int]
    ) -> (keys: [String], end: Int?) {
        var path = [entries[number].key]
        var at: Int? = number
        while let alias = at.flatMap({ entries[$0].alias }), path.count <= maximumAliases {
            let isCycle = path.contains(alias)
            path.append(alias)
            at = numbers[ByteKey(alias)]
            if isCycle { break }
        }
        return (path, at)
    }

    // MARK: Reading an entry

    /// Returns the number of the layer that defines an entry.
    func layer(of entry: Entry) -> Int { sources[entry.source].layer }

    /// Returns an entry as its file defines it.
    func definition(of entry: Entry) -> CustomizationEntry { sources[entry.source].table.entry(at: entry.record) }

    /// Returns the location of an entry's value.
    func location(of entry: Entry) -> CustomizationLocation {
        let table = sources[entry.source].table
        return table.location(of: table.entries[entry.record])
    }

    /// Returns the value of an entry; a string without the escape of an alias.
    func value(of entry: Entry) -> CustomizationValue {
        let source = sources[entry.source]
        let value = source.table.entries[entry.record].value
        if source.resolvesAliases, case .string(let text) = value { return .string(AliasSyntax.unescaped(text)) }
        return value
    }

    /// Returns the message of an entry; nil if the value is neither a string nor a message.
    ///
    /// - Parameters:
    ///   - number: The number of the entry.
    ///   - isICU: Whether a text is an ICU message; otherwise it is a format.
    ///   - conventions: Returns the conventions of the layer with the given number.
    /// - Returns: The message and the conventions of its language, or nil.
    func message(
        of number: Int, isICU: Bool, conventions: (_ layer: Int) -> LanguageConventions
    ) -> Message? {
        let identity = number * 2 + (isICU ? 1 : 0)
        if let known = messages.withLock({ $0[identity] }) { return known }
        guard let target = entries[number].target.map({ entries[$0] }) else { return nil }
        let value = value(of: target)
        let message: CustomizationMessage
        if case .message(let known) = value {
            message = known
        } else if let text = value.text {
            message = isICU ? CustomizationMessage(icu: text) : CustomizationMessage(text)
        } else {
            return nil
        }
        let new = Message(message: message, language: conventions(layer(of: target)))
        messages.withLock { $0[identity] = new }
        return new
    }
}
