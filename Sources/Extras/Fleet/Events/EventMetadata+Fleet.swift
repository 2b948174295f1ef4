public import AshlarEventBus

extension EventMetadata {
    /// The identity of the at-least-once event that is being handled, or that led to this one; nil for other events.
    ///
    /// It is the same for each delivery of the event, so a handler can recognize what it has done before.
    public var fleetMessageID: String? { headers[NatsHeader.receivedID] }

    /// The number of deliveries of the at-least-once event that is being handled, from 1; nil for other events.
    public var fleetDeliveries: Int? { headers[NatsHeader.deliveries].flatMap { Int($0) } }

    /// The headers of a message with this metadata.
    var fleetHeaders: [String: String] {
        var headers = headers.filter { NatsHeader.isFree($0.key) }
        headers[NatsHeader.source] = source
        headers[NatsHeader.traceParent] = traceParent
        headers[NatsHeader.traceState] = traceState
        headers[NatsHeader.correlation] = correlationID
        headers[NatsHeader.time] = time.map { "\($0.milliseconds)" }
        return headers
    }

    /// Reads the metadata of a message, and of its delivery from the stream.
    init(of message: NatsMessage, _ place: DeliveredPlace? = nil) {
        let headers = message.headers
        var free = headers.filter { NatsHeader.isFree($0.key) }
        if let place {
            free[NatsHeader.receivedID] = headers[NatsHeader.messageID] ?? "\(place.stream)"
            free[NatsHeader.deliveries] = "\(place.deliveries)"
        }
        self.init(
            source: headers[NatsHeader.source],
            time: headers[NatsHeader.time].flatMap { Int64($0) }.map { .milliseconds($0) },
            correlationID: headers[NatsHeader.correlation],
            traceParent: headers[NatsHeader.traceParent],
            traceState: headers[NatsHeader.traceState], headers: free)
    }
}
