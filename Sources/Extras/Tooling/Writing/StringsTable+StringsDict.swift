import AshlarCore
public import AshlarCustomization
import AshlarTrees

extension StringsTable {
    /// Returns the plural messages of the table as a `.stringsdict` file, an XML property list.
    ///
    /// Strings, numbers and other values are omitted, because they belong in a `.strings` file; see
    /// ``formatted(sorted:)``. Comments are omitted because the format has none.
    ///
    /// ```swift
    /// let message = CustomizationMessage(forms: [.one: "%d file", .other: "%d files"])
    /// let table = StringsTable(entries: [CustomizationEntry(key: "files", value: .message(message))])
    /// let text = table.formattedStringsDict()
    /// print(StringsTable.parse(stringsDict: Array(text.utf8)).table["files"] == .message(message))  // true
    /// ```
    ///
    /// - Parameter isSorted: Whether to sort the messages by key; otherwise they are in the order of the table.
    /// - Returns: The text. Parsing it returns a table with the same messages.
    /// - Complexity: O(*n*) in the bytes, O(*n* log *n*) in the messages if sorted.
    public func formattedStringsDict(sorted isSorted: Bool = false) -> String {
        let messages = filter { if case .message = $0.value { true } else { false } }
        let sorted = messages.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        let entries = (isSorted ? sorted : messages).map { (key: $0.key, value: PropertyListText($0.value)) }
        return PropertyListText.dictionary(entries).document
    }
}

extension PropertyListText {
    /// Creates the text of a value with sorted keys.
    fileprivate init(_ value: CustomizationValue) {
        switch value {
        case .message(let message): self.init(message.stringsDict)
        case .dict(let members):
            self = .dictionary(members.sorted { $0.key < $1.key }.map { ($0.key, Self($0.value)) })
        case .list(let items): self = .array(items.map { Self($0) })
        case .int(let number): self = .element("integer", text: String(number))
        case .double(let number): self = .element("real", text: String(number))
        case .bool(let flag): self = .flag(flag)
        case .data(let bytes): self = .element("data", text: Base64.encode(bytes))
        case .string, .alias, .color: self = .element("string", text: value.text ?? "")
        }
    }
}

extension CustomizationValue {
    /// The value as JSON with sorted keys; colors, data and aliases become strings.
    var json: String {
        switch self {
        case .int(let number): String(number)
        case .double(let number) where number.isFinite: String(number)
        case .bool(let flag): String(flag)
        case .list(let items): "[" + items.map(\.json).joined(separator: ",") + "]"
        case .message(let message): message.stringsDict.json
        case .alias(let key): JSONText.quoted("$" + key)
        case .dict(let members):
            "{"
                + members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
                .map { "\(JSONText.quoted($0.key)):\($0.value.json)" }.joined(separator: ",") + "}"
        default: JSONText.quoted(text ?? "")
        }
    }
}

/// Writes the files of exports.
enum FileOutput {
    /// Replaces a file and creates its folder; a failure has the code `unwritable` and the file's path.
    static func write(_ bytes: [UInt8], to path: String) throws(CustomizationError) {
        do throws(FileFailure) {
            if let slash = path.lastIndex(of: "/") { try FolderListing.create(String(path[..<slash])) }
            try AtomicFile.replace(path, with: bytes, permissions: 0o644, isOwn: false)
        } catch {
            throw CustomizationError(.unwritable, key: path, expected: "\(error)")
        }
    }
}

extension [CustomizationDiagnostic] {
    /// Adds a problem of an entry.
    mutating func add(
        _ severity: CustomizationDiagnostic.Severity, _ code: CustomizationDiagnostic.Code, _ message: String,
        for entry: CustomizationEntry, fix: String? = nil
    ) {
        add(severity, code, message, at: entry.location, key: entry.key, fix: fix)
    }
}
