#if os(Linux)
    internal import AshlarCore

    /// Passes a body from its reader, which may wait, to libcurl, which must not.
    ///
    /// A task reads one piece ahead of the piece that is being sent.
    final class CurlUpload: Sendable {
        enum Taken {
            case bytes(Int)
            case end
            case wait
            case failed(NetworkError)
        }

        private struct State {
            var piece: [UInt8] = []
            var offset = 0
            var next: [UInt8]?
            var ended = false
            var failure: NetworkError?
            var taken = 0
            var starved = false
            var pump: UnsafeContinuation<Void, Never>?
            var task: Task<Void, Never>?
            var stopped = false
            var trailers: HTTPHeaders = [:]
        }

        private let reader: any RequestBodyReader
        private let length: Int?
        private let makesTrailers: RequestTrailers?
        private let state = Mutex(State())

        init(_ reader: any RequestBodyReader, length: Int?, trailers: RequestTrailers? = nil) {
            self.reader = reader
            self.length = length
            makesTrailers = trailers
        }

        /// The fields to send behind the body, once `take` has returned its end.
        var trailers: HTTPHeaders { state.withLock { $0.trailers } }

        /// The number of bytes that libcurl has taken.
        var taken: Int { state.withLock { $0.taken } }

        /// Whether libcurl has taken everything.
        var isSent: Bool {
            state.withLock { $0.ended && $0.next == nil && $0.offset == $0.piece.count }
        }

        /// Starts reading; `ready` is called when bytes arrive after `take` found none.
        func start(_ ready: @escaping @Sendable () -> Void) {
            let task = Task { [self] in await pump(ready) }
            state.withLock { $0.task = task }
        }

        func stop() {
            let (task, pump) = state.withLock { state in
                state.stopped = true
                return (state.task.take(), state.pump.take())
            }
            task?.cancel()
            pump?.resume()
        }

        /// Copies the next bytes; called by the loop's thread.
        func take(into space: UnsafeMutableRawBufferPointer) -> Taken {
            let (result, pump) = state.withLock { state -> (Taken, UnsafeContinuation<Void, Never>?) in
                if let failure = state.failure { return (.failed(failure), nil) }
                var pump: UnsafeContinuation<Void, Never>?
                if state.offset == state.piece.count {
                    guard let next = state.next.take() else {
                        if state.ended { return (atEnd(state), nil) }
                        state.starved = true
                        return (.wait, nil)
                    }
                    state.piece = next
                    state.offset = 0
                    pump = state.pump.take()
                }
                if let length, state.taken + state.piece.count - state.offset >= length {
                    if state.taken + state.piece.count - state.offset > length || state.next != nil {
                        return (.failed(tooLong), pump)
                    }
                    // The last bytes are sent only after the reader has ended, so that no server accepts the start of a
                    // longer body as complete.
                    if !state.ended {
                        state.starved = true
                        return (.wait, pump)
                    }
                }
                let count = min(space.count, state.piece.count - state.offset)
                state.piece.withUnsafeBytes { bytes in
                    space.copyMemory(from: bytes.part(state.offset..<(state.offset + count)))
                }
                state.offset += count
                state.taken += count
                return (.bytes(count), pump)
            }
            pump?.resume()
            return result
        }

        private func atEnd(_ state: borrowing State) -> Taken {
            if let length, state.taken < length {
                return .failed(Self.wrong("has \(state.taken) bytes, announced were \(length)"))
            }
            return .end
        }

        /// The error for a body that is longer than announced, once libcurl has taken the announced bytes.
        var surplus: NetworkError? {
            state.withLock { $0.taken == length && $0.next != nil ? tooLong : nil }
        }

        private var tooLong: NetworkError { Self.wrong("is longer than the announced \(length ?? 0) bytes") }

        /// Rewinds to the current offset, or to the start of a body in one piece; returns whether that was possible.
        func rewind(to offset: Int) -> Bool {
            state.withLock { state in
                if offset == state.taken { return true }
                guard offset == 0, state.taken == state.offset else { return false }
                state.offset = 0
                state.taken = 0
                return true
            }
        }

        private func pump(_ ready: @Sendable () -> Void) async {
            while true {
                var piece: [UInt8]?
                var failure: NetworkError?
                var trailers: HTTPHeaders = [:]
                do {
                    piece = try await reader.next()
                    if piece == nil, let makesTrailers { trailers = try await makesTrailers.fields() }
                } catch {
                    failure = NetworkError(wrapping: error, as: .invalidBody, phase: .send)
                }
                if let bytes = piece, bytes.isEmpty { continue }
                await waitForRoom()
                let (goesOn, wakes) = state.withLock { state in
                    if let piece { state.next = piece } else { (state.ended, state.trailers) = (true, trailers) }
                    state.failure = failure
                    defer { state.starved = false }
                    return (piece != nil && !state.stopped, state.starved)
                }
                if wakes { ready() }
                if !goesOn { return }
            }
        }

        private func waitForRoom() async {
            await withUnsafeContinuation { continuation in
                let goesOn = state.withLock { state in
                    if state.next == nil || state.stopped { return true }
                    state.pump = continuation
                    return false
                }
                if goesOn { continuation.resume() }
            }
        }

        private static func wrong(_ message: String) -> NetworkError {
            NetworkError(.invalidBody, "the body \(message)", phase: .send)
        }
    }
#endif
