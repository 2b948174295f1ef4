/// A stand-in for Core's mutex, because the standard library of the 32-bit program has neither threads nor locks.
package struct Mutex<Value: ~Copyable>: ~Copyable {
    nonisolated(unsafe) private var value: UnsafeMutablePointer<Value>

    package init(_ initialValue: consuming sending Value) {
        value = .allocate(capacity: 1)
        value.initialize(to: initialValue)
    }

    deinit {
        value.deinitialize(count: 1)
        value.deallocate()
    }

    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try body(&value.pointee)
    }
}

// Unchecked because the program has one thread.
extension Mutex: @unchecked Sendable where Value: ~Copyable {}
