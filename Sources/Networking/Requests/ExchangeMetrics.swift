/// The measurements of one exchange: its connection, bytes and times.
///
/// A request has several exchanges if it is redirected or repeated. The bytes are those of HTTP, without TLS.
///
/// ```swift
/// func measure(_ client: NetworkClient) async throws {
///     var request = try NetworkRequest(.get, "https://api.example.com/notes")
///     request.options.measures = true
///     guard let metrics = try await client.send(request).metrics else { return }
///     print(metrics.remoteAddress ?? "unknown", metrics.tlsVersion ?? "no TLS", metrics.receivedBodyBytes)
/// }
/// ```
public struct ExchangeMetrics: Hashable, Sendable {
    /// The IP address and port of the server, or of the proxy, such as `127.0.0.1:80` or `[::1]:80`; nil without a
    /// connection.
    public var remoteAddress: String?
    /// The protocol as registered for ALPN: `http/1.0`, `http/1.1` or `h2`; nil without a response.
    public var protocolName: String?
    /// The version of TLS, such as `1.3`; nil without TLS, or if the transport can't determine it.
    public var tlsVersion: String?
    /// The bytes sent for the request's body, including the framing of chunks.
    public var sentBodyBytes: Int = 0
    /// The bytes received of the response's body before decompression, including the framing of chunks and trailers.
    public var receivedBodyBytes: Int = 0
    /// The time that the exchange waited for a connection because of the limits of connections.
    public var queued: Duration = .zero
    /// The time from the start of the exchange, after `queued`, until the name was resolved; nil for a reused connection.
    public var resolved: Duration?
    /// The time from the start until the connection was open; nil for a reused connection.
    public var connected: Duration?
    /// The time from the start until the TLS handshake was complete; nil for a reused connection.
    public var secured: Duration?
    /// The time from the start until the first byte of the response arrived.
    public var firstByte: Duration?
    /// Whether the connection was reused, or nil without one.
    public var reusedConnection: Bool?
    /// The time from the start of the exchange, after `queued`, to its end.
    public var duration: Duration = .zero
}

extension ExchangeMetrics {
    /// Returns an IP address and port, with brackets around an IPv6 address.
    static func address(_ host: String, _ port: Int) -> String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
