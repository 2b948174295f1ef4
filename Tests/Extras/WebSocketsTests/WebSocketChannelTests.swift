import AshlarCore
import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Testing

@testable import AshlarWebSockets

/// The state of a WebSocket, over a connection without a network and with a clock that the test moves.
@Suite(.timeLimit(.minutes(2))) struct WebSocketChannelTests {
    private let connection = StubConnection()
    private let clock = ManualClock()

    private func channel(_ change: (inout WebSocketOptions) -> Void = { _ in }) -> WebSocketChannel {
        var options = WebSocketOptions()
        options.pingInterval = nil
        change(&options)
        let channel = WebSocketChannel(connection, options, clock: clock)
        channel.start()
        return channel
    }

    private func receive(_ channel: WebSocketChannel) async -> Result<WebSocketMessage?, NetworkError> {
        await outcome { () async throws(NetworkError) in try await channel.receive() }
    }

    private func waitsForRoom(_ channel: WebSocketChannel) async throws {
        try await until { channel.state.withLock { $0.room != nil } }
    }

    @Test("64 messages are read ahead, then one for each that is received")
    func readAhead() async throws {
        let channel = channel()
        for number in 0..<200 { connection.push(.message(.text("\(number)"))) }
        try await waitsForRoom(channel)
        #expect(connection.pending == 136)
        for number in 0..<50 {
            #expect(try await receive(channel).get() == .text("\(number)"))
            try await waitsForRoom(channel)
            #expect(connection.pending == 135 - number)
        }
        channel.abort()
    }

    @Test(
        "256 KiB are read ahead, or one message that is longer", arguments: [(100_000, 3), (600_000, 1), (1 << 18, 1)])
    func readAheadBytes(size: Int, count: Int) async throws {
        let channel = channel()
        for _ in 0..<10 { connection.push(.message(.binary([UInt8](repeating: 1, count: size)))) }
        try await waitsForRoom(channel)
        #expect(connection.pending == 10 - count)
        #expect(try await receive(channel).get()?.size == size)
        try await waitsForRoom(channel)
        #expect(connection.pending == 9 - count)
        channel.abort()
    }

    @Test("A cancelled reader loses no message and leaves the WebSocket open")
    func cancelledReader() async throws {
        let channel = channel()
        for _ in 0..<5 {
            let task = Pending { await receive(channel) }
            try await until { channel.state.withLock { $0.receivers.count == 1 } }
            task.cancel()
            #expect(try await task.value().failure?.code == .cancelled)
        }
        let early = Pending { await receive(channel) }
        early.cancel()
        #expect(try await early.value().failure?.code == .cancelled)
        connection.push(.message(.text("0")), .message(.text("1")))
        #expect(try await receive(channel).get() == .text("0"))
        #expect(try await receive(channel).get() == .text("1"))
        channel.abort()
    }

    @Test("Each of many readers receives one message")
    func readers() async throws {
        let channel = channel()
        let tasks = (0..<20).map { _ in Pending { await receive(channel) } }
        try await until { channel.state.withLock { $0.receivers.count == 20 } }
        for number in 0..<20 { connection.push(.message(.text("\(number)"))) }
        var texts: Set<WebSocketMessage?> = []
        for task in tasks { texts.insert(try await task.value().get()) }
        #expect(texts.count == 20)
        channel.abort()
    }

    @Test("A silent connection is probed after an interval and lost after another; anything that arrives prevents it")
    func silence() async throws {
        let interval = Duration.seconds(20)
        let channel = channel { $0.pingInterval = interval }
        try await clock.elapse(interval)
        try await until { connection.sent == [.ping([])] }
        connection.push(.pong([]))
        try await until { connection.isAsked && connection.pending == 0 }
        try await clock.elapse(interval)  // active
        try await clock.elapse(interval)  // silent: a second ping
        try await until { connection.sent == [.ping([]), .ping([])] }
        connection.push(.progress)
        try await until { connection.isAsked && connection.pending == 0 }
        try await clock.elapse(interval)  // active
        try await clock.elapse(interval)  // silent: a third ping
        try await until { connection.sent.count == 3 }
        try await clock.elapse(interval)  // no answer
        #expect(await receive(channel).failure?.code == .timedOut)
        try await until { connection.sent.last == .end(afterSending: false) }
        #expect(clock.pauses.isEmpty)
    }

    @Test("A connection that waits for its reader isn't silent")
    func slowReader() async throws {
        let channel = channel { $0.pingInterval = .seconds(1) }
        for _ in 0..<100 { connection.push(.message(.text("x"))) }
        try await waitsForRoom(channel)
        for _ in 0..<5 { try await clock.elapse(.seconds(1)) }
        try await until { clock.pauses == [.seconds(1)] }
        #expect(connection.sent == [])
        for _ in 0..<100 { #expect(try await receive(channel).get() == .text("x")) }
        channel.abort()
    }

    @Test("A ping returns with its own pong, and fails at the end and when it is cancelled")
    func pings() async throws {
        let channel = channel()
        func ping() -> Pending<NetworkError.Code?> {
            Pending { await outcome { () async throws(NetworkError) in try await channel.ping() }.failure?.code }
        }
        var payloads: [[UInt8]] { connection.sent.compactMap { if case .ping(let bytes) = $0 { bytes } else { nil } } }
        let first = ping()
        try await until { payloads.count == 1 }
        let second = ping()
        try await until { payloads.count == 2 }
        connection.push(.pong([]), .pong([0, 0, 0, 0, 0, 0, 0, 99]), .pong(Array("not mine".utf8)), .pong(payloads[0]))
        #expect(try await first.value() == nil)
        second.cancel()
        #expect(try await second.value() == .cancelled)
        connection.push(.pong(payloads[1]))  // too late
        let third = ping()
        try await until { payloads.count == 3 }
        connection.fail(NetworkError(.connectionLost, "cut", phase: .receive))
        #expect(try await third.value() == .connectionLost)
        #expect(try await ping().value() == .connectionLost)
    }

    @Test("A pong answers the pings before it, too")
    func latestPong() async throws {
        let channel = channel()
        let pings = (0..<3).map { _ in
            Pending { await outcome { () async throws(NetworkError) in try await channel.ping() }.failure?.code }
        }
        try await until { connection.sent.count == 3 }
        connection.push(.pong([0, 0, 0, 0, 0, 0, 0, 3]))
        for ping in pings { #expect(try await ping.value() == nil) }
    }

    @Test("Closing waits for the server's answer, at most for the close timeout, and discards messages")
    func closing() async throws {
        for answers in [true, false] {
            let connection = StubConnection()
            let channel = WebSocketChannel(connection, WebSocketOptions(), clock: clock)
            channel.start()
            let received = Pending { await receive(channel) }
            let first = Pending { await channel.close(.goingAway, "bye") }
            let second = Pending { await channel.close(.normal, "") }
            try await until { clock.pauses.count { $0 == .seconds(5) } == 2 }
            #expect(connection.sent.count { if case .close = $0 { true } else { false } } == 1)
            connection.push(.message(.text("late")))
            if answers {
                connection.push(.close(.goingAway, ""))
            } else {
                try await clock.elapse(.seconds(5))
            }
            _ = try await (first.value(), second.value())
            #expect(try await received.value().get() == nil)
            #expect(try await receive(channel).get() == nil)
            #expect(connection.sent.last == .end(afterSending: answers))
            #expect(channel.closing?.code == (answers ? .goingAway : nil))
            let late = await outcome { () async throws(NetworkError) in try await channel.send(.text("x")) }
            #expect(late.failure?.code == .webSocketClosed)
            await channel.close(.normal, "")
        }
        try await until { !clock.pauses.contains(.seconds(5)) }
    }

    @Test("The server's close is answered with its code, after the messages before it")
    func serverCloses() async throws {
        let channel = channel()
        connection.push(.message(.text("last")), .close(.init(rawValue: 4000), "no"), .message(.text("never")))
        #expect(try await receive(channel).get() == .text("last"))
        let failure = await receive(channel).failure
        #expect(failure?.code == .webSocketClosed && failure?.message.contains("4000: no") == true)
        #expect(connection.sent == [.close(.init(rawValue: 4000), ""), .end(afterSending: true)])
        await channel.close(.normal, "")
        #expect(connection.sent.count == 2)
    }

    @Test("Ending while readers, pings and closing wait resumes all of them, in any order", arguments: 0..<40)
    func ends(seed: UInt64) async throws {
        let channel = channel()
        var tasks: [Pending<Void>] = []
        for number in 0..<12 {
            tasks.append(
                Pending {
                    switch number % 4 {
                    case 0: _ = await receive(channel)
                    case 1: _ = try? await channel.ping()
                    case 2: await channel.close(.normal, "")
                    default: if seed % 2 == 0 { channel.abort() } else { connection.push(.close(.normal, "")) }
                    }
                })
        }
        for task in tasks { try await task.value() }
        // The WebSocket ends normally if a close frame comes before the abort.
        switch await receive(channel) {
        case .success(let message): #expect(message == nil)
        case .failure(let error): #expect(error.code == .webSocketClosed)
        }
        #expect(channel.state.withLock { $0.ended && $0.receivers.isEmpty && $0.pings.isEmpty && $0.room == nil })
    }

    @Test("Releasing a WebSocket ends its connection and its tasks")
    func released() async throws {
        weak var weakChannel: WebSocketChannel?
        do {
            let channel = channel { $0.pingInterval = .seconds(1) }
            weakChannel = channel
            try await until { connection.isAsked && clock.pauses.count == 1 }
            let socket = WebSocket(channel, head: ResponseHead(status: 101), selectedProtocol: nil)
            #expect(socket.closeCode == nil)
        }
        try await until { weakChannel == nil && clock.pauses.isEmpty }
        #expect(connection.sent == [.end(afterSending: false)])
    }
}
