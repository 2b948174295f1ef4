internal import AshlarCore

/// A value between Swift and text: JSON, or the parameters of a route.
package enum CodedValue: Sendable {
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
    package subscript(key: String) -> CodedValue? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.key.hasSameBytes(as: key) }?.value
    }

    /// The text of a string.
    package var string: String? {
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

    package var isNull: Bool { if case .null = self { true } else { false } }
}

extension CodedValue {
    // MARK: Decoding

    /// Returns the value that this value encodes.
    package func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try TreeDecoder(CodedTree(self), at: 0).decode(type)
    }

    /// The reason and the path of a decoding error, in one line.
    package static func text(of error: any Error) -> String {
        let context: DecodingError.Context
        switch error {
        case DecodingError.keyNotFound(_, let found), DecodingError.typeMismatch(_, let found),
            DecodingError.valueNotFound(_, let found), DecodingError.dataCorrupted(let found):
            context = found
        default: return "\(error)"
        }
        let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
        return "\(context.debugDescription) at $\(path)"
    }

    // MARK: Encoding

    /// Encodes a value.
    ///
    /// - Throws: The error of the value's type, or `EncodingError` for a number that isn't finite.
    package init(encoding value: some Encodable) throws { try self.init(TreeEncoder.encode(value)) }

    private init(_ value: EncodedValue) throws {
        switch value.content {
        // As in the standard library's encoders, a value that encodes nothing is an empty object.
        case .empty: self = .object([])
        case .null: self = .null
        case .scalar(let scalar): self = try Self.scalar(scalar, at: value.codingPath)
        case .array(let elements): self = .array(try elements.map { try CodedValue($0) })
        case .object(let members):
            self = .object(try members.filter { !$0.value.isOmitted }.map { ($0.key, try CodedValue($0.value)) })
        }
    }

    private static func scalar(_ value: any Encodable, at path: [any CodingKey]) throws -> CodedValue {
        switch value {
        case let value as Bool: return .bool(value)
        case let value as String: return .string(value)
        case let value as any FixedWidthInteger: return .number("\(value)")
        case let value as any BinaryFloatingPoint where value.isFinite: return .number("\(value)")
        default:
            throw EncodingError.invalidValue(
                value, .init(codingPath: path, debugDescription: "expected a finite number, found \(value)"))
        }
    }
}
