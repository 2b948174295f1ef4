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
            reasons.append(text(reason))
        }
        let problem = "the C client of NATS can't be opened (Debian's package is libnats3.4): \(reasons.first ?? "")"
        return .failure(FleetError(.libraryMissing, problem))
    }()

    /// Opens the library.
    static func open() throws(FleetError) -> NatsLibrary { try opened.get() }

    /// Returns the text before the zero of a buffer.
    static func text(_ buffer: [CChar]) -> String {
        String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Throws the error of a status that isn't zero.
    func check(_ status: Int32, _ subject: String? = nil) throws(FleetError) {
        if status != NatsStatus.ok { throw error(of: status, subject) }
    }

    /// Returns the text of the last failure of a connection, without credentials.
    func lastError(of connection: UnsafeMutableRawPointer) -> String {
        var text: UnsafePointer<CChar>?
        _ = table.pointee.natsConnection_GetLastError(connection, &text)
        return SecretText.redacted(text.map { String(cString: $0) } ?? "")
    }

    /// Returns the error of a status; `detail` adds the text of the last failure on this thread.
    func error(of status: Int32, _ subject: String? = nil, detail: Bool = false) -> FleetError {
        let code: FleetError.Code =
            switch status {
            case NatsStatus.closed, NatsStatus.draining: .closed
            case NatsStatus.timeout: .timedOut
            case NatsStatus.maximumPayload: .invalidPayload
            case NatsStatus.invalidArgument, NatsStatus.invalidSubject: .invalidOptions
            case NatsStatus.authenticationFailed, NatsStatus.notPermitted: .rejected
            default: .disconnected
            }
        var text = table.pointee.natsStatus_GetText(status).map { String(cString: $0) } ?? "status \(status)"
        if detail, let last = table.pointee.nats_GetLastError(nil), last.pointee != 0 {
            text += " (\(String(cString: last)))"
        }
        return FleetError(code, text, subject: subject)
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
    static let maximumPayload: Int32 = 21
    static let timeout: Int32 = 26
    static let draining: Int32 = 32
}

/// A value that the C client keeps as a pointer.
final class Box<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
