internal import AshlarCore
import CAshlarEventBus

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Glibc)
    import Glibc
#endif

/// A signal that other processes send to this one, such as SIGTERM.
public struct ProcessSignal: Hashable, Sendable {
    /// The number of the signal on this system, such as 15.
    public let number: Int32

    /// Creates a signal from its number, such as `SIGUSR1`.
    public init(_ number: Int32) { self.number = number }

    /// SIGTERM, with which service managers end a process.
    public static let terminate = ProcessSignal(SIGTERM)
    /// SIGINT, with which a terminal ends a process.
    public static let interrupt = ProcessSignal(SIGINT)
}

/// The subscriptions to signals.
///
/// A signal handler may call only a few functions. It writes the number of the signal to a pipe, which a helper thread
/// reads.
enum ProcessSignals {
    /// The receiver of the first of some signals, or of all of them.
    final class Subscription: Sendable {
        let signals: Set<Int32>
        /// Whether it continues after the first signal.
        let isLasting: Bool
        let receive: @Sendable (ProcessSignal) -> Void

        init(
            _ signals: [ProcessSignal], isLasting: Bool = false, _ receive: @escaping @Sendable (ProcessSignal) -> Void
        ) {
            self.signals = Set(signals.map(\.number))
            self.isLasting = isLasting
            self.receive = receive
        }
    }

    private struct State {
        var subscriptions: [Subscription] = []
        /// The signals whose action this process has replaced.
        var caught: Set<Int32> = []
        var hasReader = false

        /// Restores the actions of the signals that nobody subscribes to.
        mutating func releaseUnused() {
            for signal in caught where !subscriptions.contains(where: { $0.signals.contains(signal) }) {
                ashlar_bus_release_signal(signal)
                caught.remove(signal)
            }
        }
    }

    private static let state = Mutex(State())

    /// Passes the first of the signals to a subscription, on the helper thread, and ends it; passes each to a lasting one.
    ///
    /// Signals without a subscription have their previous actions. After an error, the caller unsubscribes, too: some signals
    /// may already be caught.
    ///
    /// - Throws: ``EventBusError`` with the code `signalsUnavailable`.
    static func subscribe(_ subscription: Subscription) throws(EventBusError) {
        guard !subscription.signals.isEmpty else { return }
        try state.withLock { state throws(EventBusError) in
            try check(ashlar_bus_open_signal_pipe(), subscription)
            if !state.hasReader {
                guard HelperThread.start({ readSignals() }) else { throw unavailable("no thread", subscription) }
                state.hasReader = true
            }
            for signal in subscription.signals.subtracting(state.caught) {
                try check(ashlar_bus_catch_signal(signal), subscription)
                state.caught.insert(signal)
            }
            state.subscriptions.append(subscription)
        }
    }

    /// Ends a subscription, unless a signal has already ended it.
    static func unsubscribe(_ subscription: Subscription) { _ = remove { $0 === subscription } }

    private static func remove(where isChosen: (Subscription) -> Bool) -> [Subscription] {
        state.withLock { state in
            let chosen = state.subscriptions.filter(isChosen)
            state.subscriptions.removeAll(where: isChosen)
            state.releaseUnused()
            return chosen
        }
    }

    private static func readSignals() {
        while true {
            let signal = ashlar_bus_next_signal()
            guard signal > 0 else { return }
            let lasting = state.withLock { state in
                state.subscriptions.filter { $0.isLasting && $0.signals.contains(signal) }
            }
            for subscription in lasting + remove(where: { !$0.isLasting && $0.signals.contains(signal) }) {
                subscription.receive(ProcessSignal(signal))
            }
        }
    }

    private static func check(_ code: Int32, _ subscription: Subscription) throws(EventBusError) {
        if code != 0 { throw unavailable(String(cString: strerror(code)), subscription) }
    }

    private static func unavailable(_ found: String, _ subscription: Subscription) -> EventBusError {
        let signals = subscription.signals.sorted().map { "\($0)" }.joined(separator: ", ")
        return EventBusError(
            .signalsUnavailable, subject: signals, expected: "signals to wait for", found: found)
    }
}

extension EventBusError.Code {
    /// The system can't deliver the signals.
    public static let signalsUnavailable = Self("signalsUnavailable")
}
