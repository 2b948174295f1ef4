internal import AshlarCore

/// A value of a file, before a typed read.
///
/// A strings file contains strings, and sometimes lists, dictionaries or data. Themes and property lists also contain
/// numbers, booleans, colors and aliases.
public enum CustomizationValue: Hashable, Sendable {
    /// A string.
    case string(String)
    /// An integer.
    case int(Int64)
    /// A number with a fraction.
    case double(Double)
    /// A boolean.
    case bool(Bool)
    /// A value that its file declares as a color.
    case color(RGBAColor)
    /// Bytes.
    case data([UInt8])
    /// A list of values.
    case list([CustomizationValue])
    /// A dictionary of values.
    case dict([String: CustomizationValue])
    /// A string that depends on numbers, names or the device.
    case message(CustomizationMessage)
    /// The key whose value replaces this one.
    case alias(String)

    /// The name of the value's type in messages.
    package var typeName: String {
        switch self {
        case .string: "text"
        case .int: "whole number"
        case .double: "number"
        case .bool: "boolean"
        case .color: "color"
        case .data: "data"
        case .list: "list"
        case .dict: "dictionary"
        case .message: "message"
        case .alias: "alias"
        }
    }

    /// The value as a string; nil for data, lists, dictionaries, aliases, and messages with arguments.
    ///
    /// Numbers print without a locale, booleans as `true` and `false`, colors as `#rrggbb` or `#rrggbbaa`.
    public var text: String? {
        switch self {
        case .string(let text): text
        case .int(let number): String(number)
        case .double(let number): String(number)
        case .bool(let flag): flag ? "true" : "false"
        case .color(let color): color.description
        case .message(let message): message.source().text
        case .data, .list, .dict, .alias: nil
        }
    }
}

extension CustomizationValue: CustomStringConvertible {
    /// The value in a short form; keys of dictionaries are sorted.
    public var description: String {
        switch self {
        case .string(let text): "\"\(text)\""
        case .int, .double, .bool, .color: text ?? ""
        case .data(let bytes): "<\(bytes.count) bytes>"
        case .list(let items): "(" + items.map(\.description).joined(separator: ", ") + ")"
        case .dict(let members):
            "{"
                + members.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value);" }.joined(
                    separator: " ") + "}"
        case .message(let message): message.description
        case .alias(let key): "→ \(key)"
        }
    }
}

extension CustomizationValue: ExpressibleByStringLiteral {
    /// Creates a string.
    public init(stringLiteral text: String) { self = .string(text) }
}

/// The notation of a string that is an alias of another key.
enum AliasSyntax {
    /// Returns the key in `$key` or `{a.b}`; nil for any other string.
    static func alias(_ text: String) -> String? {
        if text.utf8.first == UInt8(ascii: "$") {
            let key = text.dropFirst()
            return key.isEmpty || key.utf8.first == UInt8(ascii: "$") ? nil : String(key)
        }
        guard text.utf8.first == UInt8(ascii: "{"), text.utf8.last == UInt8(ascii: "}") else { return nil }
        let key = text.dropFirst().dropLast()
        return key.isEmpty || key.contains("{") || key.contains(" ") ? nil : String(key)
    }

    /// Returns the string without the first `$` of a leading `$$`.
    static func unescaped(_ text: String) -> String { text.hasPrefix("$$") ? String(text.dropFirst()) : text }
}

extension String {
    /// Calls `body` with the UTF-8 of the string, without a copy if Swift stores it.
    @inline(__always)
    func withKeyBytes<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
        if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
        return Array(utf8).withUnsafeBufferPointer(body)
    }

    /// Returns the text without ASCII whitespace at its edges.
    package func trimmingSpace() -> String { trimming(\.isSpace) }
}
