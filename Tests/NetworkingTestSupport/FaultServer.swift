import AshlarTestSupport
import Foundation

/// A server on 127.0.0.1 that sends exactly the bytes of a test, with one thread per connection.
///
/// It ends with its last reference; no socket waits longer than 20 seconds to receive, and 240 to send.
package final class FaultServer: Sendable {
    package let port: Int
    private let sockets: Sockets

    /// The descriptors in use; each is closed by the code that opened it, so that no number is used for another socket.
    private final class Sockets: Sendable {
        struct State {
            var connections: Set<Int32> = []
            var accepted = 0
            var ended = false
        }

        let listener: Int32
        let state = Locked(State())

        init(_ listener: Int32) { self.listener = listener }

        func accept() -> Int32? {
            while true {
                let descriptor = Foundation.accept(listener, nil, nil)
                guard descriptor >= 0 else { return nil }
                let isWanted = state.withLock { state in
                    guard !state.ended else { return false }
                    state.accepted += 1
                    state.connections.insert(descriptor)
                    return true
                }
                if isWanted { return descriptor }
                close(descriptor)
                return nil
            }
        }

        func end(_ descriptor: Int32) {
            state.withLock { state in
                state.connections.remove(descriptor)
                _ = close(descriptor)
            }
        }

        func endAll() {
            state.withLock { state in
                state.ended = true
                shutdown(listener, Int32(SHUT_RDWR))
                for descriptor in state.connections { shutdown(descriptor, Int32(SHUT_RDWR)) }
            }
            #if !os(Linux)
                close(listener)  // there only this ends a waiting accept
            #endif
        }
    }

    /// Creates a server that runs a script for every connection and then closes the connection.
    ///
    /// The system chooses the port, unless one is given for IPv4.
    package init(isIPv6: Bool = false, port: Int = 0, _ script: @escaping @Sendable (FaultConnection) -> Void) throws {
        let (listener, port) = try isIPv6 ? Self.listenIPv6() : Self.listen(on: port)
        self.port = port
        let sockets = Sockets(listener)
        self.sockets = sockets
        Thread.detachNewThread {
            while let descriptor = sockets.accept() {
                Thread.detachNewThread {
                    script(FaultConnection(descriptor))
                    sockets.end(descriptor)
                }
            }
            #if os(Linux)
                close(listener)
            #endif
        }
    }

    /// Creates a server that reads a request, answers with raw bytes and closes.
    package convenience init(raw: [UInt8]) throws {
        try self.init { connection in
            guard connection.request() != nil else { return }
            connection.write(raw)
            connection.finish()
        }
    }

    /// Creates a server that reads a request, answers with raw text and closes.
    package convenience init(raw: String) throws { try self.init(raw: Array(raw.utf8)) }

    /// Creates a server that answers every request of a connection with the result of a closure.
    package convenience init(answering answer: @escaping @Sendable (ServedRequest) -> String) throws {
        try self.init { connection in
            while let request = connection.request() { connection.write(Array(answer(request).utf8)) }
        }
    }

    deinit { sockets.endAll() }

    package var url: String { "http://127.0.0.1:\(port)" }

    /// The number of opened connections.
    package var connectionCount: Int { sockets.state.withLock { $0.accepted } }

    private static func listen(on port: Int) throws -> (Int32, Int) {
        let descriptor = socket(AF_INET, streamType, 0)
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        address.sin_port = in_port_t(port).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, size) == 0 && Foundation.listen(descriptor, 64) == 0
                    && getsockname(descriptor, address, &size) == 0
            }
        }
        guard bound else { throw ServerFailure(what: "no port on 127.0.0.1") }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    private static func listenIPv6() throws -> (Int32, Int) {
        let descriptor = socket(AF_INET6, streamType, 0)
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_addr = in6addr_loopback
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, size) == 0 && Foundation.listen(descriptor, 64) == 0
                    && getsockname(descriptor, address, &size) == 0
            }
        }
        guard bound else {
            close(descriptor)
            throw ServerFailure(what: "no port on ::1")
        }
        return (descriptor, Int(UInt16(bigEndian: address.sin6_port)))
    }

    private static var streamType: Int32 {
        #if os(Linux)
            Int32(SOCK_STREAM.rawValue)
        #else
            SOCK_STREAM
        #endif
    }
}

package struct ServerFailure: Error {
    let what: String
    package init(what: String) { self.what = what }
}

/// A request as the server received it.
package struct ServedRequest: Sendable {
    package var method: String
    package var target: String
    package var fields: [(name: String, value: String)]
    package var body: [UInt8]

    package subscript(name: String) -> String? { fields.first { $0.name.lowercased() == name.lowercased() }?.value }
    package var text: String { String(decoding: body, as: UTF8.self) }
}

/// The server's end of one connection.
package final class FaultConnection: @unchecked Sendable {
    // Sendable because only the connection's own thread uses it.
    private let descriptor: Int32
    private var buffer: [UInt8] = []

    package init(_ descriptor: Int32) {
        self.descriptor = descriptor
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        limit.tv_sec = 240  // a client that reads slowly is no hang
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Writes bytes; returns false if the client has closed the connection.
    @discardableResult
    package func write(_ bytes: some Collection<UInt8>) -> Bool {
        let bytes = Array(bytes)
        var start = 0
        while start < bytes.count {
            let count = bytes[start...].withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, noSignal)
            }
            guard count > 0 else { return false }
            start += count
        }
        return true
    }

    @discardableResult
    package func write(_ text: String) -> Bool { write(Array(text.utf8)) }

    /// Whether bytes can be written within a number of milliseconds without waiting for the client.
    package func isWritable(within milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&entry, 1, milliseconds) > 0
    }

    package func pause(_ seconds: Double) { Thread.sleep(forTimeInterval: seconds) }

    /// Sends the end of the stream and waits for the client's.
    package func finish() {
        shutdown(descriptor, Int32(SHUT_WR))
        while fill() {}
    }

    /// Makes the connection end with RST instead of FIN.
    package func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    }

    /// Sends the end of the stream.
    package func endWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Ends the connection with RST now, while another thread may be reading.
    package func abort() {
        reset()
        var address = sockaddr()
        address.sa_family = sa_family_t(AF_UNSPEC)
        connect(descriptor, &address, socklen_t(MemoryLayout<sockaddr>.size))
    }

    /// Receives some bytes, or nil at the end.
    package func receive() -> [UInt8]? {
        if buffer.isEmpty, !fill() { return nil }
        defer { buffer = [] }
        return buffer
    }

    /// Waits until the client has closed; returns whether it did.
    package func waitForClose() -> Bool {
        while fill() { buffer = [] }
        return true
    }

    /// Reads the next complete request, or returns nil if the client has closed the connection.
    package func request() -> ServedRequest? {
        guard let head = head() else { return nil }
        let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
        let start = lines[0].split(separator: " ").map(String.init)
        guard start.count == 3 else { return nil }
        let fields = lines.dropFirst().filter { !$0.isEmpty }.map { line -> (name: String, value: String) in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]), parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : "")
        }
        var request = ServedRequest(method: start[0], target: start[1], fields: fields, body: [])
        if let length = request["Content-Length"].flatMap({ Int($0) }) {
            guard let body = take(length) else { return nil }
            request.body = body
        } else if request["Transfer-Encoding"] == "chunked" {
            guard let body = chunks() else { return nil }
            request.body = body
        }
        return request
    }

    /// Reads the head of a request only.
    package func head() -> String? {
        while true {
            if let end = buffer.firstRange(of: Array("\r\n\r\n".utf8)) {
                let head = String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
                buffer.removeSubrange(..<end.upperBound)
                return head
            }
            guard fill() else { return nil }
        }
    }

    private func chunks() -> [UInt8]? {
        var body: [UInt8] = []
        while true {
            while buffer.firstRange(of: [13, 10]) == nil { guard fill() else { return nil } }
            let end = buffer.firstRange(of: [13, 10])!
            guard let size = Int(String(decoding: buffer[..<end.lowerBound], as: UTF8.self), radix: 16) else {
                return nil
            }
            buffer.removeSubrange(..<end.upperBound)
            guard let chunk = take(size), take(2) != nil else { return nil }
            if size == 0 { return body }
            body += chunk
        }
    }

    package func take(_ count: Int) -> [UInt8]? {
        while buffer.count < count { guard fill() else { return nil } }
        defer { buffer.removeFirst(count) }
        return Array(buffer.prefix(count))
    }

    /// Sends the same bytes after every read, until the client closes the connection.
    package func answerEveryRead(_ bytes: [UInt8]) {
        var piece = [UInt8](repeating: 0, count: 4096)
        while recv(descriptor, &piece, piece.count, 0) > 0 {
            guard bytes.withUnsafeBytes({ send(descriptor, $0.baseAddress, $0.count, noSignal) }) == bytes.count else {
                return
            }
        }
    }

    private func fill() -> Bool {
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(descriptor, &piece, piece.count, 0)
        guard count > 0 else { return false }
        buffer += piece[..<count]
        return true
    }
}

#if os(Linux)
    private let noSignal = Int32(MSG_NOSIGNAL)
#else
    private let noSignal: Int32 = 0
#endif
