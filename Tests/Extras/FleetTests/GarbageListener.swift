import AshlarTestSupport
import Foundation

/// A socket on 127.0.0.1 that sends the same bytes to each client, and perhaps ends its connection.
final class GarbageListener: Sendable {
    let port: Int
    let connections = Counter()
    private let descriptor: Int32

    init(_ text: String, closes: Bool) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isReady = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && listen(listener, 8) == 0
                    && getsockname(listener, address, &size) == 0
            }
        }
        guard isReady else { throw POSIXError(.EADDRINUSE) }
        descriptor = listener
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [connections] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                connections.next()
                let bytes = [UInt8](text.utf8)
                _ = write(client, bytes, bytes.count)
                if closes { close(client) }
            }
        }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }
}
