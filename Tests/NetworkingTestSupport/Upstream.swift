#if os(Linux)
    import Foundation
    import Glibc

    /// A connection to a real server; two threads use it, one per direction.
    package struct Upstream: Sendable {
        package let descriptor: Int32

        package init?(port: Int) {
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = UInt16(port).bigEndian
            address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
            let connection = descriptor
            let isConnected = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            var limit = timeval(tv_sec: 20, tv_usec: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            guard isConnected else {
                close(descriptor)
                return nil
            }
        }

        package func receive() -> [UInt8]? {
            var piece = [UInt8](repeating: 0, count: 16 << 10)
            let count = recv(descriptor, &piece, piece.count, 0)
            return count > 0 ? Array(piece[..<count]) : nil
        }

        package func send(_ bytes: [UInt8]) -> Bool {
            Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
        }

        package func finish() { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
#endif
