#if os(Linux)
    /// The HTTP part of an upgraded connection: the request and the head of the response.
    struct CurlUpgrade {
        private var line: [UInt8] = []
        private var status: Int?
        /// Bytes that the reader had no room for.
        private var held: [UInt8] = []

        /// Whether the server has agreed.
        var isOpen: Bool { status == 101 }
        /// Whether the head of the response has arrived.
        var isAnswered: Bool { status != nil }
        /// Whether receiving must wait for the reader.
        var isPaused: Bool { !held.isEmpty }

        /// Returns the head of a request.
        static func request(_ request: NetworkRequest) -> [UInt8] {
            var bytes = Array("GET \(request.url.target) HTTP/1.1\r\nHost: \(request.url.authority)\r\n".utf8)
            for field in request.headers {
                bytes += Array(field.name.utf8) + Array(": ".utf8) + field.valueBytes + [13, 10]
            }
            return bytes + [13, 10]
        }

        /// Passes received bytes to the reader; returns whether the server refuses, with a body that isn't read.
        mutating func receive(
            _ piece: [UInt8], _ reader: inout CurlHeadReader, _ pipe: ResponsePipe
        ) throws(NetworkError) -> Bool {
            var rest = piece[...]
            while status == nil, let byte = rest.popFirst() {
                line.append(byte)
                guard line.count <= ResponseHead.mostBytes else {
                    throw FieldLines.bad(
                        "head longer than \(ResponseHead.mostBytes) bytes", limit: ResponseHead.mostBytes)
                }
                if byte == 0x0A { try readLine(&reader, pipe) }
            }
            if isOpen, !rest.isEmpty { pass(Array(rest), pipe) }
            return isAnswered && !isOpen
        }

        private mutating func readLine(_ reader: inout CurlHeadReader, _ pipe: ResponsePipe) throws(NetworkError) {
            let bytes = line
            line.removeAll(keepingCapacity: true)
            let result = bytes.withUnsafeBytes { bytes in
                Result { () throws(NetworkError) in try reader.read(bytes) }
            }
            guard let head = try result.get() else { return }
            status = head.status
            pipe.write(head: head)
        }

        /// Passes the bytes that waited for the reader.
        mutating func resume(_ pipe: ResponsePipe) {
            let bytes = held
            held = []
            if !bytes.isEmpty { pass(bytes, pipe) }
        }

        private mutating func pass(_ bytes: [UInt8], _ pipe: ResponsePipe) {
            if pipe.hasRoom() { bytes.withUnsafeBytes { pipe.write($0) } } else { held = bytes }
        }

        /// The error for the end of the connection, or nil if it may end here.
        func atEnd() -> NetworkError? {
            if isAnswered { return nil }
            var error = NetworkError(.connectionLost, "the connection ended without a response", phase: .wait)
            error.requestState = line.isEmpty ? .sent : .answered
            return error
        }
    }
#endif
