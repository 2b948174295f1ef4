extension ResponseBody {
    /// Returns the values of JSON lines (NDJSON) as they arrive.
    ///
    /// Each line is one JSON text; empty lines are skipped. Nothing is read in advance. The values are decoded on the actor that
    /// iterates.
    ///
    /// ```swift
    /// struct Change: Decodable, Sendable { let id: Int }
    ///
    /// func follow(_ client: NetworkClient) async throws {
    ///     let request = try NetworkRequest(.get, "https://api.example.com/changes")
    ///     for try await change in try await client.stream(request).body.values(of: Change.self) {
    ///         print(change.id)
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of each value, such as `JSONEntity`.
    ///   - limit: The maximum number of bytes of one line; 1 MiB by default.
    /// - Returns: The values. Only one iterator receives them. An early end throws `.invalidJSON` or `.decodingFailed` with
    ///   `line`, `.bodyTooLarge`, or the failure of the body.
    public func values<Value: Decodable>(
        of type: Value.Type, upTo limit: Int = 1 << 20
    ) -> some AsyncSequence<Value, NetworkError> & Sendable {
        BodyValues<Value>(lines: BodyLines(body: self, limit: limit), format: format)
    }
}

/// The values of JSON lines; see ``ResponseBody/values(of:upTo:)``.
struct BodyValues<Value: Decodable>: AsyncSequence, Sendable {
    fileprivate let lines: BodyLines
    fileprivate let format: JSONFormat

    /// Returns an iterator over the rest of the values.
    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(lines: lines.makeAsyncIterator(), format: format) }

    /// Receives the values in order.
    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var lines: BodyLines.AsyncIterator
        fileprivate let format: JSONFormat

        /// Returns the next value, or nil at the end.
        mutating func next(isolation actor: isolated (any Actor)?) async throws(NetworkError) -> Value? {
            while let line = try await lines.nextBytes() {
                if line.bytes.allSatisfy(\.isHTTPSpace) { continue }
                do throws(NetworkError) {
                    return try JSONEntity(parsing: line.bytes).formatted(format).decode(Value.self)
                } catch {
                    lines.stop()
                    var error = error
                    error.line = line.number
                    throw error
                }
            }
            return nil
        }

    }
}
