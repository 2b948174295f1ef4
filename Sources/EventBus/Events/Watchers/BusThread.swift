import CAshlarEventBus
import Synchronization

/// The state of the calling thread: its current triggers and hooks.
///
/// A value is used only on its own thread, within one synchronous call.
struct BusThread {
    private let state: UnsafeMutablePointer<ashlar_bus_thread>
    private static let numbers = Atomic<UInt32>(0)

    static var current: BusThread {
        let state = ashlar_bus_thread()!
        if state.pointee.number == 0 {
            state.pointee.number = numbers.add(1, ordering: .relaxed).newValue
            ashlar_bus_find_stack(state)
        }
        return BusThread(state: state)
    }

    /// The thread's number, from 1.
    var number: UInt32 { state.pointee.number }

    /// Whether another trigger could overflow the stack.
    var isStackLow: Bool { ashlar_bus_stack_is_low(state) != 0 }

    /// The innermost trigger: the number of its bus and the depth of triggers on that bus.
    struct Nesting {
        let bus: UInt32
        let depth: UInt32

        /// Whether the thread is not inside a trigger.
        var isOutermost: Bool { depth == 0 }
    }

    /// The innermost trigger.
    private(set) var nesting: Nesting {
        get { Nesting(bus: state.pointee.bus, depth: state.pointee.depth) }
        nonmutating set { (state.pointee.bus, state.pointee.depth) = (newValue.bus, newValue.depth) }
    }

    /// Returns the depth of the thread's running triggers of a bus, even with triggers of other buses between them.
    func depth(onBus bus: UInt32) -> UInt32 {
        let inner = nesting
        return inner.bus == bus || inner.isOutermost ? inner.depth : frame(.trigger, ofBus: bus)?.depth ?? 0
    }

    /// Enters a trigger of a bus; returns the trigger around it, which `leave` needs.
    func enter(bus: UInt32, depth: UInt32) -> Nesting {
        let outer = nesting
        if !outer.isOutermost, outer.bus != bus { push(outer) }
        nesting = Nesting(bus: bus, depth: depth)
        return outer
    }

    /// Leaves a trigger of a bus.
    func leave(to outer: Nesting, from bus: UInt32) {
        nesting = outer
        if !outer.isOutermost, outer.bus != bus { pop() }
    }

    // MARK: Frames

    /// Returns the innermost frame of a kind and a bus.
    func frame(_ kind: ThreadFrame.Kind, ofBus bus: UInt32) -> ThreadFrame? {
        var frame = innermost
        while let candidate = frame, candidate.kind != kind || candidate.bus != bus { frame = candidate.outer }
        return frame
    }

    private var innermost: ThreadFrame? {
        state.pointee.frame.map { Unmanaged<ThreadFrame>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Runs a hook of a bus; returns false if the thread is already inside the same hook.
    func run(_ hook: ThreadFrame.Kind, ofBus bus: UInt32, _ body: () throws -> Void) rethrows -> Bool {
        guard frame(hook, ofBus: bus) == nil else { return false }
        let frame = ThreadFrame(hook, bus: bus, outer: innermost)
        // This call retains the frame, and so do the inner frames.
        state.pointee.frame = Unmanaged.passUnretained(frame).toOpaque()
        defer { state.pointee.frame = frame.outer.map { Unmanaged.passUnretained($0).toOpaque() } }
        try body()
        return true
    }

    @inline(never)
    private func push(_ nesting: Nesting) {
        let frame = ThreadFrame(.trigger, bus: nesting.bus, depth: nesting.depth, outer: innermost)
        state.pointee.frame = Unmanaged.passRetained(frame).toOpaque()
    }

    @inline(never)
    private func pop() {
        guard let pointer = state.pointee.frame else { return }
        let frame = Unmanaged<ThreadFrame>.fromOpaque(pointer).takeRetainedValue()
        state.pointee.frame = frame.outer.map { Unmanaged.passUnretained($0).toOpaque() }
    }
}

/// A call of a bus that is running on a thread.
final class ThreadFrame {
    enum Kind {
        /// A trigger around a trigger of another bus.
        case trigger
        case failureHook
        case undeliveredHook
    }

    let kind: Kind
    /// The number of the bus.
    let bus: UInt32
    /// The depth of a trigger on its bus.
    let depth: UInt32
    let outer: ThreadFrame?

    init(_ kind: Kind, bus: UInt32, depth: UInt32 = 0, outer: ThreadFrame?) {
        self.kind = kind
        self.bus = bus
        self.depth = depth
        self.outer = outer
    }
}
