internal import AshlarCore

/// The entries of one file: keys with their values and locations, in the order of the file.
///
/// A table is a value with shared storage, so a copy costs one retain. It stores the file's bytes, and creates the
/// `String` of a key or value on request. Keys are compared by their UTF-8 bytes: `é` as one scalar and `e` with a
/// combining accent are different keys. For a duplicate key, the last value wins.
public struct StringsTable: Sendable {
    let storage: Storage

    init(storage: Storage) { self.storage = storage }

    /// Creates a table from entries; for duplicate keys, the last entry wins.
    ///
    /// - Parameters:
    ///   - file: The file of locations without a file.
    ///   - entries: The entries, in order.
    public init(file: String = "", entries: [CustomizationEntry]) {
        var builder = StringsTableBuilder(text: SourceText(withoutLines: file))
        for entry in entries { builder.append(entry) }
        storage = builder.build()
    }

    /// The number of keys.
    public var count: Int { storage.winnerCount }
    /// Whether the table has no key.
    package var isEmpty: Bool { count == 0 }
    /// The path of the file that the table was read from.
    package var file: String { storage.text.file }

    /// The value of a key; nil if the table does not define it.
    ///
    /// - Parameter key: The key, compared byte by byte.
    public subscript(key: String) -> CustomizationValue? {
        storage.find(key).map { storage.value(of: $0) }
    }

    /// The entry of a key; nil if the table does not define it.
    ///
    /// - Parameter key: The key, compared byte by byte.
    /// - Returns: The entry, or nil.
    /// - Complexity: O(*n*) in the bytes of the file for the first call, which counts the lines.
    package func entry(_ key: String) -> CustomizationEntry? {
        storage.find(key).map { storage.entry(of: $0) }
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
        let storage = self.storage
        var next = 0
        return AnyIterator {
            while next < storage.records.count {
                defer { next += 1 }
                if !storage.records[next].isShadowed { return storage.entry(of: next) }
            }
            return nil
        }
    }
}

extension StringsTable {
    /// A statement of the file: the ranges of its key, value and comment.
    struct Record: Sendable {
        var hash: UInt64 = 0
        var key = Slice()
        /// The bytes of the value; if `hasPlainText` is false, `start` is the number of the value.
        var value = Slice()
        /// The range from the first byte of the key to the `;`, in the file's text.
        var statement = Slice()
        /// The comment directly before the statement with its delimiters, in the file's text.
        var comment = Slice()
        var hasPlainText = true
        /// Whether a later statement has the same key.
        var isShadowed = false
    }

    /// A range in the file's text, or in the decoded bytes.
    struct Slice: Sendable, Equatable {
        var start: UInt32 = 0
        var count: UInt32 = 0
        var isDecoded = false

        init() {}
        init(start: Int, end: Int, isDecoded: Bool = false) {
            self.start = UInt32(start)
            self.count = UInt32(end - start)
            self.isDecoded = isDecoded
        }
        var end: Int { Int(start) + Int(count) }
        var range: Range<Int> { Int(start)..<end }
    }

    /// The bytes, statements and index of a table.
    final class Storage: Sendable {
        let text: SourceText
        /// The bytes of strings that had escapes or aren't from a file.
        let decoded: [UInt8]
        let records: [Record]
        /// Values that aren't plain strings.
        let values: [CustomizationValue]
        /// The locations and comments of tables that weren't read from text.
        let places: [(location: CustomizationLocation, comment: String?)]
        let index: HashIndex
        let winnerCount: Int
        /// All values as strings, which the first composition creates and later ones share.
        private let texts = Mutex<[String]?>(nil)

        init(
            text: SourceText, decoded: [UInt8], records: [Record], values: [CustomizationValue],
            places: [(location: CustomizationLocation, comment: String?)], index: HashIndex, winnerCount: Int
        ) {
            self.text = text
            self.decoded = decoded
            self.records = records
            self.values = values
            self.places = places
            self.index = index
            self.winnerCount = winnerCount
        }
    }
}

extension StringsTable.Storage {
    func find(_ key: String) -> Int? {
        key.withKeyBytes { bytes in
            index.find(ByteHash.hash(bytes)) { matches($0, bytes) }
        }
    }

    private func matches(_ record: Int, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        withBytes(records[record].key) { $0.elementsEqual(bytes) }
    }

    func withBytes<R>(_ slice: StringsTable.Slice, _ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
        (slice.isDecoded ? decoded : text.utf8).withUnsafeBufferPointer {
            body(UnsafeBufferPointer(rebasing: $0[slice.range]))
        }
    }

    func string(_ slice: StringsTable.Slice) -> String { withBytes(slice) { String(decoding: $0, as: UTF8.self) } }

    func key(of record: Int) -> String { string(records[record].key) }

    func value(of record: Int) -> CustomizationValue {
        let record = records[record]
        return record.hasPlainText ? .string(string(record.value)) : values[Int(record.value.start)]
    }

    /// Returns the values as strings; for a value that isn't a plain string, its `text` or "".
    func allTexts() -> [String] {
        if let made = texts.withLock({ $0 }) { return made }
        let made = records.indices.map { i in
            records[i].isShadowed ? "" : records[i].hasPlainText ? string(records[i].value) : value(of: i).text ?? ""
        }
        return texts.withLock { texts in
            if let texts { return texts }
            texts = made
            return made
        }
    }

    func location(of record: Int) -> CustomizationLocation {
        if !places.isEmpty { return places[record].location }
        return text.location(ofByte: Int(records[record].statement.start))
    }

    func comment(of record: Int) -> String? {
        if !places.isEmpty { return places[record].comment }
        let slice = records[record].comment
        guard slice.count >= 2 else { return nil }
        var comment = string(slice)[...]
        comment = comment.dropFirst(2)
        if comment.hasSuffix("*/"), text.utf8[Int(slice.start) + 1] == UInt8(ascii: "*") {
            comment = comment.dropLast(2)
        }
        return String(comment).trimmingSpace()
    }

    func entry(of record: Int) -> CustomizationEntry {
        CustomizationEntry(
            key: key(of: record), value: value(of: record), location: location(of: record),
            comment: comment(of: record))
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
