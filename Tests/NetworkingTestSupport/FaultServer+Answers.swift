package import AshlarTesting
import Foundation

extension FaultServer {
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

    /// Returns a server on ::1 that runs a script for every connection.
    package static func onIPv6(_ script: @escaping @Sendable (FaultConnection) -> Void) throws -> FaultServer {
        try FaultServer(listener: try listenOnIPv6(), script)
    }
}

private func listenOnIPv6() throws -> (descriptor: Int32, port: Int) {
    let descriptor = socket(AF_INET6, FaultServer.streamType, 0)
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_addr = in6addr_loopback
    var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let bound = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
            bind(descriptor, address, size) == 0 && listen(descriptor, 64) == 0
                && getsockname(descriptor, address, &size) == 0
        }
    }
    guard bound else {
        close(descriptor)
        throw ServerFailure(what: "no port on ::1")
    }
    return (descriptor, Int(UInt16(bigEndian: address.sin6_port)))
}

extension FaultConnection {
    /// Whether bytes can be written within a number of milliseconds without waiting for the client.
    package func isWritable(within milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&entry, 1, milliseconds) > 0
    }

    /// Sends the same bytes after every read, until the client closes the connection.
    package func answerEveryRead(_ bytes: [UInt8]) {
        while receive() != nil {
            guard write(bytes) else { return }
        }
    }
}
