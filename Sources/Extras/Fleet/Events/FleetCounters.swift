/// What a fleet has sent, received and lost since it was connected.
public struct FleetCounters: Hashable, Sendable {
    /// The events that were passed to the connection.
    public internal(set) var published = 0
    /// The events and requests that were received.
    public internal(set) var received = 0
    /// The events that couldn't be published: there was no connection, or the payload couldn't be encoded.
    public internal(set) var unpublished = 0
    /// The received messages that were dropped because too many waited for handlers.
    public internal(set) var overflowed = 0
    /// The received messages whose subject or payload can't be read.
    public internal(set) var malformed = 0
    /// The stored events that were received again after they had been handled.
    public internal(set) var duplicates = 0
    /// The stored events whose handlers threw an error; they are received again.
    public internal(set) var failed = 0
}
