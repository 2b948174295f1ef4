internal import AshlarCore
internal import AshlarTrees

/// Reads property lists in all three formats: XML, binary, and the old ASCII format.
enum PropertyListReader {
    static func isBinary(_ bytes: [UInt8]) -> Bool { BinaryPropertyListParser.recognizes(bytes) }

    /// Returns whether the text starts like an XML property list, after a byte order mark and whitespace.
    static func isXML(_ bytes: [UInt8]) -> Bool {
        // In every encoding, the first characters are ASCII after zero bytes and marks are removed.
        let head = bytes.prefix(256).filter { $0 != 0 && $0 < 0x80 }
        guard let start = head.firstIndex(where: { !$0.isSpace }) else { return false }
        return ["<?xml", "<!DOCTYPE", "<plist", "<!--"].contains { head[start...].starts(with: $0.utf8) }
    }

    static func read(bytes: [UInt8], file: String) -> ReadFile {
        if isBinary(bytes) {
            // Offsets in a binary file don't help the reader of a message.
            let text = SourceText(withoutLines: file)
            return document(text, []) { () throws(PropertyListError) in try BinaryPropertyListParser.parse(bytes) }
        }
        let text = SourceText(bytes: bytes, file: file)
        if text.isRejected { return (nil, text, text.diagnostics) }
        if isXML(bytes) {
            return document(text, text.diagnostics) { () throws(PropertyListError) in
                try XMLPropertyListParser.parse(text.utf8, markup: .lenient)
            }
        }
        let parsed = StringsTable.parse(strings: bytes, file: file)
        if parsed.isRejected { return (nil, text, parsed.diagnostics) }
        return (parsed.table.storage.node(), parsed.table.storage.text, parsed.diagnostics)
    }

    private static func document(
        _ text: SourceText, _ diagnostics: [CustomizationDiagnostic],
        parse: () throws(PropertyListError) -> PropertyListDocument
    ) -> ReadFile {
        var problems: [DocumentProblem] = []
        var root: SourceNode?
        do {
            root = SourceNode(try parse(), 0, &problems)
        } catch {
            problems.append(DocumentProblem(offset: error.offset, message: error.message))
        }
        let found = problems.map {
            CustomizationDiagnostic(.error, .malformedFile, $0.message, at: text.location(ofByte: $0.offset))
        }
        return (root, text, diagnostics + found)
    }
}

extension StringsTable.Storage {
    /// Returns the table as a dictionary with the locations of its keys.
    func node() -> SourceNode {
        let members = records.indices.filter { !records[$0].isShadowed }.map { i in
            let offset = Int(records[i].statement.start)
            return SourceNode.Member(
                key: key(of: i), offset: offset, value: SourceNode(value(of: i), offset: offset))
        }
        return SourceNode(offset: 0, kind: .dict(members))
    }
}

extension SourceNode {
    /// Creates a node from a value; all its parts have the same location.
    init(_ value: CustomizationValue, offset: Int) {
        self.offset = offset
        kind =
            switch value {
            case .string(let text): .string(text)
            case .int(let number): .int(number)
            case .double(let number): .double(number)
            case .bool(let flag): .bool(flag)
            case .data(let bytes): .data(bytes)
            case .color, .alias, .message: .string(value.text ?? "")
            case .list(let items): .list(items.map { SourceNode($0, offset: offset) })
            case .dict(let members):
                .dict(
                    members.sorted { $0.key < $1.key }.map {
                        Member(key: $0.key, offset: offset, value: SourceNode($0.value, offset: offset))
                    })
            }
    }
}
