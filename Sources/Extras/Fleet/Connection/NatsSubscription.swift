internal import AshlarCore
internal import CAshlarNats

/// A subscription, which lasts until it is released; each client of its connection starts it.
final class NatsSubscription: Sendable {
    /// The subscription of one client.
    private final class Active: Sendable {
        let client: NatsClient
        // Safe because the library's functions are thread-safe, and the subscription is destroyed with this object.
        nonisolated(unsafe) let handle: UnsafeMutableRawPointer

        init(_ client: NatsClient, _ handle: UnsafeMutableRawPointer) {
            self.client = client
            self.handle = handle
        }

        // Also unsubscribes.
        deinit { client.library.table.pointee.natsSubscription_Destroy(handle) }
    }

    private typealias Receiver = Box<(NatsLibrary, @Sendable (NatsMessage) -> Void)>

    private let subject: String
    private let group: String?
    private let receive: @Sendable (NatsMessage) -> Void
    private let active = Mutex<Active?>(nil)

    /// Creates a subscription that isn't started.
    ///
    /// The library calls `receive` on a thread of its own, for one message after the other; it must return soon.
    init(_ subject: String, group: String?, _ receive: @escaping @Sendable (NatsMessage) -> Void) {
        self.subject = subject
        self.group = group
        self.receive = receive
    }

    /// Subscribes by a client, instead of an earlier one.
    func start(on client: NatsClient) throws(FleetError) {
        let table = client.library.table.pointee
        // The library retains the box until the last message.
        let box = Unmanaged.passRetained(Box((client.library, receive)))
        let receiver = box.toOpaque()
        let callback: ashlar_nats_message_callback = { _, _, message, closure in
            guard let message, let closure else { return }
            let (library, receive) = Unmanaged<Receiver>.fromOpaque(closure).takeUnretainedValue().value
            receive(NatsMessage(message, library.table))
            library.table.pointee.natsMsg_Destroy(message)
        }
        var handle: UnsafeMutableRawPointer?
        let status =
            group.map { table.natsConnection_QueueSubscribe(&handle, client.handle, subject, $0, callback, receiver) }
            ?? table.natsConnection_Subscribe(&handle, client.handle, subject, callback, receiver)
        guard status == NatsStatus.ok, let handle else {
            box.release()
            throw client.library.error(of: status, subject)
        }
        // The receiver has limits of its own and counts what it drops.
        _ = table.natsSubscription_SetPendingLimits(handle, -1, -1)
        // Called after the last message, when the subscription or the connection has ended.
        _ = table.natsSubscription_SetOnCompleteCB(
            handle, { if let closure = $0 { Unmanaged<Receiver>.fromOpaque(closure).release() } }, receiver)
        let new = Active(client, handle)
        let old = active.withLock { active in
            defer { active = new }
            return active
        }
        _ = consume old
    }
}
