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

    /// Enters a hook; false if the thread is inside of one.
    func enterHook() -> Bool {
        guard state.pointee.hooks == 0 else { return false }
        state.pointee.hooks = 1
        return true
    }

    func leaveHook() { state.pointee.hooks = 0 }
}
