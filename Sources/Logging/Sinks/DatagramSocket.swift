internal import CAshlarLogging

/// A socket to a service of this machine, opened when it is needed and again after it failed.
///
/// It never blocks.
final class DatagramSocket: @unchecked Sendable {  // `descriptor` is used under `lock` only
    let lock = ForkSafeLock()
    private let path: String
    private(set) var descriptor: Int32 = -1
    private var identity: SystemCalls.FileIdentity?

    init(path: String) { self.path = path }

    deinit { close() }

    /// Sends one datagram; `false` if nobody listens or the service is behind.
    func send(_ bytes: UnsafeRawBufferPointer) -> Bool {
        lock.withLock {
            for _ in 0..<2 {
                // Another file behind our number belongs to the host by now.
                if !SystemCalls.isSame(descriptor, identity) {
                    descriptor = SystemCalls.outOfTheWay(ashlar_log_connect_datagram(path))
                    identity = SystemCalls.status(descriptor)?.identity
                }
                guard descriptor >= 0 else { return false }
                if ashlar_log_send_datagram(descriptor, bytes.baseAddress!, bytes.count) == 0 { return true }
                // A service that was started again listens on another socket of the same name.
                close()
            }
            return false
        }
    }

    private func close() {
        if SystemCalls.isSame(descriptor, identity) { SystemCalls.close(descriptor) }
        descriptor = -1
    }
}
