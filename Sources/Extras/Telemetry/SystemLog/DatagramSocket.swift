internal import AshlarCore
internal import AshlarLogging
internal import CAshlarTelemetry

/// A non-blocking socket to a service of this machine.
///
/// It is connected when it is first used, and again after a failure.
final class DatagramSocket: Sendable {
    private struct Connection {
        var descriptor: Int32 = -1
        var identity: FileIdentity?

        /// Whether the descriptor is still the socket; the app may have closed it and reused its number.
        var isOpen: Bool { descriptor >= 0 && identity != nil && FileIdentity(descriptor: descriptor) == identity }

        mutating func close() {
            if isOpen { ashlar_telemetry_close(descriptor) }
            descriptor = -1
        }
    }

    private let connection = Guarded(Connection())
    private let path: String

    init(path: String) { self.path = path }

    deinit { connection.withLock { $0.close() } }

    /// Sends one datagram; returns `false` if the service doesn't listen or its queue is full.
    func send(_ bytes: [UInt8]) -> Bool {
        connection.withLock {
            for _ in 0..<2 {
                if !$0.isOpen {
                    $0.descriptor = ashlar_telemetry_connect(path)
                    $0.identity = FileIdentity(descriptor: $0.descriptor)
                }
                guard $0.descriptor >= 0 else { return false }
                if ashlar_telemetry_send($0.descriptor, bytes, bytes.count) == 0 { return true }
                // A restarted service listens on another socket with the same name.
                $0.close()
            }
            return false
        }
    }

    /// The descriptor of the socket; -1 while it isn't connected.
    var descriptor: Int32 { connection.withLock { $0.descriptor } }
}
