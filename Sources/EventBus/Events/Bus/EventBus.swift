internal import AshlarCore
import Synchronization

/// Delivers events to watchers, by name, by type, by source object, or by pattern.
///
/// A handler runs inside `trigger`, on the thread of the caller, unless its watch specifies another delivery. Handlers
/// of one event run in the order of their priority, then of their registration. A bus is thread-safe and holds no lock
/// while it runs your code.
///
/// ```swift
/// let bus = EventBus()
/// let watch = bus.watch("network:on") { signal in print(signal.name, signal.payload) }
/// bus.trigger("network:on", ["host": "example.org"])
/// watch.cancel()
/// ```
///
/// Only the bus retains its watchers. When the bus is released, its watches end.
public final class EventBus: WatcherHome, Sendable {
    /// The bus that the whole app shares.
    public static let shared = EventBus()

    let depthLimit: Int
    let delivery: EventDelivery
    let state = Mutex(BusState())
    /// The triggers of a bus that delivers on the main actor only.
    let mainQueue = SerialRunner(onMain: true)
    /// The observers of the first and the last watch of a topic or pattern.
    let interest = InterestObservers()

    private static let numbers = Atomic<UInt32>(0)
    /// The number of the bus in this process.
    let number = EventBus.numbers.add(1, ordering: .relaxed).newValue

    /// Creates a bus.
    ///
    /// - Parameters:
    ///   - depthLimit: The maximum number of nested triggers on one thread, 1 to 1,000. A deeper trigger is refused: no
    ///     watcher receives the event, and the result and the failure hook contain the error.
    ///   - delivery: Whether handlers run inside `trigger`, or always later on the main actor.
    public init(depthLimit: Int = 64, delivery: EventDelivery = .inline) {
        precondition(1...1000 ~= depthLimit, "EventBus needs a depth limit of 1 to 1000, not \(depthLimit)")
        self.depthLimit = depthLimit
        self.delivery = delivery
    }

    deinit {
        for handler in state.withLock({ $0.handlers }) where handler.watcher.markCancelled() { handler.didCancel() }
    }

    /// All watches, in any order.
    ///
    /// - Complexity: O(*n*) in the number of watches and names.
    var allWatchers: [Watcher] { state.withLock { $0.handlers }.map(\.watcher) }

    /// Whether anything is watched or intercepted, or undelivered events are reported.
    var isHeard: Bool { delivery == .queuedOnMain || state.withLock { $0.isHeard } }

    /// Ends a watch; returns whether this call ended it.
    func cancel(_ watcher: Watcher) -> Bool {
        guard watcher.markCancelled() else { return false }
        // The handler is released outside the mutex.
        state.withLock { $0.remove(watcher) }?.didCancel()
        interest.check(watcher.watched)
        return true
    }

    // MARK: Hooks

    /// Sets the hook called for every failure: an error of a handler, or a refused trigger.
    ///
    /// The hook runs on the thread of the trigger or of the delivery. A failure inside the hook isn't reported again. The
    /// hook replaces an earlier one; nil removes it.
    public func onFailure(_ hook: (@Sendable (EventFailure) throws -> Void)?) {
        // The replaced hook is released outside the mutex.
        _ = state.withLock { state in
            defer { state.failureHook = hook }
            return state.failureHook
        }
    }

    /// Sets the hook called for every undelivered event.
    ///
    /// Events that the hook triggers aren't reported to it. The hook replaces an earlier one; nil removes it.
    public func onUndelivered(_ hook: (@Sendable (Signal<any Sendable>) -> Void)?) {
        _ = state.withLock { state in
            defer { state.undeliveredHook = hook }
            return state.undeliveredHook
        }
    }

    /// Reports a failure to the hook.
    func report(_ error: any Error, _ name: String, sequence: UInt64 = 0, at location: EventLocation? = nil) {
        guard let hook = state.withLock({ $0.failureHook }) else { return }
        let failure = EventFailure(error: error, name: name, sequence: sequence, location: location)
        BusThread.current.runHook(.failureHook, ofBus: number) { try? hook(failure) }
    }

    /// Reports the error of an event that isn't delivered, and returns its result.
    func refuse(_ error: EventBusError) -> DeliveryResult {
        report(error, error.subject)
        return DeliveryResult().adding(failures: [error])
    }
}

/// When the handlers of a bus run.
public enum EventDelivery: Hashable, Sendable {
    /// Inside `trigger`, unless a watch specifies another delivery.
    case inline
    /// Later, on the main actor, in the order of the triggers, as in iStructure.
    case queuedOnMain
}
