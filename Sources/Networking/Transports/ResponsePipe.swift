internal import AshlarCore

/// The writing side of a pipe, as used by its reader.
protocol ResponseProducer: AnyObject, Sendable {
    /// Called by the reader's task: when it has emptied the buffer after `hasRoom` returned false, so that writing may
    /// continue, or when it needs nothing more.
    func readerWants(more: Bool)
}

/// Passes the head and the body of a response from a transport's thread to the task that reads it.
///
/// It has one writer and one reader. Written bytes are available to the reader immediately, but only `flush` wakes it,
/// so that a small response wakes its task once. Neither tasks nor the producer are called under the lock.
final class ResponsePipe: ResponseBodySource, ExchangeEndSource {
    private struct State {
        var head: ResponseHead?
        var buffer: [UInt8] = []
        /// Whether the writer waits for room.
        var isFull = false
        var ended = false
        var failure: NetworkError?
        var end: ExchangeEnd?
        /// Reports the end to the client's handler; called once.
        var report: (@Sendable () -> Void)?
        var reader: UnsafeContinuation<Void, Never>?
        var waitsForHead = true
        var producer: (any ResponseProducer)?

        /// Whether the reader can continue.
        var isReadable: Bool { ended || (waitsForHead ? head != nil : !buffer.isEmpty) }
    }

    /// The number of buffered bytes at which the writer waits for the reader.
    static let capacity = 256 << 10

    private let state = Mutex(State())

    // MARK: Writer

    func attach(_ producer: some ResponseProducer) { state.withLock { $0.producer = producer } }

    func write(head: ResponseHead) { state.withLock { $0.head = head } }

    /// Buffers bytes; the writer asks `hasRoom` before.
    func write(_ bytes: UnsafeRawBufferPointer) {
        state.withLock { if !$0.ended { $0.buffer.append(contentsOf: bytes) } }
    }

    /// Whether the response hasn't ended.
    var isOpen: Bool { state.withLock { !$0.ended } }

    /// Whether there is room for a write; if not, `readerWants(more: true)` follows.
    func hasRoom() -> Bool {
        state.withLock { state in
            guard !state.ended, state.buffer.count >= Self.capacity else { return true }
            state.isFull = true
            return false
        }
    }

    /// Ends the response; later calls have no effect.
    ///
    /// The reader calls `report` when it learns about the end, or another thread if the reader has cancelled.
    func finish(
        _ failure: NetworkError? = nil, _ end: ExchangeEnd? = nil, report: (@Sendable () -> Void)? = nil
    ) {
        let (producer, late) = state.withLock { state -> ((any ResponseProducer)?, (@Sendable () -> Void)?) in
            if let end { state.end = state.end ?? end }  // also after the reader has cancelled
            guard !state.ended else { return (nil, report) }
            state.ended = true
            state.failure = failure
            state.report = report
            return (state.producer.take(), nil)
        }
        _ = producer  // released outside the lock
        if let late { Task { late() } }
    }

    /// Wakes the reader if it can continue.
    func flush() {
        let reader = state.withLock { $0.isReadable ? $0.reader.take() : nil }
        reader?.resume()
    }

    // MARK: Reader

    /// The end of the exchange if it was measured.
    var end: ExchangeEnd? { state.withLock { $0.end } }

    /// Returns the head of the response.
    func head() async throws(NetworkError) -> ResponseHead {
        while true {
            await wait()
            let (head, failure, ended) = state.withLock { state in
                state.waitsForHead = state.head == nil && !state.ended
                return (state.head, state.failure, state.ended)
            }
            if let head { return head }
            guard ended else { continue }
            state.withLock { $0.report.take() }?()
            throw failure ?? NetworkError(.connectionLost, "the exchange ended without a response", phase: .wait)
        }
    }

    func next() async throws(NetworkError) -> [UInt8]? {
        while true {
            var chunk: [UInt8] = []
            let (hasEnded, producer) = state.withLock { state -> (Bool, (any ResponseProducer)?) in
                swap(&chunk, &state.buffer)
                guard state.isFull else { return (state.ended, nil) }
                state.isFull = false
                return (state.ended, state.producer)
            }
            producer?.readerWants(more: true)
            if !chunk.isEmpty { return chunk }
            if hasEnded {
                let (failure, report) = state.withLock { ($0.failure, $0.report.take()) }
                report?()
                if let failure { throw failure }
                return nil
            }
            await wait()
        }
    }

    func cancel() {
        var dropped: [UInt8] = []
        let (producer, reader, report) = state.withLock { state in
            swap(&dropped, &state.buffer)
            if !state.ended || (state.failure == nil && !dropped.isEmpty) {
                state.failure = NetworkError(
                    .cancelled, "the request was cancelled", phase: state.head == nil ? .wait : .receive)
            }
            state.ended = true
            return (state.producer.take(), state.reader.take(), state.report.take())
        }
        if let report { Task { report() } }
        reader?.resume()
        producer?.readerWants(more: false)
    }

    /// Returns when the reader can continue; a cancellation of the task cancels the response.
    private func wait() async {
        if state.withLock(\.isReadable) { return }
        await withTaskCancellationHandler {
            // `take()` hands out the continuation once. A checked one costs an allocation per request.
            await withUnsafeContinuation { continuation in
                let isReadable = state.withLock { state in
                    if !state.isReadable { state.reader = continuation }
                    return state.isReadable
                }
                if isReadable { continuation.resume() }
            }
        } onCancel: {
            cancel()
        }
    }
}
