internal import AshlarCore
public import Foundation

extension JSONEntity {
    /// Parses and checks a document (RFC 8259, UTF-8); a byte order mark is skipped.
    ///
    /// - Parameters:
    ///   - bytes: The text, which is copied.
    ///   - limits: The limits of the document.
    /// - Throws: `.invalidJSON` with `offset`, `line`, `column` (in bytes) and `path`, or `.jsonLimit`.
    /// - Complexity: O(*n*) in the length of the text.
    public init(parsing bytes: [UInt8], limits: JSONLimits = .init()) throws(NetworkError) {
        let parsed = bytes.withUnsafeBufferPointer { buffer in
            Result { () throws(NetworkError) in
                try JSONDocument(buffer, limits: limits)
            }
        }
        self.init(try parsed.get())
    }

    /// Parses a document; see ``init(parsing:limits:)-([UInt8],_)``.
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

    /// Parses a document; see ``init(parsing:limits:)-([UInt8],_)``.
    ///
    /// - Throws: `.invalidJSON` or `.jsonLimit`.
    public init(parsing data: Data, limits: JSONLimits = .init()) throws(NetworkError) {
        let parsed = data.withUnsafeBytes { raw in
            Result { () throws(NetworkError) in
                try JSONDocument(raw.bindMemory(to: UInt8.self), limits: limits)
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
