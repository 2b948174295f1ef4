import AshlarCore
import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Testing

@testable import AshlarWebSockets

/// WebSockets over tasks that exchange whole messages, as sessions of Apple systems do.
@Suite(.timeLimit(.minutes(2))) struct TaskConnectionTests {
    /// A task whose handlers a test calls.
    final class FakeTask: WebSocketTask {
        struct State {
            var receivers: [@Sendable (Result<WebSocketMessage, NetworkError>) -> Void] = []
            var sent: [WebSocketMessage] = []
            var senders: [@Sendable (NetworkError?) -> Void] = []
            var pings: [@Sendable (NetworkError?) -> Void] = []
            var calls: [String] = []
        }
        let state = Locked(State())

        func receive(_ handler: @escaping @Sendable (Result<WebSocketMessage, NetworkError>) -> Void) {
            state.withLock { $0.receivers.append(handler) }
        }
        func send(_ message: WebSocketMessage, _ handler: @escaping @Sendable (NetworkError?) -> Void) {
            state.withLock { state in
                state.sent.append(message)
                state.senders.append(handler)
            }
        }
        func ping(_ handler: @escaping @Sendable (NetworkError?) -> Void) {
            state.withLock { $0.pings.append(handler) }
        }
        func close(_ code: WebSocketCloseCode, _ reason: String) {
            state.withLock { $0.calls.append("close \(code) \(reason)") }
        }
        func cancel() { state.withLock { $0.calls.append("cancel") } }

        var calls: [String] { state.withLock { $0.calls } }

        /// Answers the only waiting receive, as soon as there is one.
        func deliver(_ result: Result<WebSocketMessage, NetworkError>) async throws {
            try await until { state.withLock { !$0.receivers.isEmpty } }
            #expect(state.withLock { $0.receivers.count } == 1, "one receive at a time")
            state.withLock { $0.receivers.removeFirst() }(result)
        }
    }

    private let task = FakeTask()
    private let clock = ManualClock()
    private let lost = NetworkError(.connectionLost, "socket is not connected", phase: .receive)

    private func connection(limit: Int = 1000) -> TaskConnection { TaskConnection(task, limit: limit, clock: clock) }

    private func next(_ connection: TaskConnection) async -> Result<WebSocketEvent, NetworkError> {
        await outcome { () async throws(NetworkError) in try await connection.next() }
    }

    @Test("A message is requested only when an event is awaited, and one at a time")
    func demand() async throws {
        let connection = connection()
        #expect(task.state.withLock { $0.receivers.isEmpty })
        for number in 0..<3 {
            let event = Pending { await next(connection) }
            try await task.deliver(.success(.text("\(number)")))
            #expect(try await event.value().get() == .message(.text("\(number)")))
            #expect(task.state.withLock { $0.receivers.isEmpty })
        }
        connection.sendPing([7])
        let pong = Pending { await next(connection) }
        try await until { task.state.withLock { $0.receivers.count == 1 } }
        task.state.withLock { $0.pings.removeFirst() }(nil)
        #expect(try await pong.value().get() == .pong([7]))
        // The receive from before still waits.
        let event = Pending { await next(connection) }
        try await task.deliver(.success(.binary([1])))
        #expect(try await event.value().get() == .message(.binary([1])))
    }

    @Test("Messages before the server's close frame are delivered, also if the close frame is reported first")
    func closeAfterMessages() async throws {
        let connection = connection()
        connection.closed(.goingAway, "bye")
        connection.ended(nil)
        for number in 0..<3 {
            let event = Pending { await next(connection) }
            try await task.deliver(.success(.text("\(number)")))
            #expect(try await event.value().get() == .message(.text("\(number)")))
        }
        let event = Pending { await next(connection) }
        try await task.deliver(.failure(lost))
        #expect(try await event.value().get() == .close(.goingAway, "bye"))
        #expect(await next(connection).failure?.code == .connectionLost)
    }

    @Test(
        "A close frame that is reported after the failure replaces it; without one, the failure is thrown a second later"
    )
    func closeAfterFailure() async throws {
        for isClosed in [true, false] {
            let connection = connection()
            let event = Pending { await next(connection) }
            try await task.deliver(.failure(lost))
            if isClosed {
                connection.closed(nil, "")
                #expect(try await event.value().get() == .close(nil, ""))
            } else {
                try await clock.elapse(TaskConnection.closingTime)
                #expect(try await event.value().failure?.code == .connectionLost)
            }
        }
    }

    @Test("A close frame is delivered even if the task never answers the waiting receive")
    func silentTask() async throws {
        let connection = connection()
        let event = Pending { await next(connection) }
        try await until { task.state.withLock { $0.receivers.count == 1 } }
        connection.closed(.normal, "")
        try await clock.elapse(TaskConnection.closingTime)
        #expect(try await event.value().get() == .close(.normal, ""))
    }

    @Test("A message over the limit ends the connection with 1009, by its size or by the task's error")
    func limit() async throws {
        let tooLong = NetworkError(.bodyTooLarge, "message too long", phase: .receive)
        for result: Result<WebSocketMessage, NetworkError> in [.success(.text("12345")), .failure(tooLong)] {
            let task = FakeTask()
            let connection = TaskConnection(task, limit: 4, clock: clock)
            let event = Pending { await next(connection) }
            try await task.deliver(result)
            let failure = try await event.value().failure
            #expect(failure?.code == .bodyTooLarge && failure?.limit == 4)
            #expect(task.calls == ["close 1009 a message is longer than 4 bytes"])
        }
    }

    @Test("Sending waits while 256 KiB are unsent, can be cancelled, and fails at the end")
    func sending() async throws {
        let connection = connection()
        let message = WebSocketMessage.binary([UInt8](repeating: 1, count: 200_000))
        func send() -> Pending<NetworkError.Code?> {
            Pending {
                await outcome { () async throws(NetworkError) in try await connection.send(message) }.failure?.code
            }
        }
        #expect(try await send().value() == nil)
        #expect(try await send().value() == nil)
        let cancelled = send()
        cancelled.cancel()
        #expect(try await cancelled.value() == .cancelled)
        let waiting = send()
        task.state.withLock { $0.senders.removeFirst() }(nil)
        #expect(try await waiting.value() == nil)
        #expect(task.state.withLock { $0.sent.count } == 3)
        let last = send()
        connection.ended(lost)
        #expect(try await last.value() == .connectionLost)
        #expect(task.state.withLock { $0.sent.count } == 3)
    }

    @Test("The handshake returns the response, or fails with the task, at the timeout and when it is cancelled")
    func handshake() async throws {
        func head(_ connection: TaskConnection) -> Pending<Result<ResponseHead, NetworkError>> {
            Pending {
                await outcome { () async throws(NetworkError) in try await connection.head(timeout: .seconds(9)) }
            }
        }
        for status in [101, 403] {
            let connection = connection()
            let task = head(connection)
            connection.received(ResponseHead(status: status))
            connection.received(ResponseHead(status: 500))
            connection.ended(status == 101 ? nil : lost)
            #expect(try await task.value().get().status == status)
            #expect(connection.isOpen == (status == 101))
        }
        let failed = connection()
        let failing = head(failed)
        failed.ended(lost)
        #expect(try await failing.value().failure?.code == .connectionLost)
        try await until { clock.pauses.isEmpty }
        let slow = head(connection())
        try await clock.elapse(.seconds(9))
        #expect(try await slow.value().failure?.code == .timedOut)
        let cancelled = head(connection())
        try await until { clock.pauses == [.seconds(9)] }
        cancelled.cancel()
        #expect(try await cancelled.value().failure?.code == .cancelled)
        #expect(task.calls == ["cancel", "cancel"])
        try await until { clock.pauses.isEmpty }
    }

    @Test("A whole conversation works over the channel, and closing shortens a long reason")
    func conversation() async throws {
        let connection = connection()
        var options = WebSocketOptions()
        options.pingInterval = nil
        let channel = WebSocketChannel(connection, options, clock: clock)
        channel.start()
        try await channel.send(.text("hello"))
        #expect(task.state.withLock { $0.sent } == [.text("hello")])
        try await task.deliver(.success(.text("hi")))
        #expect(try await channel.receive() == .text("hi"))
        let pinged = Pending { await outcome { () async throws(NetworkError) in try await channel.ping() } }
        try await until { task.state.withLock { $0.pings.count == 1 } }
        task.state.withLock { $0.pings.removeFirst() }(nil)
        try await pinged.value().get()
        let closed = Pending { await channel.close(.normal, String(repeating: "é", count: 100)) }
        try await until { !task.calls.isEmpty }
        #expect(task.calls == ["close 1000 " + String(repeating: "é", count: 61)])
        connection.closed(.normal, "")
        try await task.deliver(.failure(lost))
        try await closed.value()
        #expect(try await channel.receive() == nil)
    }

    @Test("64 unread messages stop the receiving")
    func backPressure() async throws {
        var options = WebSocketOptions()
        options.pingInterval = nil
        let channel = WebSocketChannel(connection(), options, clock: clock)
        channel.start()
        for number in 0..<64 { try await task.deliver(.success(.text("\(number)"))) }
        try await until { channel.state.withLock { $0.room != nil } }
        #expect(task.state.withLock { $0.receivers.isEmpty })
        #expect(try await channel.receive() == .text("0"))
        try await until { task.state.withLock { $0.receivers.count == 1 } }
        channel.abort()
        #expect(task.calls == ["cancel"])
    }
}
