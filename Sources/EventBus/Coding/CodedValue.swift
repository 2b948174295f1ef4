internal import AshlarCore

/// A value between Swift and text: JSON, or the parameters of a route.
enum CodedValue: Sendable {
    case null
    case bool(Bool)
    /// A number as it is written.
    case number(String)
    case string(String)
    /// Untyped texts. A single text decodes as a string, a number or a Boolean; all texts decode as an array.
    case list([String])
    /// The value to which a route has converted a parameter, and the text of the parameter.
    case converted(any Sendable, text: String)
    case array([CodedValue])
    case object([(key: String, value: CodedValue)])

    /// The last value of a key; nil if this isn't an object or has no such key.
    subscript(key: String) -> CodedValue? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.key.hasSameBytes(as: key) }?.value
    }

    /// The text of a string.
    var string: String? {
        switch self {
        case .string(let text): text
        case .list(let texts): texts.joined(separator: "/")
        case .converted(_, let text): text
        default: nil
        }
    }

    /// The single untyped text.
    var text: String? {
        switch self {
        case .list(let texts): texts.count == 1 ? texts[0] : nil
        case .converted(_, let text): text
        default: nil
        }
    }

    /// A noun phrase for errors.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .number(let text): "the number \(text.prefix(40))"
        case .string: "a string"
        case .list, .converted: "\"\((string ?? "").prefix(40))\""
        case .array: "an array"
        case .object: "an object"
        }
    }

    var isNull: Bool { if case .null = self { true } else { false } }
}

extension CodedValue {
    // MARK: JSON

    /// Parses a JSON text.
    ///
    /// - Throws: ``EventBusError`` with the code `malformedJSON` and the offset.
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

    // MARK: Secrets

    /// The value with a placeholder for the values of keys that name secrets.
    func redacted(_ secrets: SecretNames) -> CodedValue {
        switch self {
        case .array(let elements): .array(elements.map { $0.redacted(secrets) })
        case .object(let members):
            .object(
                members.map { key, value in
                    (key, secrets.matches(key) && !value.isNull ? Self.placeholder : value.redacted(secrets))
                })
        default: self
        }
    }

    static var placeholder: CodedValue { .string(SecretNames.placeholder) }
}

extension EventBusError.Code {
    /// The text isn't JSON.
    public static let malformedJSON = Self("malformedJSON")
}
