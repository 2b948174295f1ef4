internal import AshlarCore
internal import CAshlarNats
internal import Foundation

/// A client of the library, which stays connected until the server refuses it or it is closed.
///
/// The library calls back on threads of its own; a callback only stores what it received. Its functions are thread-safe.
final class NatsClient: Sendable {
    let library: NatsLibrary
    // Safe because the library's functions are thread-safe, and the connection is destroyed with this object.
    nonisolated(unsafe) let handle: UnsafeMutableRawPointer

    /// Connects; takes at most the timeout of the options for each server.
    ///
    /// - Parameter changed: Receives each later state, with `closed` as the last one.
    init(
        _ library: NatsLibrary, _ addresses: FleetAddresses, _ options: FleetOptions,
        changed: @escaping @Sendable (FleetState) -> Void
    ) throws(FleetError) {
        self.library = library
        let observer = Unmanaged.passRetained(NatsObserver(library, changed))
        do throws(FleetError) {
            handle = try Self.connect(library, addresses, options, observer: observer.toOpaque())
        } catch {
            observer.release()
            throw error
        }
    }

    deinit { library.table.pointee.natsConnection_Destroy(handle) }

    func flush(within limit: Duration) {
        _ = library.table.pointee.natsConnection_FlushTimeout(handle, limit.milliseconds)
    }

    func close() { library.table.pointee.natsConnection_Close(handle) }

    var state: FleetState { NatsObserver.state(of: handle, library) }

    /// The largest payload that the server permits.
    var maximumPayload: Int {
        let limit = Int(library.table.pointee.natsConnection_GetMaxPayload(handle))
        return limit > 0 ? limit : .max
    }

    /// Publishes a message; fails without a connection.
    func publish(_ message: NatsMessage) throws(FleetError) {
        let table = library.table.pointee
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
            // Messages that wait for a connection would be sent before those that have to be sent again.
            table.natsOptions_SetReconnectBufSize(raw, 1),
            table.natsOptions_SetPingInterval(raw, options.pingInterval.milliseconds),
            table.natsOptions_SetMaxPingsOut(raw, 2),
            table.natsOptions_SetTimeout(raw, options.timeout.milliseconds),
            // A server that reads nothing is left; otherwise a publisher would wait for it without a limit.
            table.natsOptions_SetWriteDeadline(raw, options.timeout.milliseconds),
            table.natsOptions_UseGlobalMessageDelivery(raw, true),
            table.natsOptions_SetReconnectedCB(raw, NatsObserver.connected, observer),
            table.natsOptions_SetDisconnectedCB(raw, NatsObserver.disconnected, observer),
            table.natsOptions_SetClosedCB(raw, NatsObserver.closed, observer),
        ]
        switch options.credentials {
        case .file(let path):
            guard access(path, R_OK) == 0 else {
                throw FleetError(.invalidOptions, "the file of credentials can't be read", subject: path)
            }
            statuses.append(table.natsOptions_SetUserCredentialsFromFiles(raw, path, nil))
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
        guard status == NatsStatus.ok, let connection else { throw library.lastError(status) }
        return connection
    }
}

/// Receives the changes of a client from the library, which releases it with its last callback.
private final class NatsObserver: Sendable {
    private let library: NatsLibrary
    private let changed: @Sendable (FleetState) -> Void

    init(_ library: NatsLibrary, _ changed: @escaping @Sendable (FleetState) -> Void) {
        self.library = library
        self.changed = changed
    }

    private static func of(_ closure: UnsafeMutableRawPointer?) -> NatsObserver? {
        closure.map { Unmanaged<NatsObserver>.fromOpaque($0).takeUnretainedValue() }
    }

    static let connected: ashlar_nats_connection_callback = { connection, closure in
        guard let connection, let observer = of(closure) else { return }
        observer.changed(state(of: connection, observer.library))
    }

    static let disconnected: ashlar_nats_connection_callback = { connection, closure in
        guard let connection, let observer = of(closure) else { return }
        observer.changed(.reconnecting(reason: reason(connection, observer.library)))
    }

    /// The last callback of a client.
    static let closed: ashlar_nats_connection_callback = { connection, closure in
        guard let connection, let closure else { return }
        let observer = Unmanaged<NatsObserver>.fromOpaque(closure).takeRetainedValue()
        observer.changed(.closed(reason: reason(connection, observer.library)))
    }

    static func state(of connection: UnsafeMutableRawPointer, _ library: NatsLibrary) -> FleetState {
        let table = library.table.pointee
        guard table.natsConnection_Status(connection) == NatsStatus.connected else {
            return .reconnecting(reason: reason(connection, library))
        }
        var url = [CChar](repeating: 0, count: 512)
        _ = table.natsConnection_GetConnectedUrl(connection, &url, url.count)
        let text = String(decoding: url.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return .connected(server: SecretText.redacted(text))
    }

    private static func reason(_ connection: UnsafeMutableRawPointer, _ library: NatsLibrary) -> String {
        var error: UnsafePointer<CChar>?
        _ = library.table.pointee.natsConnection_GetLastError(connection, &error)
        let text = error.map { String(cString: $0) } ?? ""
        return text.isEmpty ? "the connection ended" : SecretText.redacted(text)
    }
}
