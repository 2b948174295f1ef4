/// Reads property lists of all three formats: XML, binary, and the old ASCII one.
enum PropertyListReader {
    /// What reading a file yielded: its value, its text for locations, and its problems.
    typealias Result = (root: SourceNode?, text: SourceText, diagnostics: [CustomizationDiagnostic])

    static func isBinary(_ bytes: [UInt8]) -> Bool { bytes.starts(with: Array("bplist".utf8)) }

    /// Whether the text starts as an XML property list does, behind a byte order mark and blanks.
    static func isXML(_ bytes: [UInt8]) -> Bool {
        // Whatever the encoding, the opening is ASCII once zero bytes and marks are left out.
        let head = bytes.prefix(256).filter { $0 != 0 && $0 < 0x80 }
        guard let start = head.firstIndex(where: { !($0 == 0x20 || (0x09...0x0D).contains($0)) }) else { return false }
        return ["<?xml", "<!DOCTYPE", "<plist", "<!--"].contains { head[start...].starts(with: $0.utf8) }
    }

    static func read(bytes: [UInt8], file: String) -> Result {
        if isBinary(bytes) {
            let text = SourceText(utf8: [], file: file)
            do {
                return (try BinaryPropertyList.read(bytes), text, [])
            } catch {
                return (nil, text, [malformed(error.message, CustomizationLocation(file: file))])
            }
        }
        let text = SourceText(bytes: bytes, file: file)
        if text.isRejected { return (nil, text, text.diagnostics) }
        if isXML(bytes) {
            do throws(XMLPropertyList.Failure) {
                let root = try text.utf8.withUnsafeBufferPointer { bytes throws(XMLPropertyList.Failure) in
                    var reader = XMLPropertyList(bytes)
                    return try reader.readFile()
                }
                return (root, text, text.diagnostics)
            } catch {
                return (nil, text, text.diagnostics + [malformed(error.message, text.location(ofByte: error.offset))])
            }
        }
        let parsed = StringsTable.parse(strings: bytes, file: file)
        if parsed.isRejected { return (nil, text, parsed.diagnostics) }
        return (parsed.table.storage.node(), parsed.table.storage.text, parsed.diagnostics)
    }

    private static func malformed(_ message: String, _ location: CustomizationLocation) -> CustomizationDiagnostic {
        CustomizationDiagnostic(.error, .malformedFile, message, at: location)
    }
}

extension StringsTable.Storage {
    /// The table as a dictionary with the places of its keys.
    func node() -> SourceNode {
        let members = records.indices.filter { !records[$0].isShadowed }.map { i in
            let offset = Int(records[i].statement.start)
            return SourceNode.Member(
                key: key(of: i), offset: offset, value: SourceNode(value(of: i), offset: Int(offset)))
        }
        return SourceNode(offset: 0, kind: .dict(members))
    }
}

extension SourceNode {
    /// A value as a node whose parts all have the same place.
    init(_ value: CustomizationValue, offset: Int) {
        self.offset = offset
        kind =
            switch value {
            case .string(let text): .string(text)
            case .int(let number): .int(number)
            case .double(let number): .double(number)
            case .bool(let flag): .bool(flag)
            case .data(let bytes): .data(bytes)
            case .color, .alias: .string(value.text ?? "")
            case .list(let items): .list(items.map { SourceNode($0, offset: offset) })
            case .dict(let members):
                .dict(
                    members.sorted { $0.key < $1.key }.map {
                        Member(key: $0.key, offset: offset, value: SourceNode($0.value, offset: offset))
                    })
            }
    }
}
