extension StringsTable {
    /// Parses a strings file in any encoding, or an XML or binary property list.
    ///
    /// The encoding is detected by the byte order mark; UTF-16 without one is detected by its zero bytes. All other
    /// files must be UTF-8, unless `assumedEncoding` is set. In the mode `.recovering`, each error results in a
    /// diagnostic with line and column.
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
    ///   - mode: Whether to recover from errors, or to read exactly like Foundation.
    ///   - assumedEncoding: The encoding of a file without a byte order mark, such as `.macRoman` for an old file.
    /// - Returns: The table and the problems.
    /// - Complexity: O(*n*) in the number of bytes.
    public static func parse(
        strings bytes: [UInt8], file: String = "", mode: StringsParseMode = .recovering,
        assuming assumedEncoding: StringsEncoding? = nil
    ) -> ParsedStrings {
        if PropertyListReader.isBinary(bytes) || (mode == .recovering && PropertyListReader.isXML(bytes)) {
            let read = PropertyListReader.read(bytes: bytes, file: file)
            return propertyList(read.root, text: read.text, diagnostics: read.diagnostics)
        }
        let text =
            mode == .foundation
            ? SourceText(asFoundation: bytes, file: file)
            : SourceText(bytes: bytes, file: file, assuming: assumedEncoding)
        if text.isRejected {
            var diagnostics = text.diagnostics
            if diagnostics.isEmpty { diagnostics = [notATable(file, "the bytes are not text")] }
            return ParsedStrings(table: StringsTable.empty(file), diagnostics: diagnostics, isRejected: true)
        }
        return text.utf8.withUnsafeBufferPointer { raw in
            var parser = StringsParser(raw, text: text, isFoundation: mode == .foundation)
            if mode == .foundation {
                if PropertyListReader.isXML(bytes) {
                    let read = PropertyListReader.read(bytes: bytes, file: file)
                    if read.root != nil {
                        var parsed = propertyList(read.root, text: text, diagnostics: [])
                        parsed.isRejected = false
                        return parsed
                    }
                }
                return foundation(&parser)
            }
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
            return ParsedStrings(table: table, diagnostics: diagnostics, isRejected: false)
        }
    }

    private static func empty(_ file: String) -> StringsTable { StringsTable(file: file, entries: []) }

    private static func notATable(_ file: String, _ message: String) -> CustomizationDiagnostic {
        CustomizationDiagnostic(.error, .notATable, message, at: CustomizationLocation(file: file))
    }

    private static func foundation(_ parser: inout StringsParser) -> ParsedStrings {
        let file = parser.builder.text.file
        switch parser.parseAsFoundation() {
        case .table:
            return ParsedStrings(table: parser.finish(), diagnostics: [], isRejected: false)
        case .value(let value):
            return ParsedStrings(
                table: .empty(file), diagnostics: [notATable(file, "expected a table, found a \(value.typeName)")],
                isRejected: false, root: value)
        case .rejected:
            return ParsedStrings(
                table: .empty(file), diagnostics: [notATable(file, "Foundation cannot read the file")], isRejected: true
            )
        }
    }

    private static func propertyList(
        _ root: SourceNode?, text: SourceText, diagnostics: [CustomizationDiagnostic]
    ) -> ParsedStrings {
        let file = text.file
        guard let root else { return ParsedStrings(table: .empty(file), diagnostics: diagnostics, isRejected: true) }
        guard case .dict(let members) = root.kind else {
            let problem = notATable(file, "expected a table, found a \(root.value().typeName)")
            return ParsedStrings(
                table: .empty(file), diagnostics: diagnostics + [problem], isRejected: true, root: root.value())
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
        return ParsedStrings(
            table: StringsTable(storage: storage), diagnostics: diagnostics + duplicates, isRejected: false)
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
