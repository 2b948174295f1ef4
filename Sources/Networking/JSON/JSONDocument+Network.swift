internal import AshlarCore

extension JSONDocument {
    /// A document without a value.
    static let empty = JSONDocument()
    /// A separate document for values that JSON can't represent.
    static let impossible = JSONDocument()

    /// Copies and parses a JSON text.
    ///
    /// - Throws: `.invalidJSON` or `.jsonLimit`.
    convenience init(_ bytes: UnsafeBufferPointer<UInt8>, limits: JSONLimits) throws(NetworkError) {
        let options = JSONDocument.Options(
            depth: limits.depth, bytes: limits.bytes, rejectsDuplicateKeys: limits.rejectsDuplicateKeys)
        do {
            try self.init(bytes, options: options)
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
        (offset, path, line, column) = (failure.offset, failure.path, failure.line, failure.column)
    }
}
