internal import AshlarCore
internal import CAshlarNats
internal import Foundation

/// A connection of the library, which ends when it is lost or closed.
///
/// The library calls back on threads of its own; a callback only stores what it received. Its functions are thread-safe.
final class NatsClient: Sendable {
    let library: NatsLibrary
    // Safe because the library's functions are thread-safe, and the connection is destroyed with this object.
    nonisolated(unsafe) let handle: UnsafeMutableRawPointer
    /// The largest payload that the server and the options permit.
    let maximumPayload: Int

    /// Connects; takes at most the timeout of the options for each server.
    ///
    /// `ended` is called when the connection has ended, with the reason.
    init(
        _ library: NatsLibrary, _ addresses: FleetAddresses, _ options: FleetOptions, _ counting: FleetCounting,
        ended: @escaping @Sendable (_ reason: String) -> Void
    ) throws(FleetError) {
        self.library = library
        let observer = Unmanaged.passRetained(NatsObserver((library, counting, ended)))
        do throws(FleetError) {
            handle = try Self.connect(library, addresses, options, observer: observer.toOpaque())
            let limit = Int(library.table.pointee.natsConnection_GetMaxPayload(handle))
            maximumPayload = limit > 0 ? min(limit, options.maximumPayload) : options.maximumPayload
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

    /// The URL of the server, without credentials.
    var server: String {
        var url = [CChar](repeating: 0, count: 512)
        _ = library.table.pointee.natsConnection_GetConnectedUrl(handle, &url, url.count)
        return SecretText.redacted(NatsLibrary.text(url))
    }

    /// Publishes a message; fails without a connection, or if the payload is larger than the server permits.
    func publish(_ message: NatsMessage) throws(FleetError) {
        let table = library.table
        let count = Int32(clamping: message.payload.count)
        let status: Int32 = message.payload.withUnsafeBytes { bytes in
            if message.reply == nil, message.headers.isEmpty {
                return table.pointee.natsConnection_Publish(handle, message.subject, bytes.baseAddress, count)
            }
            var copy: UnsafeMutableRawPointer?
            var status = table.pointee.natsMsg_Create(
                &copy, message.subject, message.reply, bytes.bindMemory(to: CChar.self).baseAddress, count)
            guard status == NatsStatus.ok, let copy else { return status }
            defer { table.pointee.natsMsg_Destroy(copy) }
            for (name, value) in message.headers where status == NatsStatus.ok {
                status = table.pointee.natsMsgHeader_Set(copy, name, NatsHeader.line(value))
            }
            return status == NatsStatus.ok ? table.pointee.natsConnection_PublishMsg(handle, copy) : status
        }
        try library.check(status, message.subject)
    }

    private static func connect(
        _ library: NatsLibrary, _ addresses: FleetAddresses, _ options: FleetOptions,
        observer: UnsafeMutableRawPointer
    ) throws(FleetError) -> UnsafeMutableRawPointer {
        let table = library.table.pointee
        let raw = try make(options, library, addresses, observer: observer)
        defer { table.natsOptions_Destroy(raw) }
        var connection: UnsafeMutableRawPointer?
        let limit = AttemptLimit(
            options.timeout * addresses.urls.count + .milliseconds(250), ports: addresses.ports)
        defer { limit.cancel() }
        let status = table.natsConnection_Connect(&connection, raw)
        guard status == NatsStatus.ok, let connection else { throw library.error(of: status, detail: true) }
        return connection
    }

    /// Throws the error of options that the library refuses, or whose files can't be read.
    static func check(_ options: FleetOptions, _ library: NatsLibrary, _ addresses: FleetAddresses) throws(FleetError) {
        library.table.pointee.natsOptions_Destroy(try make(options, library, addresses, observer: nil))
    }

    /// Creates the library's options, which the caller destroys.
    private static func make(
        _ options: FleetOptions, _ library: NatsLibrary, _ addresses: FleetAddresses, observer: UnsafeMutableRawPointer?
    ) throws(FleetError) -> UnsafeMutableRawPointer {
        let table = library.table.pointee
        var raw: UnsafeMutableRawPointer?
        try library.check(table.natsOptions_Create(&raw))
        guard let raw else { throw FleetError(.libraryMissing, "the client has no options") }
        do throws(FleetError) { try fill(raw, options, library, addresses, observer: observer) } catch {
            table.natsOptions_Destroy(raw)
            throw error
        }
        return raw
    }

    private static func fill(
        _ raw: UnsafeMutableRawPointer, _ options: FleetOptions, _ library: NatsLibrary, _ addresses: FleetAddresses,
        observer: UnsafeMutableRawPointer?
    ) throws(FleetError) {
        let table = library.table.pointee
        let strings = addresses.urls.map { strdup($0) }
        defer { for string in strings { free(string) } }
        var urls = strings.map { UnsafePointer<CChar>($0) }
        var statuses = [
            table.natsOptions_SetServers(raw, &urls, Int32(urls.count)),
            table.natsOptions_SetName(raw, options.role ?? "fleet"),
            table.natsOptions_SetNoEcho(raw, true),
            // Otherwise the library would send what it has buffered before what has to be sent again.
            table.natsOptions_SetAllowReconnect(raw, false),
            // Their addresses weren't checked, and they would receive the credentials.
            table.natsOptions_SetIgnoreDiscoveredServers(raw, true),
            table.natsOptions_SetPingInterval(raw, options.pingInterval.milliseconds),
            table.natsOptions_SetMaxPingsOut(raw, 2),
            table.natsOptions_SetTimeout(raw, options.timeout.milliseconds),
            // A server that reads nothing is left; otherwise a publisher would wait for it without a limit.
            table.natsOptions_SetWriteDeadline(raw, options.timeout.milliseconds),
            table.natsOptions_UseGlobalMessageDelivery(raw, true),
            table.natsOptions_SetErrorHandler(raw, didFail, observer),
            table.natsOptions_SetClosedCB(raw, didClose, observer),
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
            func load(_ file: String, _ what: String, _ status: Int32) throws(FleetError) {
                if status != NatsStatus.ok { throw FleetError(.invalidOptions, "\(what) can't be read", subject: file) }
            }
            if let file = tls.trustRoots {
                try load(file, "the file of trusted roots", table.natsOptions_LoadCATrustedCertificates(raw, file))
            }
            if let chain = tls.certificate {
                let status = table.natsOptions_LoadCertificatesChain(raw, chain, tls.privateKey ?? chain)
                try load(chain, "the client certificate", status)
            }
        }
        for status in statuses where status != NatsStatus.ok {
            throw FleetError(.invalidOptions, library.error(of: status).reason)
        }
    }
}

/// What the library calls, and releases at the end of a connection.
private typealias NatsObserver = Box<
    (library: NatsLibrary, counting: FleetCounting, ended: @Sendable (_ reason: String) -> Void)
>

/// Called for what the server rejects later, such as a message to a subject without permission.
private let didFail: ashlar_nats_error_callback = { connection, _, _, closure in
    guard let connection, let closure else { return }
    let observer = Unmanaged<NatsObserver>.fromOpaque(closure).takeUnretainedValue().value
    observer.counting.report(\.rejected, observer.library.lastError(of: connection))
}

/// The last callback of a client.
private let didClose: ashlar_nats_connection_callback = { connection, closure in
    guard let connection, let closure else { return }
    let observer = Unmanaged<NatsObserver>.fromOpaque(closure).takeRetainedValue().value
    let text = observer.library.lastError(of: connection)
    observer.ended(text.isEmpty ? "the connection ended" : text)
}
