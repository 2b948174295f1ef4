internal import AshlarCore
package import AshlarNetworking

/// The measured phases of a recorded exchange, as HAR 1.2 has them; nil for a phase that didn't take place.
package struct HARTimings: Hashable, Sendable {
    /// The wait for a connection.
    package var blocked: Duration?
    /// The lookup of the name.
    package var dns: Duration?
    /// The time until the connection was open, including that of TLS.
    package var connect: Duration?
    /// The handshake of TLS.
    package var ssl: Duration?
    /// The sending of the request.
    package var send: Duration?
    /// The time until the first byte of the response.
    package var wait: Duration?
    /// The time from the first to the last byte of the response.
    package var receive: Duration?

    /// Divides an exchange of a transport into its phases; the sending is a part of the wait.
    package init(_ metrics: ExchangeMetrics) {
        let open = metrics.secured ?? metrics.connected
        blocked = metrics.queued > .zero ? metrics.queued : nil
        dns = metrics.resolved
        connect = open.map { max(.zero, $0 - (metrics.resolved ?? .zero)) }
        ssl = metrics.secured.flatMap { end in metrics.connected.map { max(.zero, end - $0) } }
        wait = metrics.firstByte.map { max(.zero, $0 - (open ?? .zero)) }
        receive = metrics.firstByte.map { max(.zero, metrics.duration - $0) }
    }

    /// Reads the phases of a file; nil if there is no other one than the wait, which then is the whole time.
    init?(_ json: JSONEntity) {
        func phase(_ name: String) -> Duration? {
            guard let milliseconds = json[name].double(), milliseconds >= 0, milliseconds < 1e12 else { return nil }
            // A fraction of milliseconds can be slightly less than its microseconds.
            return .microseconds(Int64((milliseconds * 1000).rounded()))
        }
        blocked = phase("blocked")
        dns = phase("dns")
        connect = phase("connect")
        ssl = phase("ssl")
        send = phase("send")
        wait = phase("wait")
        receive = phase("receive")
        if [blocked, dns, connect, ssl, send, receive].allSatisfy({ $0 ?? .zero == .zero }) { return nil }
    }

    /// The phases in milliseconds; -1 for one that didn't take place.
    package var json: JSONEntity {
        func phase(_ duration: Duration?) -> JSONEntity { duration.map(HARWriter.number) ?? -1 }
        return JSONEntity(object: [
            ("blocked", phase(blocked)), ("dns", phase(dns)), ("connect", phase(connect)), ("ssl", phase(ssl)),
            ("send", phase(send ?? .zero)), ("wait", phase(wait ?? .zero)), ("receive", phase(receive ?? .zero)),
        ])
    }
}
