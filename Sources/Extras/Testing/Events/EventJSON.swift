internal import AshlarCore
public import AshlarEventBus
internal import AshlarNetworking

/// The JSON of payloads, which is that of their `Codable` conformances.
extension JSONEntity {
    /// Parses a JSON text.
    ///
    /// - Throws: `EventBusError` with the code `malformedJSON` and the offset.
    init(ofEvent bytes: [UInt8]) throws(EventBusError) {
        do {
            try self.init(parsing: bytes, limits: JSONLimits(depth: 256))
        } catch {
            throw EventBusError(
                .malformedJSON, subject: String(decoding: bytes.prefix(300), as: UTF8.self), offset: error.offset,
                found: error.message)
        }
    }

    /// Encodes a payload, with its properties in the order of their declaration.
    ///
    /// - Throws: The error of the payload's type, or `EncodingError` for a number that isn't finite and for nesting that
    ///   is too deep.
    init(ofPayload payload: some Encodable) throws {
        self = try Self.entity(try TreeEncoder.encode(payload))
        if isImpossible {
            throw EncodingError.invalidValue(payload, .init(codingPath: [], debugDescription: description))
        }
    }

    private static func entity(_ value: EncodedValue) throws -> JSONEntity {
        switch value.content {
        // As in the standard library's encoders, a value that encodes nothing is an empty object.
        case .empty: return JSONEntity(object: [])
        case .null: return .null
        case .array(let elements): return JSONEntity(array: try elements.map { try entity($0) })
        case .object(let members):
            return JSONEntity(
                object: try members.filter { !$0.value.isOmitted }.map { ($0.key, try entity($0.value)) })
        case .scalar(let scalar):
            switch scalar {
            case let value as Bool: return JSONEntity(value)
            case let value as String: return JSONEntity(value)
            case let value as any FixedWidthInteger: return JSONEntity(value)
            case let value as any BinaryFloatingPoint where value.isFinite: return try JSONEntity(parsing: "\(value)")
            default:
                throw EncodingError.invalidValue(
                    scalar,
                    .init(codingPath: value.codingPath, debugDescription: "expected a finite number, found \(scalar)"))
            }
        }
    }

    /// The value with a placeholder for the values of keys that name secrets.
    func redacted(_ secrets: SecretNames) -> JSONEntity {
        if let elements = array() { return JSONEntity(array: elements.map { $0.redacted(secrets) }) }
        guard isObject else { return self }
        return JSONEntity(
            object: map { value in
                let isSecret = secrets.matches(value.key) && !value.isNull
                return (value.key, isSecret ? Self.placeholder : value.redacted(secrets))
            })
    }

    static var placeholder: JSONEntity { JSONEntity(SecretNames.placeholder) }
}

extension EventBusError.Code {
    /// The text isn't JSON.
    public static let malformedJSON = Self("malformedJSON")
}
