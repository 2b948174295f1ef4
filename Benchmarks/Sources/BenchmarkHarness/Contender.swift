import CBenchmarkAllocations
import Dispatch

/// An operation of a row: ours or a peer's.
public struct Contender {
    let name: String
    /// Runs the operation `n` times; nil if the peer isn't installed.
    let run: ((_ n: Int) -> Void)?
    let reason: String

    /// Creates a contender whose closure runs the operation `n` times.
    ///
    /// The closure contains the loop, so the measurement doesn't include a closure call per operation. Accumulate the
    /// results and pass them to ``blackHole(_:)`` once at the end.
    public init(_ name: String, _ run: @escaping (_ n: Int) -> Void) {
        (self.name, self.run, reason) = (name, run, "")
    }

    /// Creates a contender with an asynchronous operation; the calling thread waits for each batch.
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

    /// A peer that isn't installed; its line prints the reason, and its bar isn't evaluated.
    public static func missing(_ name: String, because reason: String) -> Contender {
        Contender(name: name, reason: reason)
    }

    private init(name: String, reason: String) {
        (self.name, run, self.reason) = (name, nil, reason)
    }
}

/// Prevents the optimizer from removing the computation of a value.
@inline(never)
public func blackHole<T>(_ value: T) {
    withUnsafePointer(to: value) { benchmark_black_hole($0) }
}

/// Returns the bytes of heap in use, or nil if the platform can't count them.
public func liveHeapBytes() -> Int? {
    let bytes = benchmark_live_bytes()
    return bytes < 0 ? nil : Int(bytes)
}

/// Returns the number of heap allocations so far, or nil if the platform can't count them.
public func heapAllocations() -> Int? {
    let count = benchmark_allocation_count()
    return count < 0 ? nil : Int(count)
}
