import CAshlarEventBus
import Synchronization

/// What the calling thread knows about the triggers that it is inside.
///
/// A value of this type is used on the thread that asked for it, inside one synchronous call.
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

    /// The bus of the innermost trigger and the depth of triggers on it.
    var nesting: Nesting {
        get { Nesting(word: state.pointee.nesting) }
        nonmutating set { state.pointee.nesting = newValue.word }
    }

    /// Whether another trigger could overflow the stack.
    var isStackLow: Bool { ashlar_bus_stack_is_low(state) != 0 }

    /// The depth of triggers on one bus; a trigger of another bus in between starts again from 0.
    struct Nesting {
        fileprivate let word: UInt64

        fileprivate init(word: UInt64) { self.word = word }

        init(_ bus: EventBus, depth: UInt32) { word = (bus.word >> SlotFlags.bits) << 32 | UInt64(depth) }

        /// Whether the thread is inside no trigger.
        var isOutermost: Bool { UInt32(truncatingIfNeeded: word) == 0 }

        func depth(on bus: EventBus) -> UInt32 {
            UInt32(truncatingIfNeeded: word >> 32) == UInt32(truncatingIfNeeded: bus.word >> SlotFlags.bits)
                ? UInt32(truncatingIfNeeded: word) : 0
        }
    }

    /// The innermost running trigger of a bus that works breadth-first.
    var frame: NestingFrame? {
        get { state.pointee.frame.map { Unmanaged<NestingFrame>.fromOpaque($0).takeUnretainedValue() } }
        // The frame is kept by the call that has made it, and by the frames inside.
        nonmutating set { state.pointee.frame = newValue.map { Unmanaged.passUnretained($0).toOpaque() } }
    }

    /// Runs a hook of a bus; returns false if the thread is inside that very hook already.
    func run(_ hook: BusHook, of bus: EventBus, _ body: () throws -> Void) rethrows -> Bool {
        let outer = state.pointee.hook.map { Unmanaged<HookFrame>.fromOpaque($0).takeUnretainedValue() }
        var frame = outer
        while let candidate = frame {
            if candidate.hook == hook, candidate.bus == ObjectIdentifier(bus) { return false }
            frame = candidate.outer
        }
        let inner = HookFrame(hook: hook, bus: ObjectIdentifier(bus), outer: outer)
        state.pointee.hook = Unmanaged.passUnretained(inner).toOpaque()
        // The frame is kept by this call, and by the frames inside.
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

/// A hook that a thread is inside.
private final class HookFrame {
    let hook: BusHook
    let bus: ObjectIdentifier
    let outer: HookFrame?

    init(hook: BusHook, bus: ObjectIdentifier, outer: HookFrame?) {
        (self.hook, self.bus, self.outer) = (hook, bus, outer)
    }
}
