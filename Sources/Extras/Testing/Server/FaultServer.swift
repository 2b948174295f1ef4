internal import AshlarCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A server on 127.0.0.1 with one thread per connection, for tests, which send exactly their bytes, and for the inspector.
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
        let state = Mutex(State())

        init(_ listener: Int32) { self.listener = listener }

        func accept() -> Int32? {
            while true {
                let descriptor = acceptConnection(listener)
                guard descriptor >= 0 else {
                    // Too many open files, and a client that has gone, don't end the server.
                    let isPassing = [EMFILE, ENFILE, ENOMEM, ENOBUFS, ECONNABORTED, EPROTO, EINTR].contains(errno)
                    if isPassing, !state.withLock({ $0.ended }) {
                        usleep(10_000)
                        continue
                    }
                    state.withLock { $0.ended = true }
                    return nil
                }
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
                guard !state.ended else { return }
                state.ended = true
                shutdown(listener, Int32(SHUT_RDWR))
                for descriptor in state.connections { shutdown(descriptor, Int32(SHUT_RDWR)) }
                #if !os(Linux)
                    close(listener)  // there only this ends a waiting accept
                #endif
            }
        }
    }

    /// Creates a server that runs a script for every connection and then closes the connection.
    ///
    /// The system chooses the port, unless one is given.
    package convenience init(
        port: Int = 0, identity: TLSIdentity? = nil, _ script: @escaping @Sendable (FaultConnection) -> Void
    ) throws {
        try self.init(listener: FaultServer.listen(on: port), identity: identity, script)
    }

    /// Creates a server for a socket that listens, which the server closes.
    package init(
        listener: (descriptor: Int32, port: Int), identity: TLSIdentity? = nil,
        _ script: @escaping @Sendable (FaultConnection) -> Void
    ) throws {
        port = listener.port
        let listener = listener.descriptor
        let sockets = Sockets(listener)
        self.sockets = sockets
        let hasThread = HelperThread.start {
            while let descriptor = sockets.accept() {
                let hasThread = HelperThread.start {
                    if let connection = FaultConnection(descriptor, identity) { script(connection) }
                    sockets.end(descriptor)
                }
                if !hasThread { sockets.end(descriptor) }
            }
            #if os(Linux)
                close(listener)
            #endif
        }
        guard hasThread else { throw ServerFailure(what: "no thread") }
    }

    deinit { stop() }

    /// Ends all connections, and accepts no more.
    package func stop() { sockets.endAll() }

    package var url: String { "http://127.0.0.1:\(port)" }

    /// The number of opened connections.
    package var connectionCount: Int { sockets.state.withLock { $0.accepted } }

    private static func listen(on port: Int) throws -> (descriptor: Int32, port: Int) {
        guard let number = in_port_t(exactly: port) else { throw ServerFailure(what: "\(port) is not a port") }
        let descriptor = socket(AF_INET, streamType, 0)
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        address.sin_port = number.bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, size) == 0 && startListening(descriptor)
                    && getsockname(descriptor, address, &size) == 0
            }
        }
        guard bound else {
            let reason = String(cString: strerror(errno))
            close(descriptor)
            throw ServerFailure(what: reason)
        }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    package static var streamType: Int32 {
        #if os(Linux)
            Int32(SOCK_STREAM.rawValue)
        #else
            SOCK_STREAM
        #endif
    }
}

// The system's functions, which the class's own names hide.
private func acceptConnection(_ listener: Int32) -> Int32 { accept(listener, nil, nil) }
private func startListening(_ descriptor: Int32) -> Bool { listen(descriptor, 64) == 0 }

/// A server that can't be started.
package struct ServerFailure: Error, CustomStringConvertible {
    package let description: String
    package init(what: String) { description = what }
}
