import AshlarCore

/// A value protected by a lock, which closures can share.
public final class Locked<Value>: Sendable {
    private let value: Mutex<Value>

    /// Creates a lock around a value.
    public init(_ value: sending Value) { self.value = Mutex(value) }

    /// Runs the body with exclusive access to the value.
    public func withLock<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try value.withLock(body)
    }
}
