internal import AshlarCore

extension StringsTable {
    /// Parses a strings file in UTF-8, UTF-16 or UTF-32, or an XML or binary property list.
    ///
    /// The encoding is detected by the byte order mark; UTF-16 without one is detected by its zero bytes. All other
    /// files must be UTF-8. Each error results in a diagnostic with line and column, and reading continues after it. Bytes
    /// that aren't text in the file's encoding, and a malformed property list, result in an empty table.
    ///
    /// ```swift
    /// let parsed = StringsTable.parse(strings: Array(#""OK" = "Fine"; "Cancel" = "Stop""#.utf8), file: "a.strings")
    /// print(parsed.table["OK"] == .string("Fine"))  // true
    /// for problem in parsed.diagnostics { print(problem) }  // a.strings:1:32: error: expected ";" after the value …
    /// ```
    ///
    /// - Parameters:
    ///   - bytes: The file's bytes, at most 4 GB.
    ///   - file: The file's path, for locations.
    /// - Returns: The table and the problems.
    /// - Complexity: O(*n*) in the number of bytes.
    public static func parse(
        strings bytes: [UInt8], file: String = ""
    ) -> (table: StringsTable, diagnostics: [CustomizationDiagnostic]) {
        if PropertyListReader.isBinary(bytes) || PropertyListReader.isXML(bytes) {
            let read = PropertyListReader.read(bytes: bytes, file: file)
            return propertyList(read.root, text: read.text, diagnostics: read.diagnostics)
        }
        let text = SourceText(bytes: bytes, file: file)
        if text.isRejected { return (.empty(file), text.diagnostics) }
        return text.utf8.withUnsafeBufferPointer { raw in
            var parser = StringsParser(raw, text: text)
            parser.parseRecovering()
            let table = parser.finish()
            var diagnostics = text.diagnostics + parser.diagnostics
            diagnostics.sort { ($0.line, $0.column) < ($1.line, $1.column) }
            if parser.unlistedDiagnostics > 0 {
                diagnostics.add(
                    parser.hasUnlistedError ? .error : .warning, .furtherProblems,
                    "\(parser.unlistedDiagnostics) further problems are not listed",
                    at: CustomizationLocation(file: file))
            }
            return (table, diagnostics)
        }
    }

    private static func empty(_ file: String) -> StringsTable { StringsTable(file: file, entries: []) }

    private static func propertyList(
        _ root: SourceNode?, text: SourceText, diagnostics: [CustomizationDiagnostic]
    ) -> (table: StringsTable, diagnostics: [CustomizationDiagnostic]) {
        let file = text.file
        guard let root else { return (.empty(file), diagnostics) }
        guard case .dict(let members) = root.kind else {
            let problem = CustomizationDiagnostic(
                .error, .notATable, "expected a table, found a \(root.value().typeName)",
                at: CustomizationLocation(file: file))
            return (.empty(file), diagnostics + [problem])
        }
        var builder = StringsTableBuilder(text: text)
        for member in members {
            let key = builder.decode(member.key)
            builder.append(
                key: key, value: member.value.value(),
                statement: StringsTable.Slice(start: member.offset, end: member.offset))
        }
        var duplicates: [CustomizationDiagnostic] = []
        let storage = builder.build { earlier, later in
            let first = text.location(ofByte: members[earlier].offset)
            duplicates.append(.duplicate(members[later].key, first, text.location(ofByte: members[later].offset)))
        }
        for member in members {
            member.value.forEachRepeat { earlier, later in
                let first = text.location(ofByte: earlier.offset)
                duplicates.append(.duplicate(later.key, first, text.location(ofByte: later.offset)))
            }
        }
        return (StringsTable(storage: storage), diagnostics + duplicates)
    }
}

extension StringsParser {
    /// Builds the table and reports duplicate keys.
    mutating func finish() -> StringsTable {
        builder.decoded = scanner.decoded
        var duplicates: [(earlier: Int, later: Int)] = []
        let storage = builder.build { duplicates.append(($0, $1)) }
        for (earlier, later) in duplicates {
            guard diagnostics.count < Self.maximumDiagnostics else {
                unlistedDiagnostics += 1
                continue
            }
            diagnostics.append(
                .duplicate(storage.key(of: later), storage.location(of: earlier), storage.location(of: later)))
        }
        return StringsTable(storage: storage)
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

/// Collects statements and builds a table.
struct StringsTableBuilder {
    let text: SourceText
    var decoded: [UInt8] = []
    var records: [StringsTable.Record] = []
    var values: [CustomizationValue] = []
    private var places: [(location: CustomizationLocation, comment: String?)] = []

    init(text: SourceText) { self.text = text }

    /// Adds a statement with ranges in the text.
    mutating func append(
        key: StringsTable.Slice, text value: StringsTable.Slice, statement: StringsTable.Slice,
        comment: StringsTable.Slice = .init()
    ) {
        records.append(
            StringsTable.Record(key: key, value: value, statement: statement, comment: comment, hasPlainText: true))
    }

    /// Adds a statement whose value isn't a plain string, or not literally in the text.
    mutating func append(
        key: StringsTable.Slice, value: CustomizationValue, statement: StringsTable.Slice,
        comment: StringsTable.Slice = .init()
    ) {
        if case .string(let text) = value {
            append(key: key, text: decode(text), statement: statement, comment: comment)
            return
        }
        var number = StringsTable.Slice()
        number.start = UInt32(values.count)
        values.append(value)
        records.append(
            StringsTable.Record(key: key, value: number, statement: statement, comment: comment, hasPlainText: false))
    }

    /// Adds an entry that isn't from the text; all entries of the table must then be added in this way.
    mutating func append(_ entry: CustomizationEntry) {
        append(key: decode(entry.key), value: entry.value, statement: .init())
        places.append((entry.location, entry.comment))
    }

    /// Stores a string that isn't literally in the file.
    mutating func decode(_ text: String) -> StringsTable.Slice {
        let start = decoded.count
        decoded.append(contentsOf: text.utf8)
        return StringsTable.Slice(start: start, end: decoded.count, isDecoded: true)
    }

    /// Builds the table and reports each statement that has the same key as a later one.
    ///
    /// - Complexity: O(*n*) in the number of statements.
    mutating func build(onDuplicate: (_ earlier: Int, _ later: Int) -> Void = { _, _ in }) -> StringsTable.Storage {
        var index = HashIndex(expecting: records.count)
        var winners = records.count
        text.utf8.withUnsafeBufferPointer { raw in
            decoded.withUnsafeBufferPointer { decoded in
                records.withUnsafeMutableBufferPointer { records in
                    func bytes(_ slice: StringsTable.Slice) -> UnsafeBufferPointer<UInt8> {
                        UnsafeBufferPointer(rebasing: (slice.isDecoded ? decoded : raw)[slice.range])
                    }
                    for i in records.indices {
                        let key = bytes(records[i].key)
                        records[i].hash = ByteHash.hash(key)
                        let earlier = index.insert(i, hash: records[i].hash, replaces: true) {
                            records[$0].key.count == key.count && bytes(records[$0].key).elementsEqual(key)
                        }
                        if let earlier {
                            records[earlier].isShadowed = true
                            winners -= 1
                            onDuplicate(earlier, i)
                        }
                    }
                }
            }
        }
        return StringsTable.Storage(
            text: text, decoded: decoded, records: records, values: values, places: places, index: index,
            winnerCount: winners)
    }
}
