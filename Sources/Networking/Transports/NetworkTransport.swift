/// Carries out exactly one hop: it sends a request and hands back the head of the answer and a body to pull.
///
/// A transport follows no redirects, keeps no cookies and does not judge the status. It repeats nothing, unless a kept
/// connection ends before the answer of an idempotent request (RFC 9112, 9.3.1). It applies
/// the request's timeouts and limits, asks for compressed answers (if the options say so) and inflates them, and
/// refuses fields that ``HTTPHeaders/validate()`` refuses. Cancelling the task that waits in `send` ends the exchange with
/// `.cancelled`; after that the body's `cancel()` does.
///
/// A transport that wraps another one stays short:
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
    /// Sends a request and returns as soon as the head of the answer is there.
    ///
    /// - Throws: `NetworkError` with `code`, `phase` and `message`; the client adds request and attempts.
    func send(_ request: NetworkRequest) async throws(NetworkError) -> StreamedResponse
}
