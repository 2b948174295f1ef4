internal import CAshlarLogging

/// What the logger keeps for each thread: buffers, the present indent, how deep logging is nested.
///
/// Only its own thread ever touches it.
final class ThreadContext {
    /// Everything lies in memory of its own, so that reading a field needs no exclusivity check at run time.
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
        var threadID: UInt64 = 0
    }

    let state: UnsafeMutablePointer<State>
    /// The formatted line.
    let line = ByteBuffer(capacity: 512)
    private let secondText = ByteBuffer(capacity: 32)
    private var messageBuffers: [ByteBuffer] = []
    /// The settings this thread saw last; see `LogPipeline.settings(of:)`.
    var settings: PipelineSettings?

    private init() {
        state = .allocate(capacity: 1)
        state.initialize(to: State())
        state.pointee.threadID = ashlar_log_thread_id()
        messageBuffers.reserveCapacity(4)
    }

    deinit { state.deallocate() }

    /// The context of the calling thread.
    static var current: ThreadContext {
        @inline(__always)
        get {
            if let value = ashlar_log_thread_value() {
                return Unmanaged<ThreadContext>.fromOpaque(value).takeUnretainedValue()
            }
            return make()
        }
    }

    @inline(never)
    private static func make() -> ThreadContext {
        let context = ThreadContext()
        ashlar_log_set_thread_value(Unmanaged.passRetained(context).toOpaque()) { value in
            if let value { Unmanaged<ThreadContext>.fromOpaque(value).release() }
        }
        return context
    }

    /// An empty buffer for a message; a nested message gets one of its own.
    func takeMessageBuffer() -> ByteBuffer {
        let buffer = messageBuffers.popLast() ?? ByteBuffer()
        buffer.reset(limit: state.pointee.messageLimit)
        return buffer
    }

    /// Takes a message's buffer back for the next one, unless someone kept the message.
    @inline(__always)
    func giveBack(_ message: inout LogMessage) {
        guard message.owner != nil, isKnownUniquelyReferenced(&message.owner) else { return }
        if let buffer = message.owner.take(), messageBuffers.count < 4,
            buffer.header.pointee.capacity <= ByteBuffer.largestKept
        {
            messageBuffers.append(buffer)
        }
    }

    /// In a forked child the thread has another identity, and what was under way elsewhere is not under way here.
    func becomeForkedChild() { state.pointee.threadID = ashlar_log_thread_id() }

    /// Appends a second in ISO 8601; lines of the same second share the text.
    func appendTime(second: Int64, to line: ByteBuffer) {
        if state.pointee.cachedSecond != second {
            secondText.reset()
            LogTime.append(second: second, to: secondText)
            state.pointee.cachedSecond = second
        }
        line.append(secondText.start, secondText.count)
    }
}
