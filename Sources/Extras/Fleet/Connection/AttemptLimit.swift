internal import Foundation

/// Ends an attempt to connect that lasts too long.
///
/// The library (3.4.1) waits in a busy loop, without a limit, for a server that has sent its `INFO` and doesn't respond to the
/// first `PING`, and it doesn't reveal its socket before that. So the sockets that were connected to the ports of the servers
/// since the attempt began are shut down, after which the library returns. A connection that another fleet of the process
/// has established meanwhile can be among them; that fleet connects again.
struct AttemptLimit: Sendable {
    private let timer: Task<Void, Never>

    /// Begins an attempt.
    init(_ limit: Duration, ports: Set<UInt16>) {
        let earlier = Self.sockets(ports)
        timer = Task.detached {
            while (try? await Task.sleep(for: limit)) != nil {
                for socket in Self.sockets(ports).subtracting(earlier) { _ = shutdown(socket, Int32(SHUT_RDWR)) }
            }
        }
    }

    /// Ends the limit.
    func cancel() { timer.cancel() }

    /// Returns the sockets of the process that are connected to a port.
    ///
    /// - Complexity: O(*n*) in the number of open files.
    private static func sockets(_ ports: Set<UInt16>) -> Set<Int32> {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd")) ?? []
        return Set(files.compactMap { Int32($0) }.filter { peerPort(of: $0).map(ports.contains) ?? false })
    }

    private static func peerPort(of descriptor: Int32) -> UInt16? {
        var address = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &size) }
        }
        guard status == 0, [AF_INET, AF_INET6].contains(Int32(address.ss_family)) else { return nil }
        // The port has the same place in the addresses of IPv4 and IPv6.
        return withUnsafeBytes(of: address) { UInt16(bigEndian: $0.load(fromByteOffset: 2, as: UInt16.self)) }
    }
}
