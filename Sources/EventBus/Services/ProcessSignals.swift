internal import AshlarCore
import CAshlarEventBus

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Glibc)
    import Glibc
#endif

/// The subscriptions to signals of the process.
///
/// A signal handler may call only a few functions. It writes the number of the signal to a pipe, which a helper thread
/// reads.
enum ProcessSignals {
    typealias Action = @Sendable (Int32) -> Void

    /// The signals that ask a process to end.
    static let ofTermination = [SIGTERM, SIGINT]

    private struct State {
        var subscribers: [UInt64: (signals: [Int32], action: Action)] = [:]
        var lastID: UInt64 = 0
        var hasReader = false

        func isWanted(_ signal: Int32) -> Bool { subscribers.values.contains { $0.signals.contains(signal) } }

        /// Removes a subscriber and releases the signals without other subscribers.
        mutating func remove(_ id: UInt64) -> Action? {
            guard let (signals, action) = subscribers.removeValue(forKey: id) else { return nil }
            for signal in signals where !isWanted(signal) { ashlar_bus_release_signal(signal) }
            return action
        }
    }

    private static let state = Mutex(State())

    /// Runs an action at the first of several signals, on the helper thread, and restores their previous actions.
    ///
    /// - Throws: ``EventBusError`` with the code `signalsUnavailable`.
    static func subscribe(_ signals: [Int32], _ action: @escaping Action) throws(EventBusError) -> UInt64 {
        try state.withLock { state throws(EventBusError) in
            try check(ashlar_bus_open_signal_pipe())
            if !state.hasReader {
                guard HelperThread.start({ readSignals() }) else { throw unavailable("no thread") }
                state.hasReader = true
            }
            var caught: [Int32] = []
            do throws(EventBusError) {
                for signal in signals where !state.isWanted(signal) {
                    try check(ashlar_bus_catch_signal(signal))
                    caught.append(signal)
                }
            } catch {
                for signal in caught { ashlar_bus_release_signal(signal) }
                throw error
            }
            state.lastID += 1
            state.subscribers[state.lastID] = (signals, action)
            return state.lastID
        }
    }

    /// Ends a subscription; returns whether no signal has arrived.
    @discardableResult
    static func unsubscribe(_ id: UInt64) -> Bool {
        let action = state.withLock { $0.remove(id) }
        return action != nil
    }

    private static func readSignals() {
        while true {
            let signal = ashlar_bus_next_signal()
            guard signal > 0 else { return }
            let actions = state.withLock { state in
                let ids = state.subscribers.filter { $0.value.signals.contains(signal) }.keys.sorted()
                return ids.compactMap { state.remove($0) }
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
