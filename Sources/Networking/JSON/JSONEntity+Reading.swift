internal import AshlarCore
internal import AshlarTrees
public import Foundation

/// Typed reads, which return nil or the default if the value is missing, `null` or of another type.
///
/// The types that SquidKit reads have a form with a default; `??` gives the others one.
extension JSONEntity {
    var number: JSONNumber? {
        guard isValid, kind == JSONTape.integer || kind == JSONTape.fraction else { return nil }
        return document.number(at: Int(index))
    }

    /// Returns the string, or nil; numbers and Booleans aren't converted.
    public func string() -> String? {
        guard isValid, kind == JSONTape.string || kind == JSONTape.escapedString else { return nil }
        return document.string(at: Int(index))
    }

    /// Returns the string, or the default.
    public func string(_ fallback: String) -> String { string() ?? fallback }

    /// Returns the integer, or nil if there is none or it doesn't fit.
    ///
    /// `1.0` and `1e2` are integers, `1.5` isn't, `true` is 1. A string is read if all of it is an integer, like `"12"`,
    /// but not `"12abc"` or `" 12"`.
    public func int() -> Int? {
        if let number { return number.integer(Int.self) }
        return converted { $0.integer(Int.self) }
    }

    /// Returns the integer, or the default; see ``int()``.
    public func int(_ fallback: Int) -> Int { int() ?? fallback }

    /// Returns the nearest double, or nil if there is no number or it is out of range.
    ///
    /// `true` is 1. A string is read if all of it is a number, like `"+1.50"`, but not `"12abc"` or `" 12"`.
    public func double() -> Double? {
        if let number { return number.double }
        return converted { $0.double }
    }

    /// Returns the nearest double, or the default; see ``double()``.
    public func double(_ fallback: Double) -> Double { double() ?? fallback }

    /// Returns the nearest float, or nil; see ``double()``.
    public func float() -> Float? {
        if let number { return number.float }
        return converted { $0.float }
    }

    /// Returns the nearest float, or the default; see ``double()``.
    public func float(_ fallback: Float) -> Float { float() ?? fallback }

    /// Returns the Boolean, or nil.
    ///
    /// 1 and 0 are the only numbers that are Booleans, and true, false, yes, no, 1 and 0, in any case, the only strings.
    public func bool() -> Bool? {
        guard isValid else { return nil }
        switch kind {
        case JSONTape.trueValue: return true
        case JSONTape.falseValue: return false
        case JSONTape.integer, JSONTape.fraction:
            let value = number?.int64
            return value == 1 ? true : value == 0 ? false : nil
        default:
            return string().flatMap(JSONStringReading.bool)
        }
    }

    /// Returns the Boolean, or the default; see ``bool()``.
    public func bool(_ fallback: Bool) -> Bool { bool() ?? fallback }

    /// Returns the number as written, or nil; it preserves integers beyond 64 bits and the digits of decimals.
    public func numberText() -> String? {
        guard let number else { return nil }
        return String(decoding: number.text, as: UTF8.self)
    }

    /// Returns the number of a Boolean or of a string.
    private func converted<R: ExpressibleByIntegerLiteral>(_ number: (JSONNumber) -> R?) -> R? {
        guard isValid else { return nil }
        if kind == JSONTape.trueValue { return 1 }
        if kind == JSONTape.falseValue { return 0 }
        return string().flatMap { JSONStringReading.number($0, number) }
    }

    // MARK: Containers

    /// Returns the elements, or nil if this isn't an array.
    ///
    /// - Complexity: O(*n*) in the size of the array; iterating over the entity needs no array.
    public func array() -> [JSONEntity]? { isArray ? Array(self) : nil }

    /// Returns the elements, or the default if this isn't an array.
    public func array(_ fallback: [JSONEntity]) -> [JSONEntity] { array() ?? fallback }

    /// Returns the members by key, or nil if this isn't an object; the last of duplicate keys applies.
    ///
    /// - Complexity: O(*n*) in the size of the object; a subscript needs no dictionary.
    public func dictionary() -> [String: JSONEntity]? {
        guard isObject else { return nil }
        return Dictionary(lazy.map { ($0.key, $0) }, uniquingKeysWith: { $1 })
    }

    /// Returns the members by key, or the default if this isn't an object.
    public func dictionary(_ fallback: [String: JSONEntity]) -> [String: JSONEntity] {
        dictionary() ?? fallback
    }

    /// The keys of an object in the order of the document, with duplicates; empty for other values.
    package var keys: [String] { isObject ? map(\.key) : [] }

    // MARK: Dates and URLs

    /// Returns the date, or nil if the value doesn't have the given format.
    ///
    /// - Parameter dates: The format of the date; nil for that of ``format``.
    /// - Returns: The date, or nil.
    public func date(_ dates: JSONDateFormat? = nil) -> Date? {
        switch dates ?? format.dates {
        case .rfc3339:
            string().flatMap { RFC3339.parse($0.utf8) }.map {
                Date(timeIntervalSince1970: $0.secondsSince1970)
            }
        case .secondsSince1970: number?.double.map { Date(timeIntervalSince1970: $0) }
        case .millisecondsSince1970: number?.double.map { Date(timeIntervalSince1970: $0 / 1000) }
        case .secondsSince2001: number?.double.map { Date(timeIntervalSinceReferenceDate: $0) }
        }
    }

    /// Returns the URL in the string, or nil.
    package func url() -> URL? { string().flatMap { $0.isEmpty ? nil : URL(string: $0) } }
}

extension JSONEntity {
    /// Parses and checks a document (RFC 8259, UTF-8); a byte order mark is skipped.
    ///
    /// - Parameters:
    ///   - bytes: The text, which is copied.
    ///   - limits: The limits of the document.
    /// - Throws: `.invalidJSON` with `offset`, `line`, `column` (in bytes) and `path`, or `.jsonLimit`.
    /// - Complexity: O(*n*) in the length of the text.
    public init(parsing bytes: some Collection<UInt8>, limits: JSONLimits = .init())
        throws(NetworkError)
    {
        let parsed = bytes.withContiguousStorageIfAvailable { buffer in
            Result { () throws(NetworkError) in
                try JSONDocument(buffer, limits: limits)
            }
        }
        if let parsed {
            self.init(try parsed.get())
        } else {
            try self.init(parsing: Array(bytes), limits: limits)
        }
    }

    /// Parses a document; see ``init(parsing:limits:)-(Collection<UInt8>,_)``.
    ///
    /// - Throws: `.invalidJSON` or `.jsonLimit`.
    public init(parsing text: String, limits: JSONLimits = .init()) throws(NetworkError) {
        try self.init(parsing: text.utf8, limits: limits)
    }

    /// Reads and parses a file.
    ///
    /// - Throws: `.fileFailed`, `.invalidJSON` or `.jsonLimit`, each with `file`.
    public init(contentsOfFile path: String, limits: JSONLimits = .init()) throws(NetworkError) {
        let bytes = try JSONFile.read(path, limit: limits.options.bytes, as: .jsonLimit)
        do {
            try self.init(parsing: bytes, limits: limits)
        } catch {
            var error = error
            error.file = path
            throw error
        }
    }

    /// Returns the same value as the root of its own document, without the memory of the rest.
    ///
    /// A missing value remains missing. The result has the same key.
    ///
    /// - Complexity: O(*n*) in the length of the value's text.
    public func detached() -> JSONEntity {
        guard isValid, keyIndex >= 0 || index > 0 || isArray || isObject else { return self }
        return JSONEntity(trusted: bytes(), key: key.isEmpty ? nil : key, format: format)
    }
}

extension JSONEntity {
    /// Parses text written by this module; the result is `impossible` if it is deeper or larger than a document can be.
    init(trusted bytes: [UInt8], key: String? = nil, format: JSONFormat = .init()) {
        let document = bytes.withUnsafeBufferPointer {
            try? JSONDocument($0, limits: JSONLimits(depth: JSONLimits.deepest))
        }
        if let document { self.init(document, key: key, format: format) } else { self = .impossible }
    }
}

/// Reads strings as numbers and Booleans.
private enum JSONStringReading {
    /// Returns the number in a string, in JSON's grammar plus a leading `+` and leading zeros.
    static func number<R>(_ text: String, _ body: (JSONNumber) -> R?) -> R? {
        var text = text
        return text.withUTF8 { utf8 in
            var rest = utf8[...]
            let isNegative = rest.first == UInt8(ascii: "-")
            if isNegative || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
            func digits() -> Int {
                let count = rest.prefix(while: \.isDigit).count
                rest = rest.dropFirst(count)
                return count
            }
            let start = rest.startIndex
            guard digits() > 0 else { return nil }
            if rest.first == UInt8(ascii: ".") {
                rest = rest.dropFirst()
                guard digits() > 0 else { return nil }
            }
            if let byte = rest.first, byte.asciiLowercased == UInt8(ascii: "e") {
                rest = rest.dropFirst()
                if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
                guard digits() > 0 else { return nil }
            }
            guard rest.isEmpty else { return nil }
            return body(
                JSONNumber(text: UnsafeBufferPointer(rebasing: utf8[(isNegative ? start - 1 : start)...])))
        }
    }

    static func bool(_ text: String) -> Bool? {
        guard text.utf8.count <= 5 else { return nil }
        return switch text.lowercased() {
        case "true", "yes", "1": true
        case "false", "no", "0": false
        default: nil
        }
    }
}
