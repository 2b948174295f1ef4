internal import AshlarCore
internal import AshlarTrees
import Foundation

extension JSONEntity {
    /// Decodes a value of any decodable type directly from the document.
    ///
    /// It decodes like `JSONDecoder`, with dates and keys in ``format``: integers must be exact and fit, strings aren't
    /// converted, `null` and missing members are nil for optionals, `Data` is Base64, and `URL` is a string.
    ///
    /// - Parameter type: The type.
    /// - Returns: The decoded value.
    /// - Throws: `.decodingFailed` with the JSON `path`, `line` and `column`, and with the `DecodingError`, or any
    ///   error of the type's own initializer, as the underlying error. A type that decodes more than 100 containers within
    ///   each other is also an error, because each needs stack.
    public func decode<T: Decodable>(_ type: T.Type) throws(NetworkError) -> T {
        do {
            guard isValid else {
                throw DecodingError.valueNotFound(
                    type, .init(codingPath: [], debugDescription: "expected a value, found nothing"))
            }
            return try decoded(type, format: format)
        } catch {
            throw decodingFailure(error, type)
        }
    }

    /// Decodes a value; without a format, Foundation's types decode themselves.
    package func decoded<T: Decodable>(_ type: T.Type, format: JSONFormat?) throws -> T {
        try TreeDecoder(JSONTree(document, root: Int(index), format: format), at: Int(index)).decode(type)
    }

    private func decodingFailure(_ underlying: any Error, _ type: Any.Type) -> NetworkError {
        var (message, place) = ("", self)
        var steps: [any CodingKey] = []
        var wanted: Any.Type?
        switch underlying as? DecodingError {
        case .typeMismatch(_, let context), .dataCorrupted(let context):
            (message, steps) = (context.debugDescription, context.codingPath)
        case .valueNotFound(let type, let context):
            (wanted, steps) = (type, context.codingPath)
        case .keyNotFound(let key, let context):
            (message, steps) = (
                "expected the key '\(key.stringValue)', found none", context.codingPath + [key]
            )
        default: message = "\(type) can't be decoded: \(underlying)"
        }
        var present = place
        for step in steps {
            place = step.intValue.map { place[$0] } ?? place[step.stringValue]
            if place.isValid { present = place }
        }
        if let wanted { message = "expected \(wanted), found \(place.isValid ? "null" : "nothing")" }
        var error = NetworkError(.decodingFailed, message, phase: .decode, path: place.path, underlying: underlying)
        if let position = present.position {
            (error.offset, error.line, error.column) = (position.offset, position.line, position.column)
        }
        return error
    }
}

extension JSONEntity: Codable {
    /// Copies the value from a document, or builds it from another decoder.
    ///
    /// - Throws: Any error of the decoder, and `DecodingError` for a value of another decoder with more than 50 containers within
    ///   each other.
    public init(from decoder: any Decoder) throws {
        if let decoder = decoder as? TreeDecoder, let tree = decoder.tree as? JSONTree {
            self = tree.entity(at: decoder.value)
            return
        }
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
            return
        }
        for scalar in Self.scalars {
            guard let value = try scalar(container) else { continue }
            self = value
            return
        }
        guard decoder.codingPath.count < Self.deepestElsewhere else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: Array(decoder.codingPath.prefix(8)), debugDescription: Self.tooDeep))
        }
        if var elements = try? decoder.unkeyedContainer() {
            var values: [JSONEntity] = []
            while !elements.isAtEnd { values.append(try elements.decode(JSONEntity.self)) }
            self.init(array: values)
        } else {
            // A container of keys would convert them, as decoders do with the names of properties.
            self.init(object: try container.decode([String: JSONEntity].self))
        }
    }

    /// The kinds of scalars, in the order in which decoders are asked.
    ///
    /// Each is a function of its own, so that the recursive one needs little stack.
    private static let scalars: [@Sendable (any SingleValueDecodingContainer) throws -> JSONEntity?] = [
        { try? JSONEntity($0.decode(Bool.self)) },
        { try? JSONEntity($0.decode(Int.self)) },
        { try? JSONEntity($0.decode(UInt.self)) },
        { try (try? $0.decode(Double.self)).map { try JSONEntity($0) } },
        { try? JSONEntity($0.decode(String.self)) },
    ]

    /// The maximum number of containers within each other in other formats, whose coders need up to 4.3 KB of stack for each.
    private static let deepestElsewhere = 50
    private static let tooDeep = "more than \(deepestElsewhere) containers within each other"

    /// Encodes the value; a missing one as `null`.
    ///
    /// The encoder receives numbers as `Int`, `UInt` or the nearest `Double`, and members without their order;
    /// ``bytes(indent:)`` preserves both.
    ///
    /// - Throws: Any error of the encoder, and `EncodingError.invalidValue` for a number too large for a `Double`, for
    ///   more than 50 containers within each other, and for an impossible value.
    public func encode(to encoder: any Encoder) throws {
        switch kind {
        case JSONTape.array where isValid, JSONTape.object where isValid:
            guard encoder.codingPath.count < Self.deepestElsewhere else { throw refusal(Self.tooDeep, encoder) }
            if kind == JSONTape.array {
                var elements = encoder.unkeyedContainer()
                for element in self { try elements.encode(element) }
            } else {
                var container = encoder.singleValueContainer()
                try container.encode(dictionary() ?? [:])
            }
        default: try encodeScalar(to: encoder)
        }
    }

    private func encodeScalar(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch kind {
        case _ where isImpossible: throw refusal(description, encoder)
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
                throw refusal("expected a number that a Double holds, found \(text().prefix(40))", encoder)
            }
        case JSONTape.null: try container.encodeNil()
        default: try container.encode(string() ?? "")
        }
    }

    private func refusal(_ reason: String, _ encoder: any Encoder) -> EncodingError {
        .invalidValue(self, .init(codingPath: encoder.codingPath, debugDescription: reason))
    }
}

/// A value of a document that types are decoded from; values are addressed by their positions on the tape.
final class JSONTree: DecodableTree, Sendable {
    let document: JSONDocument
    /// The position of the decoded value, at which coding paths start.
    private let root: Int
    private let format: JSONFormat?

    init(_ document: JSONDocument, root: Int, format: JSONFormat?) {
        self.document = document
        self.root = root
        self.format = format
    }

    func entity(at value: Int) -> JSONEntity {
        JSONEntity(document, Int32(truncatingIfNeeded: value), format: format ?? .init())
    }

    func codingPath(to value: Int) -> [any CodingKey] {
        var keys: [any CodingKey] = []
        document.walk(from: root, to: value) { step in
            switch step {
            case .key(let position): keys.append(TreeKey(document.string(at: position)))
            case .index(let number): keys.append(TreeKey(index: number))
            }
        }
        return keys
    }

    private func kind(_ value: Int) -> JSONTape.Word { JSONTape.kind(document.word(at: value)) }

    // MARK: Scalars

    func isNull(_ value: Int) -> Bool { kind(value) == JSONTape.null }

    func bool(_ value: Int) throws -> Bool {
        switch kind(value) {
        case JSONTape.trueValue: return true
        case JSONTape.falseValue: return false
        default: throw mismatch(Bool.self, "true or false", value)
        }
    }

    func string(_ value: Int) throws -> String {
        guard kind(value) == JSONTape.string || kind(value) == JSONTape.escapedString else {
            throw mismatch(String.self, "a string", value)
        }
        return document.string(at: value)
    }

    func double(_ value: Int) throws -> Double {
        guard let double = try number(Double.self, value).double else {
            throw corrupted(Double.self, value)
        }
        return double
    }

    func float(_ value: Int) throws -> Float {
        guard let float = try number(Float.self, value).float else {
            throw corrupted(Float.self, value)
        }
        return float
    }

    func int(_ value: Int) throws -> Int { try integer(Int.self, value) }

    func integer<I: FixedWidthInteger>(_ type: I.Type, _ value: Int) throws -> I {
        guard let integer = try number(type, value).integer(type) else { throw corrupted(type, value) }
        return integer
    }

    private func number(_ type: Any.Type, _ value: Int) throws -> JSONNumber {
        guard kind(value) == JSONTape.integer || kind(value) == JSONTape.fraction else {
            throw mismatch(type, "a number", value)
        }
        return document.number(at: value)
    }

    func special<T>(_ type: T.Type, _ value: Int) throws -> T? {
        // The JSON of these types differs from what their own initializers decode.
        guard let format else { return nil }
        if type == Date.self {
            return try cast(entity(at: value).date(), "a date (\(format.dates))", value)
        }
        if type == URL.self { return try cast(entity(at: value).url(), "a URL in a string", value) }
        if type == Data.self {
            let bytes = entity(at: value).string().flatMap { Base64.decode($0.utf8) }
            return try cast(bytes.map { Data($0) }, "Base64", value)
        }
        if type == Decimal.self {
            return try cast(
                entity(at: value).numberText().flatMap { Decimal(string: $0) }, "a number", value)
        }
        return nil
    }

    private func cast<T>(_ found: Any?, _ expected: String, _ value: Int) throws -> T? {
        guard let found = found as? T else { throw mismatch(T.self, expected, value) }
        return found
    }

    // MARK: Containers

    func checkObject(_ value: Int) throws {
        if kind(value) != JSONTape.object { throw mismatch([String: Any].self, "an object", value) }
    }

    func keys(of object: Int) -> [String] {
        var seen: Set<String> = []
        return document.children(of: object).map { document.string(at: $0) }.filter {
            seen.insert($0).inserted
        }
    }

    func member(_ key: String, of object: Int) -> Int? {
        if let found = document.find(key, in: object) { return found + 1 }
        guard format?.keys == .snakeCase else { return nil }
        return document.find(JSONKeyFormat.snakeCase(key), in: object).map { $0 + 1 }
    }

    func propertyName(of key: String) -> String? {
        format?.keys == .snakeCase ? JSONKeyFormat.camelCase(key) : nil
    }

    func missing(_ key: any CodingKey, in object: Int) -> any Error {
        let name = format?.keys == .snakeCase ? JSONKeyFormat.snakeCase(key.stringValue) : key.stringValue
        return DecodingError.keyNotFound(
            TreeKey(name), .init(codingPath: codingPath(to: object), debugDescription: "no value under '\(name)'"))
    }

    func firstElement(of array: Int) throws -> Int? {
        if kind(array) != JSONTape.array { throw mismatch([Any].self, "an array", array) }
        return array + 1 < document.next(after: array) ? array + 1 : nil
    }

    func element(after element: Int, of array: Int) -> Int? {
        let next = document.next(after: element)
        return next < document.next(after: array) ? next : nil
    }

    func count(of array: Int) -> Int { document.count(of: array) }

    // MARK: Errors

    private func mismatch(_ type: Any.Type, _ expected: String, _ value: Int) -> DecodingError {
        mismatch(type, expected: expected, found: found(value), at: value)
    }

    private func corrupted(_ type: Any.Type, _ value: Int) -> DecodingError {
        .dataCorrupted(
            .init(
                codingPath: codingPath(to: value),
                debugDescription: "expected \(type), found \(found(value))"))
    }

    private func found(_ value: Int) -> String {
        let entity = entity(at: value)
        return switch kind(value) {
        case JSONTape.integer, JSONTape.fraction: "the number \(entity.numberText()?.prefix(40) ?? "")"
        case JSONTape.trueValue, JSONTape.falseValue: entity.text()
        default: entity.kindName
        }
    }
}
