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
        fileprivate let word: UInt64

        fileprivate init(word: UInt64) { self.word = word }

        fileprivate init(bus: UInt32, depth: UInt32) { word = UInt64(bus) << 32 | UInt64(depth) }

        /// Whether the thread is not inside a trigger.
        var isOutermost: Bool { depth == 0 }

        fileprivate var bus: UInt32 { UInt32(truncatingIfNeeded: word >> 32) }
        fileprivate var depth: UInt32 { UInt32(truncatingIfNeeded: word) }
    }

    /// The innermost trigger.
    var nesting: Nesting { Nesting(word: state.pointee.nesting) }

    /// Returns the depth of the thread's running triggers of a bus, even with triggers of other buses between them.
    func depth(onBus bus: UInt32) -> UInt32 {
        let inner = nesting
        return inner.bus == bus || inner.isOutermost ? inner.depth : outerDepth(onBus: bus)
    }

    @inline(never)
    private func outerDepth(onBus bus: UInt32) -> UInt32 {
        var frame = outerFrame
        while let candidate = frame {
            if candidate.nesting.bus == bus { return candidate.nesting.depth }
            frame = candidate.outer
        }
        return 0
    }

    /// Enters a trigger of a bus; returns the trigger around it, which `leave` needs.
    func enter(bus: UInt32, depth: UInt32) -> Nesting {
        let outer = nesting
        if !outer.isOutermost, outer.bus != bus { push(outer) }
        state.pointee.nesting = Nesting(bus: bus, depth: depth).word
        return outer
    }

    /// Leaves a trigger of a bus.
    func leave(to outer: Nesting, from bus: UInt32) {
        state.pointee.nesting = outer.word
        if !outer.isOutermost, outer.bus != bus { pop() }
    }

    /// The triggers of other buses around the innermost one.
    private var outerFrame: OuterFrame? {
        state.pointee.outer.map { Unmanaged<OuterFrame>.fromOpaque($0).takeUnretainedValue() }
    }

    @inline(never)
    private func push(_ nesting: Nesting) {
        let frame = OuterFrame(nesting: nesting, outer: outerFrame)
        state.pointee.outer = Unmanaged.passRetained(frame).toOpaque()
    }

    @inline(never)
    private func pop() {
        guard let pointer = state.pointee.outer else { return }
        let frame = Unmanaged<OuterFrame>.fromOpaque(pointer).takeRetainedValue()
        state.pointee.outer = frame.outer.map { Unmanaged.passUnretained($0).toOpaque() }
    }

    /// A trigger of one bus around a trigger of another.
    private final class OuterFrame {
        let nesting: Nesting
        let outer: OuterFrame?

        init(nesting: Nesting, outer: OuterFrame?) { (self.nesting, self.outer) = (nesting, outer) }
    }

    /// The innermost current trigger of a breadth-first bus.
    var frame: NestingFrame? {
        get { state.pointee.frame.map { Unmanaged<NestingFrame>.fromOpaque($0).takeUnretainedValue() } }
        // The call that created the frame retains it, and so do the inner frames.
        nonmutating set { state.pointee.frame = newValue.map { Unmanaged.passUnretained($0).toOpaque() } }
    }

    /// Runs a hook of a bus; returns false if the thread is already inside the same hook.
    func run(_ hook: BusHook, of bus: AnyObject, _ body: () throws -> Void) rethrows -> Bool {
        let outer = state.pointee.hook.map { Unmanaged<HookFrame>.fromOpaque($0).takeUnretainedValue() }
        var frame = outer
        while let candidate = frame {
            if candidate.hook == hook, candidate.bus == ObjectIdentifier(bus) { return false }
            frame = candidate.outer
        }
        let inner = HookFrame(hook: hook, bus: ObjectIdentifier(bus), outer: outer)
        state.pointee.hook = Unmanaged.passUnretained(inner).toOpaque()
        // This call retains the frame, and so do the inner frames.
        defer { state.pointee.hook = inner.outer.map { Unmanaged.passUnretained($0).toOpaque() } }
        try body()
        return true
    }
}

/// The hooks of a bus.
enum BusHook {
    case failure
    case undelivered
    case tap
}

/// A hook that is running on a thread.
private final class HookFrame {
    let hook: BusHook
    let bus: ObjectIdentifier
    let outer: HookFrame?

    init(hook: BusHook, bus: ObjectIdentifier, outer: HookFrame?) {
        (self.hook, self.bus, self.outer) = (hook, bus, outer)
    }
}

/// The triggers on one bus that a thread has postponed until the end of its current trigger.
final class NestingFrame {
    let bus: ObjectIdentifier
    let outer: NestingFrame?
    var line = Fifo<() -> Void>()

    init(bus: AnyObject, outer: NestingFrame?) { (self.bus, self.outer) = (ObjectIdentifier(bus), outer) }

    /// The frame of a bus, if the thread is inside one.
    static func current(of bus: AnyObject) -> NestingFrame? {
        var frame = BusThread.current.frame
        while let candidate = frame, candidate.bus != ObjectIdentifier(bus) { frame = candidate.outer }
        return frame
    }
}
