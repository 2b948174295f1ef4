import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarWebSockets

#if os(Linux)
    /// WebSockets that replace each other.
    @Suite(.timeLimit(.minutes(5))) struct WebSocketReconnectTests {
        @Test("A failed WebSocket is replaced after growing delays, until it is closed normally")
        func reconnecting() async throws {
            let opened = Locked(0)
            let server = try webSocketServer { connection in
                let number = opened.withLock { opened in
                    opened += 1
                    return opened
                }
                // The third one receives a message, so that the delays start over; the fifth one ends normally.
                if number == 3 { connection.write(webSocketFrame(0x81, "hello")) }
                if number == 5 { connection.write(WebSocketFrameTests.frame(0x88, [3, 0xE8])) }
                connection.finish()
            }
            let client = try TransportKind.curl.client()
            let clock = ManualClock(advancesItself: true)
            var texts: [WebSocketMessage] = []
            for try await socket in client.webSockets(try client.request(.get, server.url), clock: clock) {
                do { for try await message in socket { texts.append(message) } } catch {
                    #expect(error.code == .connectionLost)
                }
            }
            #expect(opened.withLock { $0 } == 5)
            #expect(texts == [.text("hello")])
            let pauses = clock.slept
            let bounds: [Duration] = [.seconds(1), .seconds(2), .seconds(1), .seconds(2)]
            #expect(zip(pauses, bounds).allSatisfy { $0 <= $1 }, "\(pauses)")
            #expect(pauses.count == bounds.count)
        }

        @Test("A refusal that another attempt can't repair ends the sequence, and so does the limit of attempts")
        func givingUp() async throws {
            let statuses = Locked([503, 503, 403])
            let server = try FaultServer(answering: { _ in
                answer(statuses.withLock { $0.isEmpty ? 503 : $0.removeFirst() })
            })
            let client = try TransportKind.curl.client()
            let request = try client.request(.get, server.url)
            let clock = ManualClock(advancesItself: true)
            var sockets = client.webSockets(request, clock: clock).makeAsyncIterator()
            do {
                _ = try await sockets.next()
                Issue.record("expected a failure")
            } catch {
                #expect(error.status == 403)
            }
            #expect(clock.slept.count == 2)
            #expect(try await sockets.next() == nil)
            var reconnect = WebSocketReconnect()
            reconnect.attempts = 4
            var limited = client.webSockets(request, reconnect: reconnect, clock: clock).makeAsyncIterator()
            do {
                _ = try await limited.next()
                Issue.record("expected a failure")
            } catch {
                #expect(error.status == 503)
            }
            #expect(clock.slept.count == 5)
        }

        @Test("A server that rejects each WebSocket uses up the attempts, also if it greets", arguments: [true, false])
        func closing(isGreeted: Bool) async throws {
            let opened = Locked(0)
            let server = try webSocketServer { connection in
                opened.withLock { $0 += 1 }
                if isGreeted { connection.write(WebSocketFrameTests.frame(0x81, [0x68, 0x69])) }
                connection.write(WebSocketFrameTests.frame(0x88, [3, 0xF0]))  // 1008
                connection.finish()
            }
            let client = try TransportKind.curl.client()
            var reconnect = WebSocketReconnect()
            reconnect.attempts = 3
            let clock = ManualClock(advancesItself: true)
            let request = try client.request(.get, server.url)
            let result = await outcome { () async throws(NetworkError) in
                for try await socket in client.webSockets(request, reconnect: reconnect, clock: clock) {
                    do throws(NetworkError) { for try await _ in socket {} } catch {}
                    if opened.withLock({ $0 }) > 5 { return }
                }
            }
            #expect(result.failure?.code == .webSocketClosed, "\(result)")
            #expect(opened.withLock { $0 } == 3)
        }
    }
#endif
