/// The protocol that a request asks for in place of HTTP, such as that of WebSockets (RFC 9110, section 7.8).
///
/// The library of the protocol adds the fields of the request, and continues on the connection of the response.
package protocol ConnectionUpgrade: Sendable {}

/// The connection of a response with status 101.
package protocol UpgradedConnection: AnyObject, Sendable {
    /// Ends the connection, optionally after everything has been sent.
    func end(afterSending: Bool)
}
