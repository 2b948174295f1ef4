internal import AshlarCore
internal import AshlarNetworking

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A request as the server received it.
package struct ServedRequest: Sendable {
    package var method: String
    package var target: String
    package var fields: [(name: String, value: String)]
    package var body: [UInt8]

    package subscript(name: String) -> String? { fields.first { $0.name.lowercased() == name.lowercased() }?.value }
    package var text: String { String(decoding: body, as: UTF8.self) }
}

/// The server's end of one connection, optionally with TLS.
package final class FaultConnection {
    package let descriptor: Int32
    private let stream: TLSStream?
    private var buffer: [UInt8] = []

    /// Creates a connection, or nil if the client rejects the server's identity.
    init?(_ descriptor: Int32, _ identity: TLSIdentity?) {
        self.descriptor = descriptor
        Self.limit(SO_RCVTIMEO, of: descriptor, to: Self.longestSilence)
        Self.limit(SO_SNDTIMEO, of: descriptor, to: .seconds(240))  // a client that reads slowly is no hang
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        #if canImport(Darwin)
            // A browser that closes its page must not end the inspected app; Linux has a flag of each `send` instead.
            setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
        stream = identity.flatMap { TLSStream($0, descriptor) }
        if identity != nil, stream == nil { return nil }
    }

    /// The longest time for which a socket waits for bytes.
    private static let longestSilence = Duration.seconds(20)

    private static func limit(_ option: Int32, of descriptor: Int32, to limit: Duration) {
        let (seconds, attoseconds) = limit.components
        var limit = timeval()
        limit.tv_sec = .init(seconds)
        limit.tv_usec = .init(attoseconds / 1_000_000_000_000)
        setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    private func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        if let stream { return stream.write(bytes) }
        return send(descriptor, bytes.baseAddress, bytes.count, noSignal)
    }

    private func read(_ space: UnsafeMutableRawBufferPointer) -> Int {
        if let stream { return stream.read(space) }
        return recv(descriptor, space.baseAddress, space.count, 0)
    }

    /// Writes bytes; returns false if the client has closed the connection.
    @discardableResult
    package func write(_ bytes: some Collection<UInt8>) -> Bool {
        let bytes = Array(bytes)
        var start = 0
        while start < bytes.count {
            let count = bytes[start...].withUnsafeBytes { write($0) }
            guard count > 0 else { return false }
            start += count
        }
        return true
    }

    @discardableResult
    package func write(_ text: String) -> Bool { write(Array(text.utf8)) }

    package func pause(_ seconds: Double) {
        var time = timespec(tv_sec: Int(seconds), tv_nsec: Int((seconds - seconds.rounded(.down)) * 1e9))
        var rest = timespec()
        while nanosleep(&time, &rest) != 0, errno == EINTR { time = rest }
    }

    /// Sends the end of the stream and waits for the client's.
    package func finish() {
        endWriting()
        while fill() {}
    }

    /// Makes the connection end with RST instead of FIN.
    package func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    }

    /// Sends the end of the stream.
    package func endWriting() {
        stream?.finish()
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Receives some bytes, or nil at the end.
    package func receive() -> [UInt8]? {
        if buffer.isEmpty, !fill() { return nil }
        defer { buffer = [] }
        return buffer
    }

    /// Receives some bytes; returns nil at the end, and if none arrive within a time.
    package func receive(within limit: Duration) -> [UInt8]? {
        // A limit of no time would be none.
        guard limit >= .microseconds(1) else { return nil }
        Self.limit(SO_RCVTIMEO, of: descriptor, to: min(limit, Self.longestSilence))
        return receive()
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
            return (String(parts[0]), parts.count > 1 ? String(parts[1]).trimmingHTTPSpace() : "")
        }
        var request = ServedRequest(method: start[0], target: start[1], fields: fields, body: [])
        if let text = request["Content-Length"] {
            guard let length = Int(text), length >= 0, let body = take(length) else { return nil }
            request.body = body
        } else if request["Transfer-Encoding"]?.lowercased() == "chunked" {
            guard let body = chunks() else { return nil }
            request.body = body
        }
        return request
    }

    /// Reads the head of a request only.
    package func head() -> String? {
        while true {
            if let end = buffer.firstRange(of: Array("\r\n\r\n".utf8)) {
                // The values of fields are bytes, as in `HTTPHeaders`.
                let head = String(String.UnicodeScalarView(buffer[..<end.lowerBound].map { Unicode.Scalar($0) }))
                buffer.removeSubrange(..<end.upperBound)
                return head
            }
            guard fill() else { return nil }
        }
    }

    private func chunks() -> [UInt8]? {
        var body: [UInt8] = []
        while true {
            guard let digits = line()?.prefix(while: { $0 != ";" }), let size = UInt32(digits, radix: 16) else {
                return nil
            }
            if size == 0 { break }
            guard let chunk = take(Int(size)), take(2) != nil else { return nil }
            body += chunk
        }
        // The fields behind the body end with an empty line.
        while let field = line() {
            if field.isEmpty { return body }
        }
        return nil
    }

    /// Reads up to the end of a line.
    private func line() -> String? {
        while true {
            if let end = buffer.firstRange(of: [13, 10]) {
                defer { buffer.removeSubrange(..<end.upperBound) }
                return String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
            }
            guard fill() else { return nil }
        }
    }

    package func take(_ count: Int) -> [UInt8]? {
        while buffer.count < count { guard fill() else { return nil } }
        defer { buffer.removeFirst(count) }
        return Array(buffer.prefix(count))
    }

    private func fill() -> Bool {
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        let count = piece.withUnsafeMutableBytes { read($0) }
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
