internal import AshlarCore
internal import AshlarTrees

/// Limits of a JSON document, and the treatment of duplicate keys.
public struct JSONLimits: Hashable, Sendable {
    let options: JSONDocument.Options

    /// The greatest depth, 1,024, which also applies to values created in code.
    package static let deepest: Int = 1024
    /// The greatest number of bytes: 256 MiB less one byte.
    package static let largest: Int = JSONDocument.Options.largest

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - depth: The maximum depth of nested containers, at most 1,024.
    ///   - bytes: The maximum number of bytes, less than 256 MiB.
    ///   - rejectsDuplicateKeys: Whether a document with a key that occurs twice in one object is rejected with
    ///     `.invalidJSON`; otherwise the last value is read, and all values are iterated, counted and written.
    public init(depth: Int = 512, bytes: Int = (1 << 28) - 1, rejectsDuplicateKeys: Bool = false) {
        options = .init(depth: min(depth, Self.deepest), bytes: bytes, rejectsDuplicateKeys: rejectsDuplicateKeys)
    }
}

extension JSONDocument {
    /// A document without a value.
    static let empty = JSONDocument()
    /// A separate document for values that JSON can't represent.
    static let impossible = JSONDocument()

    /// Copies and parses a JSON text.
    ///
    /// - Throws: `.invalidJSON` or `.jsonLimit`.
    convenience init(_ bytes: UnsafeBufferPointer<UInt8>, limits: JSONLimits) throws(NetworkError) {
        do {
            try self.init(bytes, options: limits.options)
        } catch {
            throw NetworkError(error)
        }
    }
}

extension NetworkError {
    init(_ failure: JSONSyntaxError) {
        let isLimit = failure.kind == .depth || failure.kind == .size
        self.init(isLimit ? .jsonLimit : .invalidJSON, failure.message)
        limit = failure.limit
        if failure.kind == .size { return }
        offset = failure.offset
        path = failure.path
        line = failure.line
        column = failure.column
    }
}
