/// Performs one hop: sends a request and returns the head of the response, and a body to read.
///
/// A transport follows no redirects, stores no cookies and accepts every status. It repeats only idempotent requests
/// whose reused connection ends without a response (RFC 9112, section 9.3.1). It applies the request's timeouts and
/// limits, requests compressed responses if the options say so and decompresses them, and rejects fields that
/// ``HTTPHeaders/validate()`` rejects. Cancelling the task in `send` ends the exchange with `.cancelled`; afterward,
/// the body's `cancel()` does.
///
/// A transport that wraps another one is short:
///
/// ```swift
/// struct Counting: NetworkTransport {
///     let base: any NetworkTransport
///     let count: @Sendable () -> Void
///
///     func send(_ request: NetworkRequest) async throws(NetworkError) -> StreamedResponse {
///         count()
///         return try await base.send(request)
///     }
/// }
/// ```
public protocol NetworkTransport: Sendable {
    /// Sends a request and returns when the head of the response has arrived.
    ///
    /// - Throws: A `NetworkError` with `code`, `phase`, `message` and, if known, `requestState`; the client adds the rest.
    func send(_ request: NetworkRequest) async throws(NetworkError) -> StreamedResponse
}
