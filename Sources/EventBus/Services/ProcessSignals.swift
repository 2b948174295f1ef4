internal import AshlarCore
import CAshlarEventBus

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Glibc)
    import Glibc
#endif

/// The subscriptions to the signals that ask the process to end.
///
/// A signal handler may call only a few functions. It writes the number of the signal to a pipe, which a helper thread
/// reads.
enum ProcessSignals {
    typealias Action = @Sendable (Int32) -> Void

    /// The signals that ask a process to end.
    private static let signals = [SIGTERM, SIGINT]

    private struct State {
        var subscribers: [UInt64: Action] = [:]
        var lastID: UInt64 = 0
        var hasReader = false

        /// Releases the signals if there is no subscriber.
        func releaseIfUnused() {
            if subscribers.isEmpty { for signal in signals { ashlar_bus_release_signal(signal) } }
        }
    }

    private static let state = Mutex(State())

    /// Runs an action at the first signal, on the helper thread, and restores the previous actions of the signals.
    ///
    /// - Throws: ``EventBusError`` with the code `signalsUnavailable`.
    static func subscribe(_ action: @escaping Action) throws(EventBusError) -> UInt64 {
        try state.withLock { state throws(EventBusError) in
            try check(ashlar_bus_open_signal_pipe())
            if !state.hasReader {
                guard HelperThread.start({ readSignals() }) else { throw unavailable("no thread") }
                state.hasReader = true
            }
            if state.subscribers.isEmpty {
                do throws(EventBusError) {
                    for signal in signals { try check(ashlar_bus_catch_signal(signal)) }
                } catch {
                    state.releaseIfUnused()
                    throw error
                }
            }
            state.lastID += 1
            state.subscribers[state.lastID] = action
            return state.lastID
        }
    }

    /// Ends a subscription; returns whether no signal has arrived.
    @discardableResult
    static func unsubscribe(_ id: UInt64) -> Bool {
        let action = state.withLock { state in
            defer { state.releaseIfUnused() }
            return state.subscribers.removeValue(forKey: id)
        }
        return action != nil
    }

    private static func readSignals() {
        while true {
            let signal = ashlar_bus_next_signal()
            guard signal > 0 else { return }
            let actions = state.withLock { state in
                defer {
                    state.subscribers = [:]
                    state.releaseIfUnused()
                }
                return state.subscribers.sorted { $0.key < $1.key }.map(\.value)
            }
            for action in actions { action(signal) }
        }
    }

    private static func check(_ code: Int32) throws(EventBusError) {
        if code != 0 { throw unavailable(String(cString: strerror(code))) }
    }

    private static func unavailable(_ found: String) -> EventBusError {
        EventBusError(.signalsUnavailable, subject: "SIGTERM, SIGINT", expected: "signals to wait for", found: found)
    }
}

extension EventBusError.Code {
    /// The system can't deliver signals.
    public static let signalsUnavailable = Self("signalsUnavailable")
}
