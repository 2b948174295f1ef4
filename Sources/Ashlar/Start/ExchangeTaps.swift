internal import AshlarCore
package import AshlarNetworking

/// The handlers of the measurements of an app's exchanges, which come and go while the app runs.
///
/// Without a handler, exchanges aren't measured.
package final class ExchangeTaps: Sendable {
    private let handlers = Mutex<[Int: @Sendable (NetworkEvent) -> Void]>([:])

    init() {}

    /// Adds a handler; returns its number.
    package func add(_ handler: @escaping @Sendable (NetworkEvent) -> Void) -> Int {
        handlers.withLock { handlers in
            let number = (handlers.keys.max() ?? 0) + 1
            handlers[number] = handler
            return number
        }
    }

    /// Removes a handler.
    package func remove(_ number: Int) {
        let removed = handlers.withLock { $0.removeValue(forKey: number) }
        // The handler is released without the lock.
        _ = consume removed
    }

    /// An observer that passes measurements to the handlers.
    var observer: NetworkObserver {
        NetworkObserver(
            observesExchangesWhile: { [self] in handlers.withLock { !$0.isEmpty } },
            { [self] event in
                guard event.kind == .measured else { return }
                for handler in handlers.withLock({ Array($0.values) }) { handler(event) }
            })
    }
}
