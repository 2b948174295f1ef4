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

    /// The bus of the innermost trigger and the depth of the triggers on it.
    var nesting: Nesting {
        get { Nesting(word: state.pointee.nesting) }
        nonmutating set { state.pointee.nesting = newValue.word }
    }

    /// Whether another trigger could overflow the stack.
    var isStackLow: Bool { ashlar_bus_stack_is_low(state) != 0 }

    /// The depth of triggers on one bus; after a trigger of another bus, the depth starts at 0 again.
    struct Nesting {
        fileprivate let word: UInt64

        fileprivate init(word: UInt64) { self.word = word }

        init(bus: UInt32, depth: UInt32) { word = UInt64(bus) << 32 | UInt64(depth) }

        /// Whether the thread is not inside a trigger.
        var isOutermost: Bool { UInt32(truncatingIfNeeded: word) == 0 }

        func depth(onBus bus: UInt32) -> UInt32 {
            UInt32(truncatingIfNeeded: word >> 32) == bus ? UInt32(truncatingIfNeeded: word) : 0
        }
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
