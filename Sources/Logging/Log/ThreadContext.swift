internal import CAshlarLogging

/// The logging state of one thread: buffers, indent, and nesting of calls.
///
/// Only its own thread uses it. The handle is copied without reference counting; the state is freed with the thread.
struct ThreadContext {
    struct State {
        /// The number of nested log calls in progress.
        var nesting = 0
        /// The number of nested sink calls in progress.
        var sinkNesting = 0
        /// The depth that `indent` set outside of tasks.
        var indent = 0
        /// The maximum length of a message in the current settings.
        var messageLimit = 65_536 + 64
        /// The kernel's number of the thread.
        var threadID = ashlar_log_thread_id()
        /// The formatted line.
        let line = ByteBuffer(capacity: 512)
        /// The last printed time, for lines of the same second and style.
        let timeText = ByteBuffer(capacity: 40)
        var printedSecond = Int64.min
        var printedTimeStyle = UInt8.max
        /// Buffers for the next messages.
        ///
        /// They are unmanaged, so that taking and returning a buffer doesn't count references.
        var spare: (Unmanaged<MessageBuffer>?, Unmanaged<MessageBuffer>?)
        /// The last settings that the thread used, and their generation.
        ///
        /// They are unmanaged because a counted reference would cost each line two atomic operations.
        var settings: Unmanaged<AnyObject>?
        var generation: UInt64 = 0
    }

    let state: UnsafeMutablePointer<State>

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
            let last = state.move()
            state.deallocate()
            last.line.deallocate()
            last.timeText.deallocate()
            last.settings?.release()
            last.spare.0?.release()
            last.spare.1?.release()
        }
        return ThreadContext(state: state)
    }

    @inline(__always) var line: ByteBuffer { state.pointee.line }

    /// Returns an empty buffer for a message; a nested message gets another one.
    @inline(__always)
    func takeMessageBuffer() -> MessageBuffer {
        let spare = state.pointee.spare.0.take() ?? state.pointee.spare.1.take()
        let taken = spare?.takeRetainedValue() ?? MessageBuffer()
        taken.buffer.reset(limit: state.pointee.messageLimit)
        return taken
    }

    /// Returns a message's buffer for the next message, unless it is still referenced elsewhere.
    @inline(__always)
    func giveBack(_ owner: inout MessageBuffer?) {
        guard owner != nil, isKnownUniquelyReferenced(&owner),
            owner.unsafelyUnwrapped.buffer.capacity <= ByteBuffer.largestKept
        else { return }
        if state.pointee.spare.0 == nil {
            state.pointee.spare.0 = owner.take().map { .passRetained($0) }
        } else if state.pointee.spare.1 == nil {
            state.pointee.spare.1 = owner.take().map { .passRetained($0) }
        }
    }

    /// Updates the number of the thread, which differs in a forked child.
    func becomeForkedChild() { state.pointee.threadID = ashlar_log_thread_id() }
}
