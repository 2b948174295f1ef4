import AshlarTestSupport
import Foundation

/// A socket on 127.0.0.1 that sends the same bytes to each client, and perhaps ends its connection.
///
/// With `afterPing`, it waits for the first `PING` of a client, and sends further bytes then.
final class GarbageListener: Sendable {
    let port: Int
    let connections = Counter()
    private let descriptor: Int32

    init(_ text: String, afterPing: String? = nil, closes: Bool) throws {
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
                if let afterPing {
                    var received: [UInt8] = []
                    var part = [UInt8](repeating: 0, count: 4096)
                    while !String(decoding: received, as: UTF8.self).contains("PING") {
                        let count = read(client, &part, part.count)
                        if count <= 0 { break }
                        received += part.prefix(count)
                    }
                    _ = write(client, afterPing, afterPing.utf8.count)
                }
                if closes { close(client) }
            }
        }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }
}
