import AshlarCore
public import AshlarEventBus
import AshlarTrees

/// The JSON of payloads.
extension CodedValue {
    /// Parses a JSON text.
    ///
    /// - Throws: `EventBusError` with the code `malformedJSON` and the offset.
    init(json: [UInt8]) throws(EventBusError) {
        do {
            self = Self.value(try JSONDocument(json, options: .init(depth: 256)), at: 0)
        } catch {
            throw EventBusError(
                .malformedJSON, subject: String(decoding: json.prefix(300), as: UTF8.self), offset: error.offset,
                found: error.message)
        }
    }

    private static func value(_ document: JSONDocument, at index: Int) -> CodedValue {
        switch document.kind(at: index) {
        case .null: return .null
        case .bool: return .bool(document.isTrue(at: index))
        case .integer, .fraction: return .number(String(decoding: document.bytes(at: index), as: UTF8.self))
        case .string: return .string(document.string(at: index))
        case .array: return .array(document.children(of: index).map { value(document, at: $0) })
        case .object:
            return .object(
                document.children(of: index).map { key in
                    (document.string(at: key), value(document, at: key + 1))
                })
        }
    }

    /// The value as JSON in one line.
    var json: String {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .number(let text): bytes += text.utf8
        case .string(let text), .converted(_, let text): JSONText.append(quoted: text, to: &bytes)
        case .list(let texts): CodedValue.array(texts.map { .string($0) }).write(to: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                element.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                JSONText.append(quoted: member.key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }
}

extension EventBusError.Code {
    /// The text isn't JSON.
    public static let malformedJSON = Self("malformedJSON")
}
