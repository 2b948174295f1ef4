internal import AshlarCore
internal import CAshlarNats

/// The C client of NATS, opened once per process.
struct NatsLibrary: Sendable {
    // Safe because nothing changes the table once it is filled, and it exists as long as the process.
    nonisolated(unsafe) let table: UnsafePointer<ashlar_nats>

    /// The names of the library, the preferred one first; its soname contains the minor version.
    private static let names: [String] = {
        #if os(Linux)
            ["libnats.so.3.4", "libnats.so.3.8", "libnats.so.3.7", "libnats.so.3.6", "libnats.so.3.5", "libnats.so"]
        #else
            ["libnats.dylib", "/opt/homebrew/lib/libnats.dylib", "/usr/local/lib/libnats.dylib"]
        #endif
    }()

    private static let opened: Result<NatsLibrary, FleetError> = {
        var reasons: [String] = []
        for name in names {
            var reason = [CChar](repeating: 0, count: 512)
            if let table = ashlar_nats_open(name, 2, &reason, reason.count) {
                return .success(NatsLibrary(table: table))
            }
            reasons.append(String(decoding: reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
        }
        return .failure(
            FleetError(
                .libraryMissing,
                "the C client of NATS can't be opened (Debian's package is libnats3.4): \(reasons.first ?? "")"))
    }()

    /// Opens the library.
    static func open() throws(FleetError) -> NatsLibrary { try opened.get() }

    /// Throws the error of a status that isn't zero.
    func check(_ status: Int32, _ subject: String? = nil) throws(FleetError) {
        guard status != NatsStatus.ok else { return }
        throw error(of: status, subject)
    }

    func error(of status: Int32, _ subject: String? = nil) -> FleetError {
        let code: FleetError.Code
        switch status {
        case NatsStatus.closed, NatsStatus.draining: code = .closed
        case NatsStatus.timeout: code = .timedOut
        case NatsStatus.maximumPayload: code = .invalidPayload
        case NatsStatus.invalidArgument, NatsStatus.invalidSubject: code = .invalidOptions
        case NatsStatus.authenticationFailed, NatsStatus.notPermitted: code = .rejected
        default: code = .disconnected
        }
        return FleetError(code, text(of: status), subject: subject)
    }

    /// Returns the error of the last call on this thread.
    func lastError(_ status: Int32) -> FleetError {
        var last: Int32 = 0
        let text = table.pointee.nats_GetLastError(&last).map { String(cString: $0) } ?? ""
        let known = error(of: status)
        return text.isEmpty ? known : FleetError(known.code, "\(known.reason) (\(text))")
    }

    func text(of status: Int32) -> String {
        table.pointee.natsStatus_GetText(status).map { String(cString: $0) } ?? "status \(status)"
    }
}

/// Values of `natsStatus`, from status.h.
enum NatsStatus {
    static let ok: Int32 = 0
    static let closed: Int32 = 5
    static let authenticationFailed: Int32 = 11
    static let notPermitted: Int32 = 12
    static let invalidSubject: Int32 = 15
    static let invalidArgument: Int32 = 16
    static let slowConsumer: Int32 = 20
    static let maximumPayload: Int32 = 21
    static let timeout: Int32 = 26
    static let draining: Int32 = 32
}
