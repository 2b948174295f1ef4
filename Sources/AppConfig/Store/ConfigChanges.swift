internal import AshlarCore

/// The current value of a key, and then each new value that differs.
///
/// A slow consumer receives only the newest value. Values are compared as the key's type, so a file with the string
/// `30` instead of the number isn't a change. The sequence ends when the task is cancelled. Iterators are independent.
public struct ConfigChanges<Value: Equatable & Sendable>: AsyncSequence, Sendable {
    let store: ConfigStore
    let read: @Sendable (ApplicationConfig) -> Value

    /// Starts listening.
    public func makeAsyncIterator() -> Iterator { Iterator(store: store, read: read) }

    /// Returns the values to one consumer.
    public struct Iterator: AsyncIteratorProtocol {
        private let store: ConfigStore
        private let read: @Sendable (ApplicationConfig) -> Value
        private var signals: AsyncStream<Void>.Iterator
        private var last: Value?

        init(store: ConfigStore, read: @escaping @Sendable (ApplicationConfig) -> Value) {
            self.store = store
            self.read = read
            // The signal contains no value; the consumer reads the value from the store.
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            let number = store.addListener { continuation.yield() }
            continuation.onTermination = { [weak store] _ in store?.removeListener(number) }
            signals = stream.makeAsyncIterator()
        }

        /// Returns the next value, or `nil` after the task is cancelled.
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

        /// Returns the next value, or `nil` after the task is cancelled.
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
    /// Returns a sequence of the current value of a key and each new value.
    public func changes<Value: Equatable>(of key: ConfigKey<Value>) -> ConfigChanges<Value> {
        ConfigChanges(store: self) { $0[key] }
    }

    /// Returns a sequence of the current value at a path and each new value.
    public func changes(of path: ConfigPath) -> ConfigChanges<ConfigValue?> {
        ConfigChanges(store: self) { $0[path] }
    }

    /// Returns a sequence of the current configuration and each new one.
    public func changes() -> ConfigChanges<ApplicationConfig> { ConfigChanges(store: self) { $0 } }

    /// Returns a stream of the later reloads that change a value or fail.
    ///
    /// Up to 64 events wait for a slow consumer; then the oldest events are dropped.
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
