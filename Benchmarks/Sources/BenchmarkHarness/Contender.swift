import CBenchmarkAllocations
import Dispatch

/// One way of doing the work of a row: ours or a peer's.
public struct Contender {
    let name: String
    /// Does the work `n` times; nil where the peer is not on this machine.
    let run: ((_ n: Int) -> Void)?
    let reason: String

    /// A contender whose closure does the work as many times as it is told.
    ///
    /// The loop is the closure's own, so that a call through a closure is not part of what is measured. Add up what
    /// the work yields and give the sum to ``blackHole(_:)`` once at the end.
    public init(_ name: String, _ run: @escaping (_ n: Int) -> Void) {
        (self.name, self.run, reason) = (name, run, "")
    }

    /// A contender whose work is asynchronous; the calling thread waits for each batch.
    public init(async name: String, _ run: @escaping @Sendable (_ n: Int) async -> Void) {
        self.init(name) { n in
            let done = DispatchSemaphore(value: 0)
            Task.detached {
                await run(n)
                done.signal()
            }
            done.wait()
        }
    }

    /// A peer that this machine does not have; its line says why and it counts neither for nor against.
    public static func missing(_ name: String, because reason: String) -> Contender {
        Contender(name: name, reason: reason)
    }

    private init(name: String, reason: String) {
        (self.name, run, self.reason) = (name, nil, reason)
    }
}

/// Keeps the optimizer from removing the work that led to a value.
@inline(never)
public func blackHole<T>(_ value: T) {
    withUnsafePointer(to: value) { benchmark_black_hole($0) }
}

/// Bytes of heap in use now, or nil where they cannot be counted; for rows about memory.
public func liveHeapBytes() -> Int? {
    let bytes = benchmark_live_bytes()
    return bytes < 0 ? nil : Int(bytes)
}
