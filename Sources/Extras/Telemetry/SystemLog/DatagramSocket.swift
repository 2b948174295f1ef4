internal import CAshlarLogging

/// A non-blocking socket to a service of this machine.
///
/// It is connected when it is first used, and again after a failure.
final class DatagramSocket: Sendable {
    private struct Connection {
        var descriptor: Int32 = -1
        var identity: SystemCalls.FileIdentity?

        mutating func close() {
            if SystemCalls.isSame(descriptor, identity) { SystemCalls.close(descriptor) }
            descriptor = -1
        }
    }

    private let connection = Guarded(Connection())
    private let path: String
    var lock: ForkSafeLock { connection.lock }

    init(path: String) { self.path = path }

    deinit { connection.withLock { $0.close() } }

    /// Sends one datagram; returns `false` if the service doesn't listen or its queue is full.
    func send(_ bytes: LogText) -> Bool {
        connection.withLock {
            for _ in 0..<2 {
                // The app may have closed the descriptor and reused its number.
                if !SystemCalls.isSame($0.descriptor, $0.identity) {
                    $0.descriptor = SystemCalls.outOfTheWay(ashlar_log_connect_datagram(path))
                    $0.identity = SystemCalls.status($0.descriptor)?.identity
                }
                guard $0.descriptor >= 0 else { return false }
                if ashlar_log_send_datagram($0.descriptor, bytes.start, bytes.count) == 0 { return true }
                // A restarted service listens on another socket with the same name.
                $0.close()
            }
            return false
        }
    }

    /// The descriptor of the socket.
    ///
    /// For tests.
    var descriptor: Int32 { connection.withLock { $0.descriptor } }
}
