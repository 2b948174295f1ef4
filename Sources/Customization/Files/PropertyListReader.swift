internal import AshlarCore
internal import AshlarTrees

/// Reads XML and binary property lists.
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
        return document(text, text.diagnostics) { () throws(PropertyListError) in
            try XMLPropertyListParser.parse(text.utf8, markup: .lenient)
        }
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
