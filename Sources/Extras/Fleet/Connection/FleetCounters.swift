internal import AshlarCore
internal import AshlarLogging

/// What a fleet has sent, received and lost since it was connected.
public struct FleetCounters: Hashable, Sendable {
    /// The events that were passed to the connection.
    public internal(set) var published = 0
    /// The events and requests that were received.
    public internal(set) var received = 0
    /// The events that couldn't be published: there was no connection, or the payload couldn't be encoded.
    public internal(set) var unpublished = 0
    /// The messages and subscriptions that the server has rejected, such as those without permission.
    public internal(set) var rejected = 0
    /// The events and requests that were dropped because too many waited: received ones for handlers, at-least-once events
    /// for the server.
    public internal(set) var overflowed = 0
    /// The received messages whose subject or payload can't be read.
    public internal(set) var malformed = 0
    /// The stored events that were received again after they had been handled.
    public internal(set) var duplicates = 0
    /// The stored events whose handlers threw an error; they are received again.
    public internal(set) var failed = 0
    /// The stored events that became dead letters.
    public internal(set) var deadLetters = 0
}

/// The counters while they change.
final class FleetCounting: Sendable {
    private let counters = Mutex(FleetCounters())

    var current: FleetCounters { counters.withLock { $0 } }

    func update(_ change: (inout FleetCounters) -> Void) { counters.withLock { change(&$0) } }

    /// Counts a loss, and logs the first one and those at each power of two.
    func report(_ counter: any WritableKeyPath<FleetCounters, Int> & Sendable, _ text: @autoclosure () -> String) {
        let number = counters.withLock { counters in
            counters[keyPath: counter] += 1
            return counters[keyPath: counter]
        }
        if number & (number - 1) == 0 { Log("fleet").warning("\(text()) (\(number) in all)") }
    }
}
