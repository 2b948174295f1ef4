import CAshlarEventBus
import Synchronization

/// The state of the calling thread: its running triggers and hooks.
///
/// A value is used only on its own thread, within one synchronous call.
struct BusThread {
    /// The kinds of running code.
    enum Kind: UInt32 {
        case trigger
        case failureHook
        case undeliveredHook
    }

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

    /// Whether the thread is inside no trigger and no hook.
    var isIdle: Bool { state.pointee.frame == nil }

    /// Returns the depth of the thread's running triggers of a bus, even with triggers of other buses between them.
    func depth(onBus bus: UInt32) -> UInt32 { frame(.trigger, ofBus: bus)?.pointee.depth ?? 0 }

    /// Returns whether another trigger would exceed the limit, or could overflow the stack.
    func isFull(depth: UInt32, limit: Int) -> Bool { depth >= limit || ashlar_bus_stack_is_low(state) != 0 }

    private func frame(_ kind: Kind, ofBus bus: UInt32) -> UnsafePointer<ashlar_bus_frame>? {
        var frame = state.pointee.frame
        while let candidate = frame, candidate.pointee.kind != kind.rawValue || candidate.pointee.bus != bus {
            frame = candidate.pointee.outer
        }
        return frame
    }

    /// Runs code as part of a trigger of a bus, at a depth from 1, or of one of its hooks.
    func run<Result>(_ kind: Kind = .trigger, ofBus bus: UInt32, depth: UInt32 = 0, _ body: () -> Result) -> Result {
        // The frame is on the stack, and outlives all inner ones.
        var frame = ashlar_bus_frame(bus: bus, depth: depth, kind: kind.rawValue, outer: state.pointee.frame)
        return withUnsafePointer(to: &frame) { pointer in
            state.pointee.frame = pointer
            defer { state.pointee.frame = pointer.pointee.outer }
            return body()
        }
    }

    /// Runs a hook of a bus, unless the thread is already inside the same hook.
    func runHook(_ hook: Kind, ofBus bus: UInt32, _ body: () -> Void) {
        if frame(hook, ofBus: bus) == nil { run(hook, ofBus: bus, depth: 0, body) }
    }
}
