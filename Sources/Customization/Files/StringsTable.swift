internal import AshlarCore
internal import AshlarTrees

/// The entries of one file: keys with their values and locations, in the order of the file.
///
/// A table is a value with shared storage, so a copy costs no memory. Keys are compared by their UTF-8 bytes: `é` as one
/// scalar and `e` with a combining accent are different keys. For a duplicate key, the last value wins.
public struct StringsTable: Sendable {
    /// A key with its value and place.
    struct Entry: Sendable {
        enum Place: Sendable {
            /// The offset in the file's text.
            case byte(Int)
            case location(CustomizationLocation)
        }

        enum Comment: Sendable {
            /// The range in the file's text, with the delimiters.
            case range(Range<Int>)
            case text(String)
        }

        let key: String
        let value: CustomizationValue
        let place: Place
        let comment: Comment?
        /// Whether a later entry has the same key.
        var isReplaced = false
    }

    /// The text of the file, for locations and comments.
    let text: SourceText
    /// All entries in order.
    private(set) var entries: [Entry] = []
    /// The positions of the entries that aren't replaced.
    private var numbers: [ByteKey: Int] = [:]

    init(text: SourceText, capacity: Int = 0) {
        self.text = text
        entries.reserveCapacity(capacity)
        numbers.reserveCapacity(capacity)
    }

    /// Creates a table from entries; for duplicate keys, the last entry wins.
    ///
    /// - Parameters:
    ///   - file: The file of locations without a file.
    ///   - entries: The entries, in order.
    public init(file: String = "", entries: [CustomizationEntry]) {
        self.init(text: SourceText(withoutLines: file))
        for entry in entries { append(entry) }
    }

    /// Adds an entry; returns the offset in the file of the entry that it replaces, if there is one.
    @discardableResult
    mutating func append(_ entry: Entry) -> Int? {
        let earlier = numbers.updateValue(entries.count, forKey: ByteKey(entry.key))
        entries.append(entry)
        guard let earlier else { return nil }
        entries[earlier].isReplaced = true
        if case .byte(let offset) = entries[earlier].place { return offset }
        return 0
    }

    private mutating func append(_ entry: CustomizationEntry) {
        append(
            Entry(
                key: entry.key, value: entry.value, place: .location(entry.location),
                comment: entry.comment.map { .text($0) }))
    }

    /// The number of keys.
    public var count: Int { numbers.count }
    /// Whether the table has no key.
    package var isEmpty: Bool { numbers.isEmpty }
    /// The path of the file that the table was read from.
    package var file: String { text.file }

    /// The value of a key; nil if the table does not define it.
    ///
    /// - Parameter key: The key, compared byte by byte.
    public subscript(key: String) -> CustomizationValue? { numbers[ByteKey(key)].map { entries[$0].value } }

    /// The entry of a key; nil if the table does not define it.
    ///
    /// - Parameter key: The key, compared byte by byte.
    /// - Returns: The entry, or nil.
    /// - Complexity: O(*n*) in the bytes of the file for the first call, which counts the lines.
    package func entry(_ key: String) -> CustomizationEntry? { numbers[ByteKey(key)].map { entry(at: $0) } }

    /// Returns an entry with its location and comment.
    func entry(at number: Int) -> CustomizationEntry {
        let entry = entries[number]
        return CustomizationEntry(
            key: entry.key, value: entry.value, location: location(of: entry), comment: comment(of: entry))
    }

    func location(of entry: Entry) -> CustomizationLocation {
        switch entry.place {
        case .byte(let offset): text.location(ofByte: offset)
        case .location(let location): location
        }
    }

    private func comment(of entry: Entry) -> String? {
        switch entry.comment {
        case nil: return nil
        case .text(let text)?: return text
        case .range(let range)?:
            let written = String(decoding: text.utf8[range], as: UTF8.self)
            return String(written.dropFirst(2).dropLast(written.hasPrefix("/*") ? 2 : 0)).trimmingSpace()
        }
    }

    /// Returns the table with the entries of another one, whose values win for keys in both.
    ///
    /// - Parameter other: The other table.
    /// - Returns: The merged table.
    /// - Complexity: O(*n* + *m*) in the entries of both.
    package func merging(_ other: StringsTable) -> StringsTable {
        if isEmpty { return other }
        if other.isEmpty { return self }
        return StringsTable(file: file, entries: Array(self) + Array(other))
    }
}

extension StringsTable: Sequence {
    /// Iterates over the entries in the order of the file, without replaced ones.
    public func makeIterator() -> AnyIterator<CustomizationEntry> {
        var numbers = entries.indices.makeIterator()
        return AnyIterator {
            while let number = numbers.next() {
                if !entries[number].isReplaced { return entry(at: number) }
            }
            return nil
        }
    }
}

/// A key that is compared byte by byte: Swift's equality of strings would unite a composed and a decomposed accent.
struct ByteKey: Hashable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (first: ByteKey, second: ByteKey) -> Bool {
        first.text.withKeyBytes { first in
            second.text.withKeyBytes { second in
                Span(_unsafeElements: first).bytes.hasSameBytes(as: Span(_unsafeElements: second).bytes)
            }
        }
    }

    func hash(into hasher: inout Hasher) {
        text.withKeyBytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// A key with its value and location.
public struct CustomizationEntry: Hashable, Sendable {
    /// The key.
    public var key: String
    /// The value.
    public var value: CustomizationValue
    /// The start of the key in its file.
    public var location: CustomizationLocation
    /// The text of the comment directly before the entry, without its delimiters, if there is one.
    public var comment: String?

    /// Creates an entry.
    public init(
        key: String, value: CustomizationValue, location: CustomizationLocation = .init(file: ""),
        comment: String? = nil
    ) {
        self.key = key
        self.value = value
        self.location = location
        self.comment = comment
    }
}

extension StringsTable {
    /// Parses a strings file in UTF-8, UTF-16 or UTF-32, or an XML or binary property list.
    ///
    /// The encoding is detected by the byte order mark; UTF-16 without one is detected by its zero bytes. All other
    /// files must be UTF-8. Each error results in a diagnostic with line and column; the statement with the error isn't
    /// read, and reading continues after the next `;` at the end of a line. Bytes that aren't text in the file's
    /// encoding, and a malformed property list, result in an empty table.
    ///
    /// ```swift
    /// let text = "\"OK\" = \"Fine\";\n\"Cancel\" \"Stop\";\n\"Close\" = \"Close\";\n"
    /// let parsed = StringsTable.parse(strings: Array(text.utf8), file: "a.strings")
    /// print(parsed.table.map(\.key))  // ["OK", "Close"]
    /// for problem in parsed.diagnostics { print(problem) }  // a.strings:2:10: error: expected "=" or ";" …
    /// ```
    ///
    /// - Parameters:
    ///   - bytes: The file's bytes.
    ///   - file: The file's path, for locations.
    /// - Returns: The table and the problems.
    /// - Complexity: O(*n*) in the number of bytes.
    public static func parse(
        strings bytes: [UInt8], file: String = ""
    ) -> (table: StringsTable, diagnostics: [CustomizationDiagnostic]) {
        if PropertyListReader.isBinary(bytes) || PropertyListReader.isXML(bytes) {
            return table(of: PropertyListReader.read(bytes: bytes, file: file)) { $0.value.value() }
        }
        let text = SourceText(bytes: bytes, file: file)
        if text.isRejected { return (StringsTable(text: text), text.diagnostics) }
        var parser = StringsParser(text)
        parser.parse()
        return (parser.table, text.diagnostics + parser.diagnostics)
    }

    /// Returns the members of a property list with their values.
    static func table(
        of read: ReadFile, _ value: (PlacedValue.Member) -> CustomizationValue
    ) -> (table: StringsTable, diagnostics: [CustomizationDiagnostic]) {
        var table = StringsTable(text: read.text)
        var diagnostics = read.diagnostics
        guard let root = read.root else { return (table, diagnostics) }
        guard let members = root.members else {
            diagnostics.add(
                .error, .notATable, "expected a dictionary, found a \(root.value().typeName)",
                at: CustomizationLocation(file: table.file))
            return (table, diagnostics)
        }
        for member in members {
            table.append(Entry(key: member.key, value: value(member), place: .byte(member.offset), comment: nil))
        }
        diagnostics += root.repeats(in: read.text)
        return (table, diagnostics)
    }
}

extension PlacedValue {
    /// Returns a diagnostic for each key that a dictionary at any depth has twice.
    func repeats(in text: SourceText) -> [CustomizationDiagnostic] {
        switch content {
        case .array(let items): return items.flatMap { $0.repeats(in: text) }
        case .dictionary(let members):
            var (seen, found): ([ByteKey: Int], [CustomizationDiagnostic]) = ([:], [])
            for member in members {
                if let earlier = seen.updateValue(member.offset, forKey: ByteKey(member.key)) {
                    found.append(
                        .duplicate(member.key, text.location(ofByte: earlier), text.location(ofByte: member.offset)))
                }
                found += member.value.repeats(in: text)
            }
            return found
        default: return []
        }
    }
}

extension CustomizationDiagnostic {
    static func duplicate(
        _ key: String, _ earlier: CustomizationLocation, _ later: CustomizationLocation
    ) -> CustomizationDiagnostic {
        CustomizationDiagnostic(
            .warning, .duplicateKey,
            "duplicate key \"\(key)\", first defined at line \(earlier.line), column \(earlier.column); the last value wins",
            at: later, key: key, related: earlier)
    }
}
