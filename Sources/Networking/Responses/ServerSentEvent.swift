/// An event from a server; see ``NetworkClient/events(_:clock:)``.
public struct ServerSentEvent: Hashable, Sendable {
    /// The type of the event; `message` if the server sends none.
    public var type: String
    /// The data; several `data` lines are joined by line feeds.
    public var data: String
    /// The last identifier that the server sent, or an empty string.
    public var id: String

    /// Creates an event.
    public init(type: String = "message", data: String, id: String = "") {
        (self.type, self.data, self.id) = (type, data, id)
    }
}
