internal import AshlarCore

/// The composition of one table's layers: the resolved value of each key.
///
/// Composition creates strings, decodes numbers and colors, and follows aliases once. A read is then one hash and one
/// comparison of bytes. Keys are compared as bytes, as in the files: Swift's equality of strings would unite a composed and
/// a decomposed accent.
final class ComposedTable: Sendable {
    struct Entry: Sendable {
        let key: String
        /// The positions of the defining table in ``sources`` and of the record in it.
        var source: Int
        var record: Int
        /// The value as text; nil if it has none.
        var text: String?
        /// The value's interpretations; nil if it is only a text.
        var typed: Typed?
        /// The entry with the value: the entry itself, the end of its aliases, or nil if an alias can't be resolved.
        var target: Int?
        /// The key that the value refers to, if it is an alias.
        var alias: String?
        /// Whether the value comes from the base language although another language is selected.
        var isFallback = false
    }

    let name: String
    /// The tables with this name in the layers, lowest first.
    let sources: [(layer: Int, table: StringsTable)]
    let entries: [Entry]
    private let index: HashIndex
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
    init(name: String, layers: [CustomizationLayer], numbers: NumberSpelling, hasLanguage: Bool) {
        self.name = name
        let sources = layers.indices.compactMap { i in layers[i].tables[name].map { (layer: i, table: $0) } }
        self.sources = sources
        var composition = Composition(sources.map(\.table))
        for number in composition.entries.indices {
            let layer = layers[sources[composition.entries[number].source].layer]
            if hasLanguage, case .base = layer.role { composition.entries[number].isFallback = true }
            composition.interpret(number, in: layer, numbers: numbers)
        }
        let fading = Set(sources.indices.filter { layers[sources[$0].layer].colors == .db5 })
        composition.fade { $0.alias == nil && fading.contains($0.source) }
        composition.followAliases()
        composition.fade { $0.alias != nil && fading.contains($0.source) }
        entries = composition.entries
        index = composition.index
    }

    // MARK: Finding

    /// Returns the number of a key's entry; nil if no layer defines it.
    func number(of key: String) -> Int? { index.number(of: key, in: entries) }

    // MARK: Reading an entry

    /// Returns the number of the layer that defines an entry.
    func layer(of entry: Entry) -> Int { sources[entry.source].layer }

    /// Returns an entry as its file defines it.
    func definition(of entry: Entry) -> CustomizationEntry {
        sources[entry.source].table.storage.entry(of: entry.record)
    }

    /// Returns the location of an entry's value.
    func location(of entry: Entry) -> CustomizationLocation {
        sources[entry.source].table.storage.location(of: entry.record)
    }

    /// Returns the value of an entry; a string without the escape of an alias.
    func value(of entry: Entry) -> CustomizationValue {
        let storage = sources[entry.source].table.storage
        if storage.records[entry.record].hasPlainText, let text = entry.text { return .string(text) }
        return storage.value(of: entry.record)
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
        } else if let text = entries[number].text {
            message = isICU ? CustomizationMessage(icu: text) : CustomizationMessage(text)
        } else if let converted = CustomizationMessage(stringsDict: value) {
            message = converted
        } else {
            return nil
        }
        let new = Message(message: message, language: conventions(layer(of: target)))
        messages.withLock { $0[identity] = new }
        return new
    }

    /// Returns the keys that an alias refers to, the entry's own key first, and the number of the last entry.
    ///
    /// The last entry is nil if its key does not exist, and an alias if the aliases form a cycle or are too many. An entry
    /// that isn't an alias has only its own key.
    func aliasPath(of number: Int) -> (keys: [String], end: Int?) {
        index.aliasPath(of: number, in: entries)
    }
}

extension HashIndex {
    fileprivate func number(of key: String, in entries: [ComposedTable.Entry]) -> Int? {
        key.withKeyBytes { bytes in
            find(ByteHash.hash(bytes)) { number in
                entries[number].key.withKeyBytes { Self.areEqual($0, bytes) }
            }
        }
    }

    fileprivate static func areEqual(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
        Span(_unsafeElements: left).bytes.hasSameBytes(as: Span(_unsafeElements: right).bytes)
    }

    /// The maximum number of aliases that are followed in sequence.
    private static let maximumAliases = 64

    fileprivate func aliasPath(of number: Int, in entries: [ComposedTable.Entry]) -> (keys: [String], end: Int?) {
        var path = [entries[number].key]
        var at: Int? = number
        while let alias = at.flatMap({ entries[$0].alias }), path.count <= Self.maximumAliases {
            let isCycle = path.contains(alias)
            path.append(alias)
            at = self.number(of: alias, in: entries)
            if isCycle { break }
        }
        return (path, at)
    }
}

/// The entries of a table during its composition.
private struct Composition {
    var entries: [ComposedTable.Entry] = []
    var index: HashIndex
    private let tables: [StringsTable]

    /// Finds the table that defines each key: the last one that has it.
    init(_ tables: [StringsTable]) {
        self.tables = tables
        let bound = tables.reduce(0) { $0 + $1.storage.winnerCount }
        index = HashIndex(expecting: bound)
        entries.reserveCapacity(bound)
        for (source, table) in tables.enumerated() {
            for (number, record) in table.storage.records.enumerated() where !record.isShadowed {
                add(record, number, of: source)
            }
        }
    }

    private mutating func add(_ record: StringsTable.Record, _ number: Int, of source: Int) {
        tables[source].storage.withBytes(record.key) { bytes in
            let known = index.insert(entries.count, hash: record.hash) { [entries] other in
                entries[other].key.withKeyBytes { HashIndex.areEqual($0, bytes) }
            }
            if let known {
                entries[known].source = source
                entries[known].record = number
            } else {
                let key = String(decoding: bytes, as: UTF8.self)
                entries.append(ComposedTable.Entry(key: key, source: source, record: number, target: entries.count))
            }
        }
    }

    /// Decodes the text of an entry, its interpretations and its alias.
    mutating func interpret(_ number: Int, in layer: CustomizationLayer, numbers: NumberSpelling) {
        let storage = tables[entries[number].source].storage
        let record = entries[number].record
        if storage.records[record].hasPlainText {
            let written = storage.allTexts()[record]
            if layer.resolvesAliases, let alias = AliasSyntax.alias(written) {
                entries[number].alias = alias
                return
            }
            let text = layer.resolvesAliases ? AliasSyntax.unescaped(written) : written
            entries[number].text = text
            entries[number].typed = ComposedTable.Typed(text, dialect: layer.colors, numbers: numbers)
        } else {
            let value = storage.value(of: record)
            if case .alias(let key) = value {
                entries[number].alias = key
                return
            }
            entries[number].text = value.text == nil ? nil : storage.allTexts()[record]
            entries[number].typed = ComposedTable.Typed(value, dialect: layer.colors, numbers: numbers)
        }
    }

    /// Applies the alphas of colors in DB5's dialect: `nameAlpha` for `name`.
    ///
    /// The color and the alpha can come from different themes, so only the composed table can combine them.
    mutating func fade(where isFading: (ComposedTable.Entry) -> Bool) {
        for number in entries.indices where isFading(entries[number]) {
            guard let color = entries[number].typed?.color,
                let alpha = index.number(of: entries[number].key + "Alpha", in: entries),
                let factor = entries[alpha].typed?.double
            else { continue }
            entries[number].typed?.color = color.withAlpha(color.alpha * Float(min(max(factor, 0), 1)))
        }
    }

    /// Gives each alias the value of the last key that it refers to.
    mutating func followAliases() {
        for start in entries.indices where entries[start].alias != nil {
            guard let end = index.aliasPath(of: start, in: entries).end, entries[end].alias == nil else {
                entries[start].target = nil
                continue
            }
            entries[start].target = end
            entries[start].text = entries[end].text
            entries[start].typed = entries[end].typed
        }
    }
}
