internal import AshlarCore
internal import AshlarTrees

/// A value of a property list or JSON file, with its location in the file's text.
struct SourceNode: Sendable {
    /// A key of a dictionary and its value.
    struct Member: Sendable {
        var key: String
        var offset: Int
        var value: SourceNode
    }

    enum Kind: Sendable {
        case string(String)
        case int(Int64)
        case double(Double)
        case bool(Bool)
        case data([UInt8])
        /// A date in ISO 8601.
        case date(String)
        case null
        case list([SourceNode])
        /// The members in the order of the file, including duplicates.
        case dict([Member])
    }

    /// The start of the value in the file's decoded text.
    var offset: Int
    var kind: Kind

    /// Returns the value without its location; a date becomes a string, and a null an empty string.
    func value() -> CustomizationValue {
        switch kind {
        case .string(let text): .string(text)
        case .int(let number): .int(number)
        case .double(let number): .double(number)
        case .bool(let flag): .bool(flag)
        case .data(let bytes): .data(bytes)
        case .date(let text): .string(text)
        case .null: .string("")
        case .list(let items): .list(items.map { $0.value() })
        case .dict(let members):
            .dict(Dictionary(members.map { ($0.key, $0.value.value()) }, uniquingKeysWith: { $1 }))
        }
    }

    /// The last member with a name; nil if the value isn't a dictionary or has no such member.
    subscript(key: String) -> SourceNode? {
        guard case .dict(let members) = kind else { return nil }
        return members.last { $0.key == key }?.value
    }

    /// The string; nil for another type.
    var text: String? {
        if case .string(let text) = kind { return text }
        return nil
    }

    /// The members; nil if the value isn't a dictionary.
    var members: [Member]? {
        if case .dict(let members) = kind { return members }
        return nil
    }

    /// The elements; nil if the value isn't a list.
    var items: [SourceNode]? {
        if case .list(let items) = kind { return items }
        return nil
    }

    /// The number; nil for another type.
    var number: Double? {
        switch kind {
        case .int(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }
}

extension SourceNode {
    /// Creates the value of a property list's node; returns nil and adds a problem if a table can't contain it.
    init?(_ document: PropertyListDocument, _ index: Int, _ problems: inout [SourceProblem]) {
        let node = document.nodes[index]
        offset = Int(node.position)
        switch node.kind {
        case .string: kind = .string(document.strings[node.index])
        case .integer: kind = .int(node.integer)
        case .real: kind = .double(node.real)
        case .boolean: kind = .bool(node.boolean)
        case .date: kind = .date(Self.dateText(secondsSince2001: node.real))
        case .data: kind = .data(document.blobs[node.index])
        case .array:
            var items: [SourceNode] = []
            for child in document.children(of: index) {
                if let item = SourceNode(document, child, &problems) { items.append(item) }
            }
            kind = .list(items)
        case .dictionary:
            var members: [Member] = []
            for child in document.children(of: index) {
                guard let value = SourceNode(document, child, &problems) else { continue }
                let offset = Int(document.nodes[child].keyPosition)
                members.append(Member(key: document.key(of: child), offset: offset, value: value))
            }
            kind = .dict(members)
        case .unsigned:
            problems.append(.malformed(offset, "\(node.unsigned) is greater than 2^63 - 1"))
            return nil
        case .uid:
            problems.append(.malformed(offset, "a UID of a keyed archive is not a value"))
            return nil
        }
    }

    private static func dateText(secondsSince2001 seconds: Double) -> String {
        guard abs(seconds) < 1e14 else { return "" }
        return RFC3339.format(seconds: Int64(seconds.rounded(.down)) + RFC3339.secondsFrom1970To2001)
    }

    /// Creates the value at a position of a JSON document.
    init(_ document: JSONDocument, _ index: Int) {
        offset = document.range(of: index).lowerBound
        switch document.kind(at: index) {
        case .null: kind = .null
        case .bool: kind = .bool(document.isTrue(at: index))
        case .string: kind = .string(document.string(at: index))
        case .integer:
            kind = document.int64(at: index).map { .int($0) } ?? .double(document.double(at: index) ?? .infinity)
        case .fraction: kind = .double(document.double(at: index) ?? .infinity)
        case .array: kind = .list(document.children(of: index).map { SourceNode(document, $0) })
        case .object:
            kind = .dict(
                document.children(of: index).map { key in
                    Member(
                        key: document.string(at: key), offset: document.range(of: key).lowerBound,
                        value: SourceNode(document, key + 1))
                })
        }
    }
}

extension SourceProblem {
    /// An error of a property list or JSON file.
    fileprivate static func malformed(_ offset: Int, _ message: String) -> SourceProblem {
        SourceProblem(offset: offset, code: .malformedFile, message: message)
    }
}

/// The content of a property list or JSON file, the text for locations, and the problems found.
typealias ReadFile = (root: SourceNode?, text: SourceText, diagnostics: [CustomizationDiagnostic])

/// Parses JSON (RFC 8259) into values with their locations.
enum JSONReader {
    static func read(bytes: [UInt8], file: String) -> ReadFile {
        let text = SourceText(bytes: bytes, file: file)
        if text.isRejected { return (nil, text, text.diagnostics) }
        do throws(JSONSyntaxError) {
            return (SourceNode(try JSONDocument(text.utf8), 0), text, text.diagnostics)
        } catch {
            return (nil, text, text.diagnostics + [text.diagnostic(.malformed(error.offset, error.message))])
        }
    }
}

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
        var problems: [SourceProblem] = []
        var root: SourceNode?
        do {
            root = SourceNode(try parse(), 0, &problems)
        } catch {
            problems.append(.malformed(error.offset, error.message))
        }
        return (root, text, diagnostics + problems.map { text.diagnostic($0) })
    }
}
