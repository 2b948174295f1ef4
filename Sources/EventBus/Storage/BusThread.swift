import CAshlarEventBus
import Synchronization

/// What the calling thread knows about the triggers that it is inside of.
///
/// A value of this type is used on the thread that asked for it, inside one synchronous call.
struct BusThread {
    private let state: UnsafeMutablePointer<ashlar_bus_thread>
    private static let numbers = Atomic<UInt32>(0)

    static var current: BusThread {
        let state = ashlar_bus_thread()!
        if state.pointee.number == 0 {
            state.pointee.number = numbers.add(1, ordering: .relaxed).newValue
        }
        return BusThread(state: state)
    }

    /// The thread's number, from 1.
    var number: UInt32 { state.pointee.number }

    /// How many triggers the thread is inside of.
    var depth: UInt32 {
        get { state.pointee.depth }
        nonmutating set { state.pointee.depth = newValue }
    }

    /// The innermost running trigger of a bus that works breadth-first.
    var frame: NestingFrame? {
        get { state.pointee.frame.map { Unmanaged<NestingFrame>.fromOpaque($0).takeUnretainedValue() } }
        // The frame is kept by the call that has made it, and by the frames inside.
        nonmutating set { state.pointee.frame = newValue.map { Unmanaged.passUnretained($0).toOpaque() } }
    }

    /// Runs a hook of a bus; returns false if the thread is inside of that very hook already.
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

/// What a bus tells its user of, besides events.
enum BusHook {
    case failure
    case undelivered
    case tap
}

/// A hook that a thread is inside of.
private final class HookFrame {
    let hook: BusHook
    let bus: ObjectIdentifier
    let outer: HookFrame?

    init(hook: BusHook, bus: ObjectIdentifier, outer: HookFrame?) {
        (self.hook, self.bus, self.outer) = (hook, bus, outer)
    }
}
