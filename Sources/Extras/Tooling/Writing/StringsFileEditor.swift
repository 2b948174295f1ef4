import AshlarCore
public import AshlarCustomization

/// Changes values in a strings file without changing any other byte.
///
/// The editor preserves comments, blank lines, order, quotes, line ends and the encoding, and writes only values that
/// differ. New keys are added at the end of the file, or before its closing brace.
///
/// ```swift
/// var editor = try StringsFileEditor(Array("/* Buttons */\n\"ok\" = \"OK\";\n".utf8))
/// try editor.set("Fine", for: "ok")
/// print(String(decoding: editor.bytes, as: UTF8.self))  // /* Buttons */ … "ok" = "Fine";
/// ```
public struct StringsFileEditor: Sendable {
    /// The current bytes of the file.
    public private(set) var bytes: [UInt8]
    /// The current entries of the file.
    public private(set) var table: StringsTable
    private let file: String

    /// Opens a strings file; XML and binary property lists aren't supported.
    ///
    /// - Parameters:
    ///   - bytes: The file's bytes.
    ///   - file: The file's path, for locations.
    /// - Throws: `CustomizationError` with the code `unwritable` if the bytes aren't text, or are a property list.
    public init(_ bytes: [UInt8], file: String = "") throws(CustomizationError) {
        self.bytes = bytes
        self.file = file
        let parsed = StringsTable.parse(strings: bytes, file: file)
        if parsed.isRejected || StringsTable.isPropertyList(bytes) {
            throw CustomizationError(
                .unwritable, key: file, expected: parsed.diagnostics.first?.message ?? "the file is a property list")
        }
        table = parsed.table
    }

    /// Sets the value of a key.
    ///
    /// - Parameters:
    ///   - text: The new value; the file doesn't change if the key already has it.
    ///   - key: The key; it is added if the file doesn't contain it.
    /// - Throws: `CustomizationError` with the code `unwritable` if the file can't be changed in this way.
    /// - Complexity: O(*n*) in the bytes of the file; use ``apply(_:)`` for many changes.
    public mutating func set(_ text: String, for key: String) throws(CustomizationError) { try apply([key: text]) }

    /// Removes a key and the comment directly before it.
    ///
    /// - Parameter key: The key; if the file doesn't contain it, the file doesn't change.
    /// - Throws: `CustomizationError` with the code `unwritable` if the file can't be changed in this way.
    public mutating func remove(_ key: String) throws(CustomizationError) { try apply([key: String?.none]) }

    /// Applies several changes at once.
    ///
    /// - Parameter changes: The new value of each key; nil removes the key. New keys are added in sorted order.
    /// - Throws: `CustomizationError` with the code `unwritable` if the file can't be changed in this way. The file
    ///   then remains unchanged.
    /// - Complexity: O(*n*) in the bytes of the file.
    public mutating func apply(_ changes: [String: String?]) throws(CustomizationError) {
        let layout = StringsFileLayout(table)
        var edits: [(range: Range<Int>, text: String)] = []
        var added: [(key: String, text: String)] = []
        let statementsOfKeys = Dictionary(grouping: layout.statements, by: \.key)
        for (key, text) in changes.sorted(by: { $0.key < $1.key }) {
            let statements = statementsOfKeys[key] ?? []
            guard let winner = statements.last else {
                if let text { added.append((key, text)) }
                continue
            }
            guard let text else {
                // Removes every statement of the key, because an earlier statement would otherwise win.
                edits += statements.map { (layout.removal(of: $0), "") }
                continue
            }
            if table[key] == .string(text) { continue }
            guard let range = winner.value else {
                throw CustomizationError(.unwritable, key: key, location: table.entry(key)?.location)
            }
            let literal = StringsLiteral.quoted(text)
            edits.append((range, winner.isShorthand ? " = " + literal : literal))
        }
        if !added.isEmpty { edits.append(layout.addition(of: added)) }
        guard !edits.isEmpty else { return }
        let new = try splice(edits.sorted { $0.range.lowerBound < $1.range.lowerBound })
        let parsed = StringsTable.parse(strings: new, file: file)
        for (key, text) in changes where parsed.table[key] != text.map(CustomizationValue.string) {
            throw CustomizationError(.unwritable, key: key, expected: "the syntax around it is malformed")
        }
        bytes = new
        table = parsed.table
    }

    /// Replaces ranges of the decoded text in the bytes of the file.
    private func splice(
        _ edits: [(range: Range<Int>, text: String)]
    ) throws(CustomizationError) -> [UInt8] {
        let (text, encoding) = (table.sourceBytes, table.encoding)
        // Bytes other than the byte order mark and the text are an incomplete unit at the end.
        var at = (bytes.count - encoding.length(of: text[...])) / encoding.unitSize * encoding.unitSize
        var (new, position) = (Array(bytes[..<at]), 0)
        for edit in edits {
            guard edit.range.lowerBound >= position else {
                throw CustomizationError(.unwritable, key: file, expected: "changes overlap")
            }
            let end = at + encoding.length(of: text[position..<edit.range.lowerBound])
            new += bytes[at..<end] + encoding.bytes(of: edit.text)
            at = end + encoding.length(of: text[edit.range])
            position = edit.range.upperBound
        }
        return new + bytes[at...]
    }
}

extension StringsEncoding {
    /// The number of bytes of one code unit.
    var unitSize: Int {
        switch self {
        case .utf8: 1
        case .utf16LittleEndian, .utf16BigEndian: 2
        case .utf32LittleEndian, .utf32BigEndian: 4
        }
    }

    /// Returns the number of bytes of a text, given in UTF-8.
    func length(of utf8: ArraySlice<UInt8>) -> Int {
        self == .utf8 ? utf8.count : bytes(of: String(decoding: utf8, as: UTF8.self)).count
    }

    /// Returns a text in this encoding, without a byte order mark.
    func bytes(of text: String) -> [UInt8] {
        switch self {
        case .utf8: return Array(text.utf8)
        case .utf16LittleEndian: return text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        case .utf16BigEndian: return text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        case .utf32LittleEndian, .utf32BigEndian:
            return text.unicodeScalars.flatMap { scalar in
                let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: scalar.value >> $0) }
                return self == .utf32BigEndian ? bytes : bytes.reversed()
            }
        }
    }
}

/// The positions of a file's statements in its decoded text.
struct StringsFileLayout {
    let statements: [StringsStatement]
    private let text: [UInt8]
    private let closingBrace: Int?

    init(_ table: StringsTable) {
        statements = table.statements
        text = table.sourceBytes
        closingBrace = table.closingBrace
    }

    /// Returns the bytes to remove with a statement: the statement, the comment directly before it, and empty lines.
    func removal(of statement: StringsStatement) -> Range<Int> {
        let (statement, comment) = (statement.range, statement.comment)
        var start = statement.lowerBound
        let gap = comment.upperBound..<max(start, comment.upperBound)
        let lineEnds = String(decoding: text[gap], as: UTF8.self).count(where: \.isNewline)
        if !comment.isEmpty, text[gap].allSatisfy(\.isSpace), lineEnds <= 1 {
            start = comment.lowerBound
        }
        let lineStart = startOfSpace(before: start)
        var end = statement.upperBound
        while end < text.count, text[end] == UInt8(ascii: " ") || text[end] == UInt8(ascii: "\t") { end += 1 }
        let startsLine = lineStart == 0 || isLineEnd(text[lineStart - 1])
        guard startsLine, end == text.count || isLineEnd(text[end]) else { return start..<statement.upperBound }
        if end < text.count { end += text[end...].starts(with: Array("\r\n".utf8)) ? 2 : 1 }
        return lineStart..<end
    }

    /// Returns the position and text of new statements.
    func addition(of entries: [(key: String, text: String)]) -> (range: Range<Int>, text: String) {
        var place = text.count
        var indent = ""
        if let last = statements.last?.range {
            let lineStart = startOfSpace(before: last.lowerBound)
            if lineStart == 0 || isLineEnd(text[lineStart - 1]) {
                indent = String(decoding: text[lineStart..<last.lowerBound], as: UTF8.self)
            }
        }
        if let closingBrace { place = closingBrace }
        let lineEnd = String(decoding: text, as: UTF8.self).first { ["\n", "\r", "\r\n"].contains($0) } ?? "\n"
        var prefix = ""
        if place > 0, !isLineEnd(text[place - 1]) { prefix.append(lineEnd) }
        // The last statement may lack its semicolon.
        if let last = statements.last?.range, !last.isEmpty, text[last.upperBound - 1] != UInt8(ascii: ";") {
            prefix = ";" + prefix
        }
        let lines = entries.map { entry in
            indent + StringsLiteral.quoted(entry.key) + " = " + StringsLiteral.quoted(entry.text) + ";\(lineEnd)"
        }
        return (place..<place, prefix + lines.joined())
    }

    /// Returns the start of the spaces and tabs before a position.
    private func startOfSpace(before end: Int) -> Int {
        text[..<end].lastIndex { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }.map { $0 + 1 } ?? 0
    }

    private func isLineEnd(_ c: UInt8) -> Bool { c == UInt8(ascii: "\n") || c == UInt8(ascii: "\r") }
}
