internal import AshlarCore
import Foundation

extension JSONEntity {
    /// Decodes a value of any decodable type directly from the document.
    ///
    /// It decodes like `JSONDecoder`, except for dates: integers must be exact and fit, strings aren't converted,
    /// `null` and missing members are nil for optionals, `Data` is Base64, and `URL` is a string.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - dateFormat: The format of dates.
    /// - Returns: The decoded value.
    /// - Throws: `.decodingFailed` with the JSON `path`, `line` and `column`, and with the `DecodingError`, or any
    ///   error of the type's own initializer, as the underlying error.
    public func decode<T: Decodable>(_ type: T.Type, dateFormat: JSONDateFormat = .rfc3339) throws(NetworkError) -> T {
        do {
            guard isValid else { throw JSONDecoding.missing(type) }
            let run = JSONDecoding.Run(document: document, root: Int(index), dateFormat: dateFormat)
            return try JSONDecoding(run: run, index: index).decode(type)
        } catch {
            throw decodingFailure(error, type)
        }
    }

    private func decodingFailure(_ underlying: any Error, _ type: Any.Type) -> NetworkError {
        var (message, place) = ("\(type) cannot be decoded: \(underlying)", self)
        var steps: [any CodingKey] = []
        var wanted: Any.Type?
        switch underlying as? DecodingError {
        case .typeMismatch(_, let context), .dataCorrupted(let context):
            (message, steps) = (context.debugDescription, context.codingPath)
        case .valueNotFound(let type, let context):
            (wanted, steps) = (type, context.codingPath)
        case .keyNotFound(let key, let context):
            (message, steps) = ("expected the key '\(key.stringValue)', found none", context.codingPath + [key])
        default: break
        }
        var present = place
        for step in steps {
            place = step.intValue.map { place[$0] } ?? place[step.stringValue]
            if place.isValid { present = place }
        }
        if let wanted { message = "expected \(wanted), found \(place.isValid ? "null" : "nothing")" }
        var error = NetworkError(.decodingFailed, message, phase: .decode, underlying: underlying)
        error.path = place.path
        if let position = present.position {
            (error.offset, error.line, error.column) = (position.offset, position.line, position.column)
        }
        return error
    }
}

extension JSONEntity: Codable {
    /// Copies the value from a document, or builds it from another decoder.
    ///
    /// - Throws: Any error of the decoder.
    public init(from decoder: any Decoder) throws {
        if let decoding = decoder as? JSONDecoding {
            self = decoding.entity
            return
        }
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self.init(value)
        } else if let value = try? container.decode(Int.self) {
            self.init(value)
        } else if let value = try? container.decode(UInt.self) {
            self.init(value)
        } else if let value = try? container.decode(Double.self) {
            try self.init(value)
        } else if let value = try? container.decode(String.self) {
            self.init(value)
        } else if let value = try? container.decode([JSONEntity].self) {
            self.init(array: value)
        } else {
            self.init(object: try container.decode([String: JSONEntity].self))
        }
    }

    /// Encodes the value; a missing one as `null`.
    ///
    /// The encoder receives numbers as `Int`, `UInt` or the nearest `Double`, and members without their order;
    /// ``bytes(_:)`` preserves both.
    ///
    /// - Throws: Any error of the encoder, and `EncodingError.invalidValue` for a number too large for a `Double` and
    ///   for an impossible value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        func refuse(_ reason: String) -> EncodingError {
            .invalidValue(self, .init(codingPath: encoder.codingPath, debugDescription: reason))
        }
        switch kind {
        case _ where isImpossible: throw refuse(description)
        case _ where !isValid: try container.encodeNil()
        case JSONTape.trueValue, JSONTape.falseValue: try container.encode(kind == JSONTape.trueValue)
        case JSONTape.integer, JSONTape.fraction:
            if let value = int() {
                try container.encode(value)
            } else if let value = number?.integer(UInt.self) {
                try container.encode(value)
            } else if let value = double() {
                try container.encode(value)
            } else {
                throw refuse("expected a number that a Double holds, found \(text().prefix(40))")
            }
        case JSONTape.array: try container.encode(Array(self))
        case JSONTape.object: try container.encode(object() ?? [:])
        case JSONTape.null: try container.encodeNil()
        default: try container.encode(string() ?? "")
        }
    }
}
