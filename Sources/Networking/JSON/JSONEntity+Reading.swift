internal import AshlarCore
internal import AshlarTrees
public import Foundation

/// Typed reads, which return nil or the default if the value is missing, `null` or of another type.
///
/// The types that SquidKit reads have a form with a default; `??` gives the others one.
extension JSONEntity {
    @inline(__always)
    var number: JSONNumber? {
        guard isValid, kind == JSONTape.integer || kind == JSONTape.fraction else { return nil }
        return document.number(at: Int(index))
    }

    /// Returns the string, or nil; numbers and Booleans aren't converted.
    @inline(__always)
    public func string() -> String? {
        guard isValid, kind == JSONTape.string || kind == JSONTape.escapedString else { return nil }
        return document.string(at: Int(index))
    }

    /// Returns the string, or the default.
    public func string(_ fallback: String) -> String { string() ?? fallback }

    /// Returns the integer, or nil if there is none or it doesn't fit.
    ///
    /// `1.0` and `1e2` are integers, `1.5` isn't, `true` is 1; the rule of ``coercing(_:)`` applies to strings.
    public func int() -> Int? {
        if let number { return number.integer(Int.self) }
        return coerced(
            bool: { $0 ? 1 : 0 }, exact: { $0.integer(Int.self) }, squidKit: JSONStringReading.squidKitInt
        )
    }

    /// Returns the integer, or the default; see ``int()``.
    public func int(_ fallback: Int) -> Int { int() ?? fallback }

    /// Returns the nearest double, or nil if there is no number or it is out of range.
    ///
    /// `true` is 1; the rule of ``coercing(_:)`` applies to strings.
    public func double() -> Double? {
        if let number { return number.double }
        return coerced(
            bool: { $0 ? 1 : 0 }, exact: { $0.double }, squidKit: JSONStringReading.squidKitDouble)
    }

    /// Returns the nearest float, or nil; see ``double()``.
    public func float() -> Float? {
        if let number { return number.float }
        return coerced(
            bool: { $0 ? 1 : 0 }, exact: { $0.float },
            squidKit: { Float(JSONStringReading.squidKitDouble($0)) })
    }

    /// Returns the nearest float, or the default; see ``double()``.
    public func float(_ fallback: Float) -> Float { float() ?? fallback }

    /// Returns the Boolean, or nil.
    ///
    /// 1 and 0 are the only numbers that are Booleans; the rule of ``coercing(_:)`` applies to strings.
    public func bool() -> Bool? {
        guard isValid else { return nil }
        switch kind {
        case JSONTape.trueValue: return true
        case JSONTape.falseValue: return false
        case JSONTape.integer, JSONTape.fraction:
            let value = number?.int64
            return value == 1 ? true : value == 0 ? false : nil
        default:
            guard let text = string() else { return nil }
            return rule == .exact
                ? JSONStringReading.exactBool(text) : JSONStringReading.squidKitBool(text)
        }
    }

    /// Returns the Boolean, or the default; see ``bool()``.
    public func bool(_ fallback: Bool) -> Bool { bool() ?? fallback }

    /// Returns the number as written, or nil; it preserves integers beyond 64 bits and the digits of decimals.
    public func numberText() -> String? {
        guard let number else { return nil }
        return String(decoding: number.text, as: UTF8.self)
    }

    private func coerced<R>(
        bool: (Bool) -> R, exact: (JSONNumber) -> R?, squidKit: (String) -> R
    ) -> R? {
        guard isValid else { return nil }
        if kind == JSONTape.trueValue || kind == JSONTape.falseValue {
            return bool(kind == JSONTape.trueValue)
        }
        guard let text = string() else { return nil }
        return rule == .exact ? JSONStringReading.exactNumber(text, exact) : squidKit(text)
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
    public var keys: [String] { isObject ? map(\.key) : [] }

    // MARK: Dates and URLs

    /// Returns the date, or nil if the value doesn't have the given format.
    ///
    /// - Parameter format: The format of the date.
    /// - Returns: The date, or nil.
    public func date(_ format: JSONDateFormat = .rfc3339) -> Date? {
        switch format {
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
    public func url() -> URL? { string().flatMap { $0.isEmpty ? nil : URL(string: $0) } }
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
        var text = text
        let parsed = text.withUTF8 { buffer in
            Result { () throws(NetworkError) in
                try JSONDocument(buffer, limits: limits)
            }
        }
        self.init(try parsed.get())
    }

    /// Reads and parses a file.
    ///
    /// - Throws: `.fileFailed`, `.invalidJSON` or `.jsonLimit`, each with `file`.
    public init(contentsOfFile path: String, limits: JSONLimits = .init()) throws(NetworkError) {
        let bytes = try JSONFile.read(path, limit: limits.bytes, as: .jsonLimit)
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
    /// A missing value remains missing. The result has the same coercion rule and key.
    ///
    /// - Complexity: O(*n*) in the length of the value's text.
    public func detached() -> JSONEntity {
        guard isValid, keyIndex >= 0 || index > 0 || isArray || isObject else { return self }
        return JSONEntity(trusted: bytes(), key: key.isEmpty ? nil : key).coercing(rule)
    }
}

extension JSONEntity {
    /// Parses text written by this module; the result is `impossible` if it is deeper or larger than a document can be.
    init(trusted bytes: [UInt8], key: String? = nil) {
        let document = bytes.withUnsafeBufferPointer {
            try? JSONDocument($0, limits: JSONLimits(depth: JSONLimits.deepest))
        }
        if let document { self.init(document, key: key) } else { self = .impossible }
    }
}
