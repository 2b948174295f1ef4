import Foundation

/// A connection that sends bytes as they are.
///
/// It waits on a thread of its own, so that it doesn't block those of the tasks that answer.
final class RawClient: Sendable {
    private let descriptor: Int32

    /// Connects to a port of this host.
    ///
    /// - Parameters:
    ///   - port: The port.
    ///   - patience: The time for which the client waits for bytes.
    /// - Throws: An error if there is no server.
    init(port: Int, patience: Duration = .seconds(60)) throws {
        #if canImport(Glibc)
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var limit = timeval()
        limit.tv_sec = .init(patience.components.seconds)
        limit.tv_usec = .init(patience.components.attoseconds / 1_000_000_000_000)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw CocoaError(.fileReadUnknown) }
    }

    deinit { close(descriptor) }

    /// Sends a text; a closed connection is no failure.
    func send(_ text: String) {
        #if canImport(Glibc)
            let flags = Int32(MSG_NOSIGNAL)
        #else
            let flags: Int32 = 0
        #endif
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, flags) }
    }

    /// What arrives next; empty at the end of the connection, nil after the patience of the client.
    func receive() async -> String? {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: self.next()) }
        }
    }

    private func next() -> String? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count < 0, errno == EAGAIN || errno == EWOULDBLOCK { return nil }
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }

    /// What arrives until the end, or until the client's patience has ended.
    func rest() async -> String {
        var text = ""
        while text.utf8.count < 1 << 20, let more = await receive(), !more.isEmpty { text += more }
        return text
    }
}
