internal import CAshlarLogging

/// What the logger keeps for each thread: buffers, the present indent, how deep logging is nested.
///
/// Only its own thread ever touches it. A handle that can be copied without reference counting; the memory goes with
/// the thread.
struct ThreadContext {
    struct State {
        /// How many calls are under way on this thread, one inside the other.
        var nesting = 0
        /// How many sinks are being served on this thread.
        var sinkNesting = 0
        /// The depth that `indent(true)` and `indent(false)` brought about outside of tasks.
        var indent = 0
        var cachedSecond = Int64.min
        var messageLimit = 65_536 + 64
        /// As the kernel names the thread; another one in a forked child.
        var threadID = ashlar_log_thread_id()
        /// The formatted line.
        let line = ByteBuffer(capacity: 512)
        let secondText = ByteBuffer(capacity: 32)
        /// Buffers of messages that are done with, for the next ones.
        ///
        /// Unmanaged, so that taking and giving them back counts no references.
        var spare: (Unmanaged<MessageBuffer>?, Unmanaged<MessageBuffer>?)
        /// Beginnings of lines in the format of these settings.
        let heads = LineHeads()
        /// The settings this thread saw last, kept alive by it; see `LogPipeline.settings(of:)`.
        ///
        /// Unmanaged, because a reference that is counted costs a line two atomic operations.
        var settings: Unmanaged<PipelineSettings>?
        var generation: UInt64 = 0
        /// Where plain lines go under these settings.
        var plainStore = PlainStore.none
    }

    let state: UnsafeMutablePointer<State>

    @inline(__always) var line: ByteBuffer { state.pointee.line }
    @inline(__always) var heads: LineHeads { state.pointee.heads }

    /// The context of the calling thread.
    static var current: ThreadContext {
        @inline(__always)
        get {
            if let value = ashlar_log_thread_value() {
                return ThreadContext(state: value.assumingMemoryBound(to: State.self))
            }
            return make()
        }
    }

    @inline(never)
    private static func make() -> ThreadContext {
        let state = UnsafeMutablePointer<State>.allocate(capacity: 1)
        state.initialize(to: State())
        ashlar_log_set_thread_value(state) { value in
            guard let state = value?.assumingMemoryBound(to: State.self) else { return }
            state.pointee.line.deallocate()
            state.pointee.secondText.deallocate()
            state.pointee.heads.deallocate()
            state.pointee.settings?.release()
            state.pointee.spare.0?.release()
            state.pointee.spare.1?.release()
            state.deinitialize(count: 1)
            state.deallocate()
        }
        return ThreadContext(state: state)
    }

    /// An empty buffer for a message; a nested message gets one of its own.
    @inline(__always)
    func takeMessageBuffer() -> MessageBuffer {
        let spare = state.pointee.spare.0.take() ?? state.pointee.spare.1.take()
        let taken = spare?.takeRetainedValue() ?? MessageBuffer()
        taken.reset(limit: state.pointee.messageLimit)
        return taken
    }

    /// Takes a message's buffer back for the next one, unless someone kept the message.
    @inline(__always)
    func giveBack(_ message: inout LogMessage) {
        guard message.owner != nil, isKnownUniquelyReferenced(&message.owner) else { return }
        let buffer = message.owner.unsafelyUnwrapped.buffer
        if hasRoom(for: buffer) {
            keep(&message.owner)
        } else if state.pointee.spare.1 == nil, buffer.header.pointee.capacity <= ByteBuffer.largestKept {
            state.pointee.spare.1 = message.owner.take().map { .passRetained($0) }
        }
    }

    /// Whether a message's buffer can be kept for the next message.
    @inline(__always)
    func hasRoom(for buffer: ByteBuffer) -> Bool {
        state.pointee.spare.0 == nil && buffer.header.pointee.capacity <= ByteBuffer.largestKept
    }

    /// Keeps a buffer for which there is room, and to which there is no other reference.
    @inline(__always)
    func keep(_ owner: inout MessageBuffer?) { state.pointee.spare.0 = owner.take().map { .passRetained($0) } }

    /// In a forked child the thread has another identity.
    func becomeForkedChild() { state.pointee.threadID = ashlar_log_thread_id() }

    /// Appends a second in ISO 8601; lines of the same second share the text.
    func appendTime(second: Int64, to line: ByteBuffer) {
        let text = state.pointee.secondText
        if state.pointee.cachedSecond != second {
            text.reset()
            LogTime.append(second: second, to: text)
            state.pointee.cachedSecond = second
        }
        line.append(text.start, text.count)
    }
}
