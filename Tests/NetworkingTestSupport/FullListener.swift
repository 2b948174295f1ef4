#if os(Linux)
    import Foundation

    /// A socket on 127.0.0.1 that listens, accepts nothing, and whose queue is full.
    package final class FullListener {
        package let port: Int
        private var descriptors: [Int32] = []

        package init() throws {
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            descriptors = [listener]
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let ready = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    bind(listener, address, size) == 0 && listen(listener, 0) == 0
                        && getsockname(listener, address, &size) == 0
                }
            }
            guard ready else { throw ServerFailure(what: "no port on 127.0.0.1") }
            port = Int(UInt16(bigEndian: address.sin_port))
            for _ in 0..<4 {
                let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
                descriptors.append(client)
                withUnsafePointer(to: &address) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = connect(client, $0, size) }
                }
            }
        }

        /// The number of connections that the system is opening to it.
        package var connecting: Int {
            let bytes = try? FileHandle(forReadingAtPath: "/proc/net/tcp")?.readToEnd()
            let table = String(decoding: bytes ?? Data(), as: UTF8.self)
            let remote = "0100007F:" + String(format: "%04X", port)
            return table.split(separator: "\n").count { line in
                let columns = line.split(separator: " ")
                return columns.count > 3 && columns[2] == remote && columns[3] == "02"
            }
        }

        deinit { for descriptor in descriptors { close(descriptor) } }
    }
#endif
