internal import AshlarCore

/// A value of a document that a table can't contain.
struct DocumentProblem {
    var offset: Int
    var message: String
}

extension SourceNode {
    /// Creates the value of a property list's node; returns nil and adds a problem if a table can't contain it.
    init?(_ document: PropertyListDocument, _ index: Int, _ problems: inout [DocumentProblem]) {
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
            problems.append(DocumentProblem(offset: offset, message: "\(node.unsigned) is greater than 2^63 - 1"))
            return nil
        case .uid:
            problems.append(DocumentProblem(offset: offset, message: "a UID of a keyed archive is not a value"))
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

/// The content of a property list or JSON file, the text for locations, and the problems found.
typealias ReadFile = (root: SourceNode?, text: SourceText, diagnostics: [CustomizationDiagnostic])

/// Parses JSON (RFC 8259) into values with their locations; continues after errors.
enum JSONReader {
    static func read(bytes: [UInt8], file: String) -> ReadFile {
        let text = SourceText(bytes: bytes, file: file)
        if text.isRejected { return (nil, text, text.diagnostics) }
        let (document, errors) = JSONDocument.recovering(text.utf8)
        let problems = errors.map {
            CustomizationDiagnostic(.error, .malformedFile, $0.message, at: text.location(ofByte: $0.offset))
        }
        return (document.map { SourceNode($0, 0) }, text, text.diagnostics + problems)
    }
}
