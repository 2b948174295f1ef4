internal import AshlarCore
internal import AshlarEventBus
internal import CAshlarNats
internal import Foundation

/// The state of a connection.
public enum FleetState: Hashable, Sendable, CustomStringConvertible {
    /// Messages are exchanged with a server.
    case connected(server: String)
    /// There is no connection; attempts to connect go on.
    case reconnecting(reason: String)
    /// The connection has ended, and there are no more attempts.
    case closed(reason: String)

    /// The state and its server or reason.
    public var description: String {
        switch self {
        case .connected(let server): "connected to \(server)"
        case .reconnecting(let reason): "reconnecting: \(reason)"
        case .closed(let reason): "closed: \(reason)"
        }
    }
}

/// A connection to NATS servers by the official C client, which reconnects on its own.
///
/// The client calls back on threads of its own. Each callback only stores what it received.
final class NatsConnection: Sendable {
    let library: NatsLibrary
    let options: FleetOptions
    let state: Broadcast<FleetState>
    // Safe because the library's functions are thread-safe, and the connection is destroyed with this object.
    nonisolated(unsafe) private let handle: UnsafeMutableRawPointer
    private let inbox: String
    private let replies = Mutex(Replies())

    private struct Replies: Sendable {
        var subscription: NatsSubscription?
        var lastToken = 0
        var waiting: [String: PendingResult<NatsMessage>] = [:]
    }

    /// Starts to connect; the first attempt is made before this returns.
    ///
    /// - Throws: `libraryMissing` or `invalidOptions`. A missing server is no error: see ``state``.
    init(_ servers: String, _ options: FleetOptions) throws(FleetError) {
        let addresses = try FleetAddresses(servers, options)
        let library = try NatsLibrary.open()
        self.library = library
        self.options = options
        let state = Broadcast(FleetState.reconnecting(reason: "the first attempt hasn't ended"))
        self.state = state
        let observer = NatsObserver(state, library)
        let retained = Unmanaged.passRetained(observer)
        do throws(FleetError) {
            handle = try Self.connect(library, addresses, options, observer: retained.toOpaque())
        } catch {
            retained.release()
            throw error
        }
        observer.didConnect(handle)
        inbox = "_INBOX.\(Self.randomToken())."
        let subscription = try subscribe(to: inbox + "*") { [weak self] in self?.receiveReply($0) }
        replies.withLock { $0.subscription = subscription }
    }

    deinit {
        close()
        library.table.pointee.natsConnection_Destroy(handle)
    }

    /// Ends the connection; what was published is sent before, as far as the server accepts it within the timeout.
    func close() {
        guard case .connected = state.current else { return library.table.pointee.natsConnection_Close(handle) }
        _ = library.table.pointee.natsConnection_FlushTimeout(handle, options.timeout.milliseconds)
        library.table.pointee.natsConnection_Close(handle)
    }

    /// A text that no other process uses.
    static func randomToken() -> String {
        let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
        var random = SystemRandomNumberGenerator()
        return String((0..<22).map { _ in alphabet.randomElement(using: &random) ?? "0" })
    }

    /// The largest payload that the server and the options permit.
    var maximumPayload: Int {
        let limit = Int(library.table.pointee.natsConnection_GetMaxPayload(handle))
        return limit > 0 ? min(limit, options.maximumPayload) : options.maximumPayload
    }

    // MARK: Messages

    /// Publishes a message. While there is no connection, up to 8 MB of messages wait for it.
    func publish(_ message: NatsMessage) throws(FleetError) {
        let table = library.table.pointee
        guard message.payload.count <= maximumPayload else {
            throw FleetError(
                .invalidPayload, "the payload has \(message.payload.count) bytes; the limit is \(maximumPayload)",
                subject: message.subject)
        }
        let count = Int32(message.payload.count)
        let status: Int32 = message.payload.withUnsafeBytes { bytes in
            if message.headers.isEmpty {
                guard let reply = message.reply else {
                    return table.natsConnection_Publish(handle, message.subject, bytes.baseAddress, count)
                }
                return table.natsConnection_PublishRequest(handle, message.subject, reply, bytes.baseAddress, count)
            }
            var copy: UnsafeMutableRawPointer?
            var status = table.natsMsg_Create(
                &copy, message.subject, message.reply, bytes.bindMemory(to: CChar.self).baseAddress, count)
            guard status == NatsStatus.ok, let copy else { return status }
            defer { table.natsMsg_Destroy(copy) }
            for (name, value) in message.headers where status == NatsStatus.ok {
                status = table.natsMsgHeader_Set(copy, name, NatsHeader.line(value))
            }
            return status == NatsStatus.ok ? table.natsConnection_PublishMsg(handle, copy) : status
        }
        if status == NatsStatus.insufficientBuffer {
            throw FleetError(.disconnected, "too much waits for the connection", subject: message.subject)
        }
        try library.check(status, message.subject)
    }

    /// Subscribes to a subject; of the subscribers with one `group`, one receives each message.
    ///
    /// - Parameter receive: Called on a thread of the library, for one message after the other; must return soon.
    func subscribe(
        to subject: String, group: String? = nil, _ receive: @escaping @Sendable (NatsMessage) -> Void
    ) throws(FleetError) -> NatsSubscription {
        try NatsSubscription(handle, library, subject, group, limit: options.maximumWaiting, receive)
    }

    /// Publishes a message and waits for a reply.
    ///
    /// - Throws: `FleetError` with the code `timedOut`, `noResponder` or like ``publish(_:)``, or `CancellationError`.
    func request(_ message: NatsMessage, within limit: Duration) async throws -> NatsMessage {
        // A request that waits for a connection would arrive after its caller has given up.
        guard case .connected = state.current else {
            throw FleetError(.disconnected, "\(state.current)", subject: message.subject)
        }
        let result = PendingResult<NatsMessage>()
        let token = replies.withLock { replies in
            replies.lastToken += 1
            let token = "\(replies.lastToken)"
            replies.waiting[token] = result
            return token
        }
        defer { _ = replies.withLock { $0.waiting.removeValue(forKey: token) } }
        var message = message
        message.reply = inbox + token
        try publish(message)
        let subject = message.subject
        let reply = try await result.wait(within: limit, clock: ContinuousClock()) {
            FleetError(.timedOut, "no response within \(limit)", subject: subject)
        }
        if reply.status == 503 { throw FleetError(.noResponder, "no process responds", subject: subject) }
        return reply
    }

    private func receiveReply(_ message: NatsMessage) {
        let token = String(message.subject.dropFirst(inbox.count))
        replies.withLock { $0.waiting[token] }?.finish(.success(message))
    }

    // MARK: Start

    private static func connect(
        _ library: NatsLibrary, _ addresses: FleetAddresses, _ options: FleetOptions,
        observer: UnsafeMutableRawPointer
    ) throws(FleetError) -> UnsafeMutableRawPointer {
        let table = library.table.pointee
        var raw: UnsafeMutableRawPointer?
        try library.check(table.natsOptions_Create(&raw))
        guard let raw else { throw FleetError(.libraryMissing, "the client has no options") }
        defer { table.natsOptions_Destroy(raw) }
        let strings = addresses.urls.map { strdup($0) }
        defer { for string in strings { free(string) } }
        var urls = strings.map { UnsafePointer<CChar>($0) }
        var statuses = [
            table.natsOptions_SetServers(raw, &urls, Int32(urls.count)),
            table.natsOptions_SetName(raw, options.name),
            table.natsOptions_SetNoEcho(raw, true),
            table.natsOptions_SetMaxReconnect(raw, -1),
            table.natsOptions_SetReconnectWait(raw, max(1, options.reconnectPause.milliseconds / 2)),
            table.natsOptions_SetReconnectJitter(
                raw, options.reconnectPause.milliseconds / 2, options.reconnectPause.milliseconds / 2),
            table.natsOptions_SetPingInterval(raw, options.pingInterval.milliseconds),
            table.natsOptions_SetMaxPingsOut(raw, 2),
            table.natsOptions_SetTimeout(raw, options.timeout.milliseconds),
            table.natsOptions_UseGlobalMessageDelivery(raw, true),
            table.natsOptions_SetRetryOnFailedConnect(raw, true, NatsObserver.connected, observer),
            table.natsOptions_SetReconnectedCB(raw, NatsObserver.connected, observer),
            table.natsOptions_SetDisconnectedCB(raw, NatsObserver.disconnected, observer),
            table.natsOptions_SetErrorHandler(raw, NatsObserver.failed, observer),
            table.natsOptions_SetClosedCB(raw, NatsObserver.closed, observer),
        ]
        switch options.credentials {
        case .file(let path): statuses.append(table.natsOptions_SetUserCredentialsFromFiles(raw, path, nil))
        case .token(let token): statuses.append(table.natsOptions_SetToken(raw, token))
        case .user(let name, let password): statuses.append(table.natsOptions_SetUserInfo(raw, name, password))
        case nil: break
        }
        if addresses.usesTLS {
            let tls = options.tls ?? FleetTLS()
            statuses.append(table.natsOptions_SetSecure(raw, true))
            statuses.append(table.natsOptions_SetExpectedHostname(raw, tls.hostName ?? addresses.host))
            if let file = tls.trustRoots {
                let status = table.natsOptions_LoadCATrustedCertificates(raw, file)
                if status != NatsStatus.ok {
                    throw FleetError(.invalidOptions, "the file of trusted roots can't be read", subject: file)
                }
            }
            if let chain = tls.certificate {
                let status = table.natsOptions_LoadCertificatesChain(raw, chain, tls.privateKey ?? chain)
                if status != NatsStatus.ok {
                    throw FleetError(.invalidOptions, "the client certificate can't be read", subject: chain)
                }
            }
        }
        for status in statuses where status != NatsStatus.ok {
            throw FleetError(.invalidOptions, library.text(of: status))
        }
        var connection: UnsafeMutableRawPointer?
        let status = table.natsConnection_Connect(&connection, raw)
        guard [NatsStatus.ok, NatsStatus.notYetConnected].contains(status), let connection else {
            throw library.error(of: status)
        }
        return connection
    }
}

/// Receives the changes of a connection from the library, which releases it with its last callback.
private final class NatsObserver: Sendable {
    private let state: Broadcast<FleetState>
    private let library: NatsLibrary
    private let lastError = Mutex<String?>(nil)

    init(_ state: Broadcast<FleetState>, _ library: NatsLibrary) {
        self.state = state
        self.library = library
    }

    private static func of(_ closure: UnsafeMutableRawPointer?) -> NatsObserver? {
        closure.map { Unmanaged<NatsObserver>.fromOpaque($0).takeUnretainedValue() }
    }

    static let connected: ashlar_nats_connection_callback = { connection, closure in
        if let connection { of(closure)?.didConnect(connection) }
    }

    static let disconnected: ashlar_nats_connection_callback = { connection, closure in
        guard let connection, let observer = of(closure) else { return }
        let reason = observer.reason(connection)
        observer.change(to: .reconnecting(reason: reason))
    }

    static let failed: ashlar_nats_error_callback = { _, _, status, closure in
        guard let observer = of(closure) else { return }
        let text = observer.library.text(of: status)
        observer.lastError.withLock { $0 = text }
    }

    /// The last callback of a connection.
    static let closed: ashlar_nats_connection_callback = { connection, closure in
        guard let connection, let closure else { return }
        let observer = Unmanaged<NatsObserver>.fromOpaque(closure).takeRetainedValue()
        let reason = observer.reason(connection)
        observer.change(to: .closed(reason: reason))
    }

    /// Reads the state of a connection that may have been established.
    func didConnect(_ connection: UnsafeMutableRawPointer) {
        let table = library.table.pointee
        guard table.natsConnection_Status(connection) == 2 else {
            return change(to: .reconnecting(reason: reason(connection, otherwise: "no server responds")))
        }
        var url = [CChar](repeating: 0, count: 512)
        _ = table.natsConnection_GetConnectedUrl(connection, &url, url.count)
        let text = String(decoding: url.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        change(to: .connected(server: SecretText.redacted(text)))
    }

    private func change(to new: FleetState) {
        state.update { old in
            // Nothing follows the end.
            if case .closed = old { return nil }
            return old == new ? nil : new
        }
    }

    private func reason(_ connection: UnsafeMutableRawPointer, otherwise text: String = "") -> String {
        var error: UnsafePointer<CChar>?
        _ = library.table.pointee.natsConnection_GetLastError(connection, &error)
        let last = error.map { String(cString: $0) } ?? ""
        let reason = last.isEmpty ? lastError.withLock { $0 } ?? text : last
        return SecretText.redacted(reason.isEmpty ? "the connection ended" : reason)
    }
}

/// A subscription, which ends when it is released.
final class NatsSubscription: Sendable {
    /// What the library retains until the last message.
    private final class Receiver: Sendable {
        let table: ashlar_nats
        let receive: @Sendable (NatsMessage) -> Void

        init(_ table: ashlar_nats, _ receive: @escaping @Sendable (NatsMessage) -> Void) {
            self.table = table
            self.receive = receive
        }
    }

    private let library: NatsLibrary
    // Safe because the library's functions are thread-safe, and the subscription is destroyed with this object.
    nonisolated(unsafe) private let handle: UnsafeMutableRawPointer

    fileprivate init(
        _ connection: UnsafeMutableRawPointer, _ library: NatsLibrary, _ subject: String, _ group: String?, limit: Int,
        _ receive: @escaping @Sendable (NatsMessage) -> Void
    ) throws(FleetError) {
        self.library = library
        let table = library.table.pointee
        let receiver = Unmanaged.passRetained(Receiver(table, receive)).toOpaque()
        let callback: ashlar_nats_message_callback = { _, _, message, closure in
            guard let message, let closure else { return }
            let receiver = Unmanaged<Receiver>.fromOpaque(closure).takeUnretainedValue()
            receiver.receive(NatsMessage(message, receiver.table))
            receiver.table.natsMsg_Destroy(message)
        }
        var new: UnsafeMutableRawPointer?
        let status =
            group.map { table.natsConnection_QueueSubscribe(&new, connection, subject, $0, callback, receiver) }
            ?? table.natsConnection_Subscribe(&new, connection, subject, callback, receiver)
        guard status == NatsStatus.ok, let new else {
            Unmanaged<Receiver>.fromOpaque(receiver).release()
            throw library.error(of: status, subject)
        }
        handle = new
        _ = table.natsSubscription_SetPendingLimits(new, Int32(clamping: limit), 64 << 20)
        // Called after the last message, when the subscription or the connection has ended.
        _ = table.natsSubscription_SetOnCompleteCB(
            new, { if let closure = $0 { Unmanaged<Receiver>.fromOpaque(closure).release() } }, receiver)
    }

    deinit {
        let table = library.table.pointee
        _ = table.natsSubscription_Unsubscribe(handle)
        table.natsSubscription_Destroy(handle)
    }
}

extension Duration {
    /// The time in whole milliseconds.
    var milliseconds: Int64 {
        let (seconds, rest) = components
        return seconds * 1000 + rest / 1_000_000_000_000_000
    }
}
