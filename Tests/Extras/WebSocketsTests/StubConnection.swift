import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport

@testable import AshlarWebSockets

/// A WebSocket's connection whose events a test provides, and which records what is sent.
final class StubConnection: WebSocketConnection {
    enum Sent: Hashable {
        case message(WebSocketMessage)
        case ping([UInt8])
        case close(WebSocketCloseCode?, String)
        case end(afterSending: Bool)
    }

    private struct State {
        var events: [Result<WebSocketEvent, NetworkError>] = []
        var waiter: CheckedContinuation<Void, Never>?
        var sent: [Sent] = []
    }

    private let state = Locked(State())

    /// The events that the channel hasn't asked for.
    var pending: Int { state.withLock { $0.events.count } }
    var sent: [Sent] { state.withLock { $0.sent } }
    /// Whether the channel waits for an event.
    var isAsked: Bool { state.withLock { $0.waiter != nil } }

    func push(_ events: WebSocketEvent...) { push(events.map { .success($0) }) }

    func fail(_ error: NetworkError) { push([.failure(error)]) }

    private func push(_ events: [Result<WebSocketEvent, NetworkError>]) {
        let waiter = state.withLock { state in
            state.events += events
            return state.waiter.take()
        }
        waiter?.resume()
    }

    func next() async throws(NetworkError) -> WebSocketEvent {
        while true {
            let event = state.withLock { $0.events.isEmpty ? nil : $0.events.removeFirst() }
            if let event { return try event.get() }
            await withCheckedContinuation { continuation in
                let goesOn = state.withLock { state in
                    if state.events.isEmpty { state.waiter = continuation }
                    return !state.events.isEmpty
                }
                if goesOn { continuation.resume() }
            }
        }
    }

    func send(_ message: WebSocketMessage) async throws(NetworkError) {
        state.withLock { $0.sent.append(.message(message)) }
    }

    func sendPing(_ payload: [UInt8]) { state.withLock { $0.sent.append(.ping(payload)) } }
    func sendClose(_ code: WebSocketCloseCode?, _ reason: String) {
        state.withLock { $0.sent.append(.close(code, reason)) }
    }

    func end(afterSending: Bool) {
        state.withLock { $0.sent.append(.end(afterSending: afterSending)) }
        fail(NetworkError(.connectionLost, "ended", phase: .receive))
    }
}
