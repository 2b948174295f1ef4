internal import AshlarCore

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
