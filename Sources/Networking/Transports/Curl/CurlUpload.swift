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
            /// What the reading task waits for while a piece is ready.
            var pump: Promise<Void>?
            var task: Task<Void, Never>?
            var stopped = false
            /// The reader whose pieces are sent; a rewind replaces it.
            var reader: any RequestBodyReader
            /// Called when bytes arrive after `take` found none.
            var ready: (@Sendable () -> Void)?
        }

        private let body: RequestBody
        private let length: Int?
        private let state: Mutex<State>

        /// Creates an upload.
        ///
        /// - Throws: The errors of `RequestBody.makeReader()`.
        init(_ body: RequestBody, length: Int?) throws(NetworkError) {
            self.body = body
            self.length = length
            state = Mutex(State(reader: try body.makeReader()))
        }

        /// The number of bytes that libcurl has taken.
        var taken: Int { state.withLock { $0.taken } }

        /// Whether libcurl has taken everything.
        var isSent: Bool {
            state.withLock { $0.ended && $0.next == nil && $0.offset == $0.piece.count }
        }

        /// Starts reading; `ready` is called when bytes arrive after `take` found none.
        func start(_ ready: @escaping @Sendable () -> Void) {
            state.withLock { $0.ready = ready }
            read(state.withLock { $0.reader }, ready)
        }

        private func read(_ reader: any RequestBodyReader, _ ready: @escaping @Sendable () -> Void) {
            let task = Task { [self] in await pump(reader, ready) }
            state.withLock { $0.task = task }
        }

        func stop() {
            let (task, pump) = state.withLock { state in
                state.stopped = true
                // It retains the transfer, which retains this upload.
                state.ready = nil
                return (state.task.take(), state.pump.take())
            }
            task?.cancel()
            pump?.fulfill(())
        }

        /// Copies the next bytes; called by the loop's thread.
        func take(into space: UnsafeMutableRawBufferPointer) -> Taken {
            let (result, pump) = state.withLock { state -> (Taken, Promise<Void>?) in
                if let failure = state.failure { return (.failed(failure), nil) }
                var pump: Promise<Void>?
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
            pump?.fulfill(())
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

        /// Rewinds to the current offset, or to the start; returns whether that was possible.
        func rewind(to offset: Int) -> Bool {
            let isDone = state.withLock { state in
                if offset == state.taken { return true }
                guard offset == 0, state.taken == state.offset else { return false }
                state.offset = 0
                state.taken = 0
                return true
            }
            if isDone { return true }
            guard offset == 0, body.isReplayable, let reader = try? body.makeReader() else { return false }
            let old = state.withLock { state -> State in
                var new = State(reader: reader)
                new.ready = state.ready
                new.stopped = state.stopped
                swap(&state, &new)
                return new
            }
            old.task?.cancel()
            old.pump?.fulfill(())
            if let ready = old.ready { read(reader, ready) }
            return true
        }

        private func pump(_ reader: any RequestBodyReader, _ ready: @Sendable () -> Void) async {
            while true {
                var piece: [UInt8]?
                var failure: NetworkError?
                do { piece = try await reader.next() } catch {
                    failure = NetworkError(wrapping: error, as: .invalidBody, phase: .send)
                }
                if let bytes = piece, bytes.isEmpty { continue }
                await waitForRoom(for: reader)
                let (goesOn, wakes) = state.withLock { state in
                    guard state.reader === reader else { return (false, false) }
                    if let piece { state.next = piece } else { state.ended = true }
                    state.failure = failure
                    defer { state.starved = false }
                    return (piece != nil && !state.stopped, state.starved)
                }
                if wakes { ready() }
                if !goesOn { return }
            }
        }

        private func waitForRoom(for reader: any RequestBodyReader) async {
            let room = Promise<Void>()
            let waits = state.withLock { state in
                if state.next == nil || state.stopped || state.reader !== reader { return false }
                state.pump = room
                return true
            }
            if waits { _ = await room.value() }
        }

        private static func wrong(_ message: String) -> NetworkError {
            NetworkError(.invalidBody, "the body \(message)", phase: .send)
        }
    }
#endif
