internal import AshlarCore

/// The writing side of a pipe, as used by its reader.
protocol TransferProducer: AnyObject, Sendable {
    /// Called when the reader needs nothing more.
    func readerCancelled()
    /// Called when the reader has emptied the buffer after a rejected write; writing may continue.
    func readerDrained()
}

/// Passes the head and the body of a response from a transport's thread to the task that reads it.
///
/// It has one writer and one reader. Written bytes are available to the reader immediately, but only `flush` wakes it,
/// so that a small response wakes its task once. Neither tasks nor the producer are called under the lock.
///
/// The pipe is the executor of its own method `park`: a reader that must wait calls it and becomes a job, which the
/// thread that wakes it can run on the shared threads or on itself.
actor TransferPipe: ResponseBodySource, ExchangeEndSource, SerialExecutor {
    private struct State {
        var head: ResponseHead?
        var interims: [ResponseHead] = []
        var timings = TransportTimings()
        var buffer: [UInt8] = []
        var refused = false
        var ended = false
        var failure: NetworkError?
        var end: ExchangeEnd?
        /// Reports the end to the client's handler; called once.
        var report: (@Sendable () -> Void)?
        var waiter: UnownedJob?
        var waitsForHead = true
        var producer: (any TransferProducer)?

        var hasNews: Bool { ended || (waitsForHead ? head != nil || !interims.isEmpty : !buffer.isEmpty) }
    }

    /// The maximum number of buffered bytes; further writes are rejected.
    static let capacity = 256 << 10

    private let state = Mutex(State())
    private var parked = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    // MARK: Writer

    nonisolated func attach(_ producer: some TransferProducer) { state.withLock { $0.producer = producer } }

    nonisolated func write(head: ResponseHead, timings: TransportTimings) {
        state.withLock { ($0.head, $0.timings) = (head, timings) }
    }

    nonisolated func write(interim head: ResponseHead) { state.withLock { $0.interims.append(head) } }

    /// Buffers bytes, or rejects them because the reader is behind; `readerDrained` follows a rejection.
    nonisolated func write(_ bytes: UnsafeRawBufferPointer, limited: Bool = true) -> Bool {
        state.withLock { state in
            guard !state.ended else { return true }
            if limited, !state.buffer.isEmpty, state.buffer.count + bytes.count > Self.capacity {
                state.refused = true
                return false
            }
            state.buffer.append(contentsOf: bytes)
            return true
        }
    }

    /// Whether the response hasn't ended.
    nonisolated var isOpen: Bool { state.withLock { !$0.ended } }

    /// Whether there is room for a write; if not, `readerDrained` follows.
    nonisolated func hasRoom() -> Bool {
        state.withLock { state in
            guard !state.ended, state.buffer.count >= Self.capacity else { return true }
            state.refused = true
            return false
        }
    }

    /// Ends the response; later calls have no effect.
    ///
    /// The reader calls `report` when it learns about the end, or another thread if the reader has cancelled.
    nonisolated func finish(
        _ failure: NetworkError? = nil, _ end: ExchangeEnd? = nil, report: (@Sendable () -> Void)? = nil
    ) {
        let (producer, late) = state.withLock { state -> ((any TransferProducer)?, (@Sendable () -> Void)?) in
            if let end { state.end = state.end ?? end }  // also after the reader has cancelled
            guard !state.ended else { return (nil, report) }
            (state.ended, state.failure, state.report) = (true, failure, report)
            return (state.producer.take(), nil)
        }
        _ = producer  // released outside the lock
        if let late { Task { late() } }
    }

    /// Wakes the reader on the shared threads if there is something for it.
    nonisolated func flush() {
        if let job = takeReader() { Self.schedule(job) }
    }

    /// Returns the waiting reader if there is something for it; the caller must run it.
    nonisolated func takeReader() -> UnownedJob? { state.withLock { $0.hasNews ? $0.waiter.take() : nil } }

    /// Runs a reader on the shared threads.
    nonisolated static func schedule(_ job: UnownedJob) { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }

    // MARK: Reader

    nonisolated var end: ExchangeEnd? { state.withLock { $0.end } }

    /// Returns the head of the response, after `observe` has received the interim heads in order.
    nonisolated func head(
        _ observe: (ResponseHead) -> Void = { _ in }
    ) async throws(NetworkError) -> (ResponseHead, TransportTimings) {
        while true {
            await wait()
            let (interims, head, timings, failure, ended) = state.withLock { state in
                let interims = state.interims
                if !interims.isEmpty { state.interims = [] }
                state.waitsForHead = state.head == nil && !state.ended
                return (interims, state.head, state.timings, state.failure, state.ended)
            }
            for interim in interims { observe(interim) }
            if let head { return (head, timings) }
            guard ended else { continue }
            state.withLock { $0.report.take() }?()
            throw failure ?? NetworkError(.connectionLost, "the exchange ended without a response", phase: .wait)
        }
    }

    nonisolated func next() async throws(NetworkError) -> [UInt8]? {
        while true {
            var chunk: [UInt8] = []
            let (hasEnded, producer) = state.withLock { state -> (Bool, (any TransferProducer)?) in
                swap(&chunk, &state.buffer)
                guard state.refused else { return (state.ended, nil) }
                state.refused = false
                return (state.ended, state.producer)
            }
            producer?.readerDrained()
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

    nonisolated func cancel() {
        var dropped: [UInt8] = []
        let (producer, waiter, report) = state.withLock { state in
            swap(&dropped, &state.buffer)
            if !state.ended || (state.failure == nil && !dropped.isEmpty) {
                state.failure = NetworkError(
                    .cancelled, "the request was cancelled", phase: state.head == nil ? .wait : .receive)
            }
            state.ended = true
            return (state.producer.take(), state.waiter.take(), state.report.take())
        }
        if let report { Task { report() } }
        if let waiter { Self.schedule(waiter) }
        producer?.readerCancelled()
    }

    private nonisolated func wait() async {
        while !state.withLock({ $0.hasNews }) {
            await withTaskCancellationHandler {
                await park()
            } onCancel: {
                cancel()
            }
        }
    }

    /// Returns when the reader is woken; the counter prevents the compiler from removing the change of executors.
    @inline(never)
    private func park() { parked &+= 1 }

    /// Stores the reader that begins to wait.
    nonisolated func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let goesOn = state.withLock { state in
            if state.hasNews { return true }
            state.waiter = job
            return false
        }
        if goesOn { Self.schedule(job) }
    }
}
