internal import AshlarCore
internal import AshlarTrees
import Foundation

/// The JSON of an encodable value before its format is known: a text with gaps for dates and for the names of properties.
///
/// The body of a request is encoded where it is created, but the client that sends it decides on the format.
struct EncodedJSON: Sendable {
    private enum Gap {
        case date(Date, path: String)
        /// The name of a property that is another key in snake case.
        case key(String)
    }

    private var text: [UInt8] = []
    /// What is missing, in order, each with its position in the text.
    private var gaps: [(offset: Int, gap: Gap)] = []

    /// Whether the text is the same in every format.
    var hasOneFormat: Bool { gaps.isEmpty }

    /// Encodes a value.
    ///
    /// - Throws: `.encodingFailed` with the path of a value that JSON can't represent, or for more than 100 nested containers.
    init(_ value: some Encodable) throws(NetworkError) {
        do {
            let encoded = try TreeEncoder.encode(value, isScalar: Self.isScalar, superKey: "super")
            if case .empty = encoded.content {
                throw EncodingError.invalidValue(
                    value, .init(codingPath: [], debugDescription: "the value encodes nothing"))
            }
            text.reserveCapacity(256)
            try append(encoded)
        } catch {
            let message =
                if case EncodingError.invalidValue(_, let context) = error {
                    "at \(Self.path(context.codingPath)): \(context.debugDescription)"
                } else {
                    "\(type(of: value)) can't be encoded as JSON: \(error)"
                }
            throw NetworkError(.encodingFailed, message, phase: .prepare, underlying: error)
        }
    }

    /// Returns the text in a format.
    ///
    /// - Throws: `.encodingFailed` for a date that the format can't represent.
    func bytes(_ format: JSONFormat) throws(NetworkError) -> [UInt8] {
        if gaps.isEmpty { return text }
        var (output, start): ([UInt8], Int) = ([], 0)
        for (offset, gap) in gaps {
            output += text[start..<offset]
            start = offset
            switch gap {
            case .key(let name):
                JSONText.append(quoted: format.keys == .snakeCase ? JSONKeyFormat.snakeCase(name) : name, to: &output)
            case .date(let date, let path):
                guard let value = Self.date(date, format.dates) else {
                    let problem = format.dates == .rfc3339 ? "has no year of four digits" : "isn't finite"
                    throw NetworkError(.encodingFailed, "at \(path): the date \(problem)", phase: .prepare)
                }
                output += Array(value.utf8)
            }
        }
        return output + text[start...]
    }

    // MARK: Writing

    private mutating func append(_ value: EncodedValue) throws {
        switch value.content {
        case .empty: text += "{}".utf8
        case .null: text += "null".utf8
        case .scalar(let scalar): try append(scalar, value.codingPath)
        case .array(let elements):
            text.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                try append(element)
            }
            text.append(UInt8(ascii: "]"))
        case .object(let members):
            text.append(UInt8(ascii: "{"))
            var isFirst = true
            for (key, member) in members {
                // An optional property without a value encodes nothing.
                if case .empty = member.content { continue }
                if !isFirst { text.append(UInt8(ascii: ",")) }
                isFirst = false
                append(key, isProperty: !value.isDictionary)
                try append(member)
            }
            text.append(UInt8(ascii: "}"))
        }
    }

    private mutating func append(_ key: String, isProperty: Bool) {
        if isProperty, key.utf8.contains(where: { !$0.isLetter || $0 < UInt8(ascii: "a") }),
            JSONKeyFormat.snakeCase(key) != key
        {
            gaps.append((text.count, .key(key)))
        } else {
            JSONText.append(quoted: key, to: &text)
        }
        text.append(UInt8(ascii: ":"))
    }

    private mutating func append(_ scalar: any Encodable, _ path: [any CodingKey]) throws {
        func refuse(_ problem: String) -> EncodingError {
            .invalidValue(scalar, .init(codingPath: path, debugDescription: problem))
        }
        // The most frequent types come first.
        switch scalar {
        case let value as String: JSONText.append(quoted: value, to: &text)
        case let value as Int: text += String(value).utf8
        case let value as Bool: text += (value ? "true" : "false").utf8
        case let value as any JSONFragment:
            guard value.appendJSON(to: &text) else { throw refuse("expected a JSON value, found \(value)") }
        case let value as Date: gaps.append((text.count, .date(value, path: Self.path(path))))
        case let value as URL: JSONText.append(quoted: value.absoluteString, to: &text)
        case let value as Data: text += Array(("\"" + Base64.encode(Array(value)) + "\"").utf8)
        case let value as any BinaryFloatingPoint:
            guard let number = Self.number("\(value)") else { throw refuse("JSON can't represent \(value)") }
            text += Array(number.utf8)
        case let value as Decimal:
            guard !value.isNaN else { throw refuse("JSON can't represent \(value)") }
            text += Array("\(value)".utf8)
        // The casts also remove the optional around a number.
        case let value as any BinaryInteger: text += Array("\(value)".utf8)
        default: throw refuse("JSON can't represent \(scalar)")
        }
    }

    // MARK: Scalars

    /// Whether a value has a form of its own in JSON; Booleans, strings and numbers have one in any case.
    private static func isScalar(_ value: any Encodable) -> Bool {
        // Types are compared, because a cast of a value takes many times as long.
        let type = type(of: value)
        return type == Date.self || type == URL.self || type == Data.self || type == Decimal.self
            || value is any JSONFragment
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        "$" + keys.map { key in key.intValue.map { "[\($0)]" } ?? "." + key.stringValue }.joined()
    }

    /// Returns the text of a number that Swift describes, or nil for infinities and NaN.
    private static func number(_ text: String) -> String? {
        guard text.utf8.allSatisfy({ $0.isDigit || "+-.e".utf8.contains($0) }) else { return nil }
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    private static func date(_ date: Date, _ format: JSONDateFormat) -> String? {
        switch format {
        case .rfc3339:
            RFC3339.format(secondsSince2001: date.timeIntervalSinceReferenceDate).map { "\"\($0)\"" }
        case .secondsSince1970: number("\(date.timeIntervalSince1970)")
        case .millisecondsSince1970: number("\(date.timeIntervalSince1970 * 1000)")
        case .secondsSince2001: number("\(date.timeIntervalSinceReferenceDate)")
        }
    }
}

/// A value that is JSON already.
protocol JSONFragment {
    /// Appends the text; returns false for a value that JSON can't represent.
    func appendJSON(to output: inout [UInt8]) -> Bool
}
