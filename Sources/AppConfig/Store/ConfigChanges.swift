internal import AshlarCore

/// The values of a key over time: the current one, then each newer value that differs.
///
/// A slow consumer skips to the newest value. Values are compared as the key's type, so a file that writes `30` as a string
/// instead of a number changes nothing. The sequence ends when the task is cancelled. Iterators are independent.
public struct ConfigChanges<Value: Equatable & Sendable>: AsyncSequence, Sendable {
    /// The values of the sequence.
    public typealias Element = Value

    let store: ConfigStore
    let read: @Sendable (ApplicationConfig) -> Value

    /// Begins to listen.
    public func makeAsyncIterator() -> Iterator { Iterator(store: store, read: read) }

    /// Gives the values to one consumer.
    public struct Iterator: AsyncIteratorProtocol {
        private let store: ConfigStore
        private let read: @Sendable (ApplicationConfig) -> Value
        private var signals: AsyncStream<Void>.Iterator
        private var last: Value?

        init(store: ConfigStore, read: @escaping @Sendable (ApplicationConfig) -> Value) {
            self.store = store
            self.read = read
            // The signal says only that there is something new; what it is, is read from the store.
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            let number = store.addListener { continuation.yield() }
            continuation.onTermination = { [weak store] _ in store?.removeListener(number) }
            signals = stream.makeAsyncIterator()
        }

        /// The next value, `nil` once the task is cancelled.
        public mutating func next() async -> Value? {
            while true {
                if Task.isCancelled { return nil }
                let value = read(store.current)
                if last != value {
                    last = value
                    return value
                }
                guard await signals.next() != nil else { return nil }
            }
        }

        /// The next value, `nil` once the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(Never) -> Value? {
            while true {
                if Task.isCancelled { return nil }
                let value = read(store.current)
                if last != value {
                    last = value
                    return value
                }
                guard await signals.next(isolation: actor) != nil else { return nil }
            }
        }
    }
}

extension ConfigStore {
    /// The values of a key over time, the current one first.
    public func changes<Value: Equatable>(of key: ConfigKey<Value>) -> ConfigChanges<Value> {
        ConfigChanges(store: self) { $0[key] }
    }

    /// The values at a path over time, the current one first.
    public func changes(of path: ConfigPath) -> ConfigChanges<ConfigValue?> {
        ConfigChanges(store: self) { $0[path] }
    }

    /// The configurations over time, the current one first.
    public func changes() -> ConfigChanges<ApplicationConfig> { ConfigChanges(store: self) { $0 } }

    /// The reloads from now on that changed a value or failed.
    ///
    /// Up to 64 events wait for a slow consumer; then the oldest are dropped.
    public func events() -> AsyncStream<ConfigStoreEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ConfigStoreEvent.self, bufferingPolicy: .bufferingNewest(64))
        let number = state.withLock { state in
            state.nextNumber += 1
            state.observers[state.nextNumber] = { continuation.yield($0) }
            return state.nextNumber
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.observers.removeValue(forKey: number) }
        }
        return stream
    }
}
