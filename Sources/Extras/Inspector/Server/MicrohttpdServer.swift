#if !canImport(Darwin)
    internal import AshlarCore
    internal import CAshlarMicrohttpd
    internal import Foundation

    /// A server by libmicrohttpd, which has a thread for each connection.
    final class MicrohttpdServer: InspectorServer {
        /// The names of the library, the preferred one first.
        static let names = ["libmicrohttpd.so.12", "libmicrohttpd.so"]
        /// The maximum number of connections; further ones are closed.
        static let connectionLimit: UInt32 = 32
        /// The seconds after which an idle connection is closed.
        private static let idleLimit: UInt32 = 60

        let port: Int
        private let library: MicrohttpdLibrary
        // Safe because the library's functions are thread-safe, and `stop` takes the pointer before it ends the server.
        private nonisolated(unsafe) let daemon: UnsafeMutableRawPointer
        private let isStopped = Mutex(false)
        private let closure: Unmanaged<MicrohttpdRequests>

        /// Starts a server.
        ///
        /// - Parameters:
        ///   - port: The port; the system chooses one for 0.
        ///   - names: The names of the library.
        ///   - handler: Answers the requests.
        /// - Throws: `libraryMissing` or `portUnavailable`.
        init(
            port: Int, names: [String] = MicrohttpdServer.names, handler: @escaping InspectorHandler
        ) throws(InspectorError) {
            library = try MicrohttpdLibrary.open(names)
            closure = Unmanaged.passRetained(MicrohttpdRequests(library, handler))
            var bound = UInt16(clamping: port)
            let daemon = ashlar_mhd_start(
                &bound, Self.connectionLimit, Self.idleLimit,
                { _, target, _ in
                    let target = target.map { String(cString: $0) } ?? ""
                    return Unmanaged.passRetained(MicrohttpdRequest(target)).toOpaque()
                },
                { closure, connection, _, method, _, bytes, count, request in
                    guard let closure, let connection, let method, let count, let request = request?.pointee else {
                        return 0
                    }
                    let requests = Unmanaged<MicrohttpdRequests>.fromOpaque(closure).takeUnretainedValue()
                    let reading = Unmanaged<MicrohttpdRequest>.fromOpaque(request).takeUnretainedValue()
                    let part = UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count.pointee)
                    count.pointee = 0
                    if reading.take(part) { return 1 }
                    return requests.answer(reading, method: String(cString: method), on: connection)
                },
                { _, _, request, _ in
                    guard let place = request, let request = place.pointee else { return }
                    place.pointee = nil
                    Unmanaged<MicrohttpdRequest>.fromOpaque(request).release()
                }, closure.toOpaque())
            guard let daemon else {
                let reason = String(cString: strerror(errno))
                closure.release()
                throw InspectorError(.portUnavailable, "the server can't listen on 127.0.0.1:\(port): \(reason)")
            }
            self.daemon = daemon
            self.port = Int(bound)
        }

        deinit { beginStop {} }

        /// Ends all connections on a thread of its own, because the library waits for its threads.
        func stop() async {
            await withCheckedContinuation { continuation in beginStop { continuation.resume() } }
        }

        private func beginStop(_ ended: @escaping @Sendable () -> Void) {
            let isFirst = isStopped.withLock { isStopped in
                defer { isStopped = true }
                return !isStopped
            }
            guard isFirst else { return ended() }
            let end = MicrohttpdEnd(library: library, daemon: daemon, closure: closure, ended: ended)
            if !HelperThread.start({ end.run() }) { end.run() }
        }
    }

    /// The end of a server, which outlives its object.
    private struct MicrohttpdEnd: Sendable {
        let library: MicrohttpdLibrary
        // Safe because only `run` uses it, once.
        nonisolated(unsafe) let daemon: UnsafeMutableRawPointer
        let closure: Unmanaged<MicrohttpdRequests>
        let ended: @Sendable () -> Void

        func run() {
            library.table.pointee.MHD_stop_daemon(daemon)
            closure.release()
            ended()
        }
    }

    /// The library, opened once per process.
    struct MicrohttpdLibrary: Sendable {
        // Safe because nothing changes the table once it is filled, and it exists as long as the process.
        nonisolated(unsafe) let table: UnsafePointer<ashlar_mhd>

        /// Opens the first library that exists.
        static func open(_ names: [String]) throws(InspectorError) -> MicrohttpdLibrary {
            var reasons: [String] = []
            for name in names {
                var reason = [CChar](repeating: 0, count: 512)
                if let table = ashlar_mhd_open(name, &reason, reason.count) { return MicrohttpdLibrary(table: table) }
                reasons.append(String(decoding: reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
            }
            throw InspectorError(
                .libraryMissing,
                "libmicrohttpd can't be opened (Debian's package is libmicrohttpd12): \(reasons.first ?? "")")
        }
    }

    /// A request that the library is reading.
    private final class MicrohttpdRequest: Sendable {
        let target: String
        private let state = Mutex((hasBegun: false, body: [UInt8](), isTooLarge: false))

        init(_ target: String) { self.target = target }

        /// Takes a part of the body; returns false at its end.
        ///
        /// The first call has the head only.
        func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
            let part = Array(bytes)
            return state.withLock { state in
                defer { state.hasBegun = true }
                if state.isTooLarge || state.body.count + part.count > InspectorRequest.largestBody {
                    state.isTooLarge = true
                    state.body = []
                } else {
                    state.body += part
                }
                return !state.hasBegun || !part.isEmpty
            }
        }

        func request(method: String, fields: [(name: String, value: String)]) -> InspectorRequest {
            let (_, body, isTooLarge) = state.withLock { $0 }
            return InspectorRequest(method: method, target: target, fields: fields, body: body, isTooLarge: isTooLarge)
        }
    }

    /// Answers the requests of a server, on the threads of their connections.
    private final class MicrohttpdRequests: Sendable {
        private let library: MicrohttpdLibrary
        private let handler: InspectorHandler

        init(_ library: MicrohttpdLibrary, _ handler: @escaping InspectorHandler) {
            self.library = library
            self.handler = handler
        }

        func answer(_ reading: MicrohttpdRequest, method: String, on connection: UnsafeMutableRawPointer) -> Int32 {
            let request = reading.request(method: method, fields: fields(of: connection))
            let handler = handler
            let table = library.table.pointee
            guard let answer = Self.wait({ await handler(request) }) else { return 0 }
            let response: UnsafeMutableRawPointer?
            switch answer.body {
            case .bytes(var bytes):
                let copies: Int32 = 2
                response = bytes.withUnsafeMutableBytes {
                    table.MHD_create_response_from_buffer($0.count, $0.baseAddress, copies)
                }
            case .stream(let next):
                let stream = Unmanaged.passRetained(MicrohttpdStream(next))
                response = table.MHD_create_response_from_callback(
                    .max, 32 << 10,
                    { stream, _, buffer, size in
                        guard let stream, let buffer else { return -1 }
                        return Unmanaged<MicrohttpdStream>.fromOpaque(stream).takeUnretainedValue()
                            .read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size))
                    }, stream.toOpaque(),
                    { if let stream = $0 { Unmanaged<MicrohttpdStream>.fromOpaque(stream).release() } })
                if response == nil { stream.release() }
            }
            guard let response else { return 0 }
            defer { table.MHD_destroy_response(response) }
            for (name, value) in answer.fields { _ = table.MHD_add_response_header(response, name, value) }
            return table.MHD_queue_response(connection, UInt32(answer.status), response)
        }

        private func fields(of connection: UnsafeMutableRawPointer) -> [(name: String, value: String)] {
            var fields: [(name: String, value: String)] = []
            let headers: Int32 = 1
            withUnsafeMutablePointer(to: &fields) { place in
                _ = library.table.pointee.MHD_get_connection_values(
                    connection, headers,
                    { place, _, name, value in
                        guard let place, let name else { return 0 }
                        place.assumingMemoryBound(to: [(name: String, value: String)].self).pointee
                            .append((String(cString: name), value.map { String(cString: $0) } ?? ""))
                        return 1
                    }, place)
            }
            return fields
        }

        /// Waits for asynchronous work on a thread of the library, which belongs to one connection.
        static func wait<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) -> Value? {
            let result = Broadcast<Value?>(nil)
            let end = DispatchSemaphore(value: 0)
            Task.detached {
                let value = await work()
                result.update { _ in value }
                end.signal()
            }
            end.wait()
            return result.current
        }
    }

    /// A body without a known length, which the library reads in parts of any size.
    private final class MicrohttpdStream: Sendable {
        private let next: @Sendable () async -> [UInt8]?
        private let rest = Mutex<ArraySlice<UInt8>>([])

        init(_ next: @escaping @Sendable () async -> [UInt8]?) { self.next = next }

        /// Returns the number of bytes, or -1 at the end.
        func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
            var part = rest.withLock { $0 }
            if part.isEmpty {
                let next = next
                guard let bytes = MicrohttpdRequests.wait({ await next() }), let bytes else { return -1 }
                part = bytes[...]
            }
            let count = min(part.count, buffer.count)
            buffer.copyBytes(from: part.prefix(count))
            let remaining = part.dropFirst(count)
            rest.withLock { $0 = remaining }
            return count
        }
    }
#endif
