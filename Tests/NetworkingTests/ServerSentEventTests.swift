import AshlarNetworkingTestSupport
import AshlarTestSupport
import Testing

@testable import AshlarNetworking

/// Server-sent events: the grammar, and reconnections on a virtual clock.
@Suite(.timeLimit(.minutes(2))) struct ServerSentEventTests {
    private typealias Event = ServerSentEvent

    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let text: String
        let events: [ServerSentEvent]
        var lastID = ""
        var retry: Duration?

        init(_ name: String, _ text: String, _ events: [ServerSentEvent], lastID: String = "", retry: Duration? = nil) {
            (testDescription, self.text, self.events, self.lastID, self.retry) = (name, text, events, lastID, retry)
        }
    }

    private static let cases: [Case] = [
        Case("a message", "data: hello\n\n", [Event(data: "hello")]),
        Case("two messages", "data: a\n\ndata: b\n\n", [Event(data: "a"), Event(data: "b")]),
        Case("two lines of data", "data: YHOO\ndata: +2\ndata: 10\n\n", [Event(data: "YHOO\n+2\n10")]),
        Case("a type", "event: add\ndata: 7\n\ndata: 8\n\n", [Event(type: "add", data: "7"), Event(data: "8")]),
        Case("an empty type", "event: add\nevent\ndata: 7\n\n", [Event(data: "7")]),
        Case("CR LF", "data: a\r\ndata: b\r\n\r\n", [Event(data: "a\nb")]),
        Case("CR", "data: a\rdata: b\r\r", [Event(data: "a\nb")]),
        Case("LF and CR mixed", "data: a\n\rdata: b\n\r", [Event(data: "a"), Event(data: "b")]),
        Case("a comment", ": nothing\ndata: a\n:\n\n", [Event(data: "a")]),
        Case("only comments", ":\n\n:\n\n", []),
        Case("one space removed", "data:  a\n\ndata:b\n\n", [Event(data: " a"), Event(data: "b")]),
        Case("a colon in the data", "data: a: b\n\n", [Event(data: "a: b")]),
        Case("empty data", "data\n\ndata:\n\n", [Event(data: ""), Event(data: "")]),
        Case("two empty lines of data", "data\ndata\n\n", [Event(data: "\n")]),
        Case("an incomplete event", "data: a\n\ndata: b\n", [Event(data: "a")]),
        Case("a type without data", "event: add\n\ndata: a\n\n", [Event(data: "a")]),
        Case(
            "an identifier", "id: 7\ndata: a\n\ndata: b\n\n", [Event(data: "a", id: "7"), Event(data: "b", id: "7")],
            lastID: "7"),
        Case("an identifier without data", "id: 7\n\n", [], lastID: "7"),
        Case(
            "an empty identifier", "id: 7\ndata: a\n\nid\ndata: b\n\n", [Event(data: "a", id: "7"), Event(data: "b")]),
        Case("an identifier with NUL", "id: 7\n\nid: 8\u{0}\ndata: a\n\n", [Event(data: "a", id: "7")], lastID: "7"),
        Case("an incomplete identifier", "id: 7\ndata: a\n", []),
        Case("a pause", "retry: 1500\n\n", [], retry: .milliseconds(1500)),
        Case("a malformed pause", "retry: 1.5\n\nretry: -1\n\nretry:\n\n", []),
        Case("an endless pause", "retry: 99999999999999\n\n", [], retry: .seconds(86_400)),
        Case("unknown fields", "Data: a\ndata : b\nfoo: c\n\n", []),
        Case("a byte-order mark", "\u{FEFF}data: a\n\n\u{FEFF}data: b\n\n", [Event(data: "a")]),
        Case("UTF-8", "event: ü\ndata: €\n\n", [Event(type: "ü", data: "€")]),
    ]

    @Test("WHATWG's grammar is parsed in pieces of any length", arguments: cases, [1, 2, 3, 1000])
    func grammar(input: Case, length: Int) throws {
        var parser = EventStreamParser()
        var events: [ServerSentEvent] = []
        let bytes = Array(input.text.utf8)
        for start in stride(from: 0, to: bytes.count, by: length) {
            parser.append(Array(bytes[start..<min(start + length, bytes.count)]))
            while let event = try parser.next() { events.append(event) }
        }
        #expect(events == input.events)
        #expect(parser.lastID == input.lastID && parser.retry == input.retry)
    }

    @Test("An event of more than 1 MiB is rejected, with any line endings")
    func limit() {
        let line = Array(("data: " + String(repeating: "a", count: 999) + "\n").utf8)
        var parser = EventStreamParser()
        let error = #expect(throws: NetworkError.self) {
            for _ in 0..<2000 {
                parser.append(line)
                while try parser.next() != nil {}
            }
        }
        #expect(error?.code == .bodyTooLarge && error?.limit == 1 << 20)
    }

    /// Returns responses in order; the last one repeats.
    private func client(_ answers: [StubResponse]) -> (NetworkClient, StubTransport) {
        let count = Mutex(0)
        let stub = StubTransport { _ in
            count.withLock { count in
                defer { count += 1 }
                return answers[min(count, answers.count - 1)]
            }
        }
        return (NetworkClient(transport: stub), stub)
    }

    private func stream(_ text: String, failing code: NetworkError.Code? = nil) -> StubResponse {
        var response = StubResponse(
            headers: ["Content-Type": "Text/Event-Stream; charset=utf-8"], chunks: [Array(text.utf8)])
        response.bodyFailure = code.map { NetworkError($0, phase: .receive) }
        return response
    }

    private func collect(
        _ client: NetworkClient, _ clock: ManualClock
    ) async -> (events: [ServerSentEvent], error: NetworkError?) {
        var events: [ServerSentEvent] = []
        do throws(NetworkError) {
            let request = try NetworkRequest(.get, "http://a/events")
            for try await event in client.events(request, clock: clock) { events.append(event) }
            return (events, nil)
        } catch {
            return (events, error)
        }
    }

    @Test("A stream reconnects after its end and after a lost connection with the last identifier, until status 204")
    func reconnects() async {
        let (client, stub) = client([
            stream("id: 1\ndata: a\n\ndata: half"), stream("retry: 10\nid: 2\ndata: b\n\n", failing: .truncated),
            .status(503), .status(503), stream("data: c\n\n"), .status(204),
        ])
        let clock = ManualClock(advancesItself: true)
        let result = await collect(client, clock)
        #expect(result.events == [Event(data: "a", id: "1"), Event(data: "b", id: "2"), Event(data: "c", id: "2")])
        #expect(result.error == nil)
        // Full jitter, in addition to the server's delay of 10 ms.
        let ranges: [ClosedRange<Int>] = [0...3000, 10...110, 10...210, 10...410, 10...110]
        #expect(clock.slept.count == ranges.count)
        for (pause, range) in zip(clock.slept, ranges) {
            #expect((.milliseconds(range.lowerBound)...(.milliseconds(range.upperBound))).contains(pause))
        }
        #expect(stub.requests.map { $0.headers["Last-Event-ID"] } == [nil, "1", "2", "2", "2", "2"])
        #expect(stub.requests.allSatisfy { $0.headers["Accept"] == "text/event-stream" })
        #expect(stub.requests.allSatisfy { $0.options.totalTimeout == nil })
        #expect(stub.requests.allSatisfy { $0.headers["Cache-Control"] == "no-store" })
    }

    @Test("A server that asks for no pause isn't called in a loop while it is down")
    func noPause() async {
        let failures = [StubResponse](repeating: .status(503), count: 40)
        let (client, _) = client([stream("retry: 0\ndata: a\n\n")] + failures + [.status(204)])
        let clock = ManualClock(advancesItself: true)
        #expect(await collect(client, clock).error == nil)
        #expect(clock.slept.reduce(.zero, +) > .seconds(5))
    }

    @Test(
        "An identifier is sent as UTF-8; one that is empty or can't be sent is omitted",
        arguments: [
            ("7", "7"), ("", nil), ("é日", "\u{C3}\u{A9}\u{E6}\u{97}\u{A5}"), (" a b ", "a b"), ("a\u{1}", nil),
        ])
    func identifiers(id: String, sent: String?) async {
        let (client, stub) = client([stream("id: 1\ndata: a\n\nid:\(id)\ndata: b\n\n"), .status(204)])
        let result = await collect(client, ManualClock(advancesItself: true))
        #expect(result.error == nil && result.events.map(\.data) == ["a", "b"])
        #expect(stub.requests.map { $0.headers["Last-Event-ID"] } == [nil, sent])
    }

    @Test("A POST is sent once, whether its stream ends or breaks, unless the caller asks for more")
    func posts() async throws {
        for failure in [nil, NetworkError.Code.truncated] {
            let (client, stub) = client([stream("data: a\n\n", failing: failure)])
            var events: [ServerSentEvent] = []
            let request = try NetworkRequest(.post, "http://a/model", body: .text("question"))
            let result = await outcome { () async throws(NetworkError) in
                for try await event in client.events(request) { events.append(event) }
            }
            #expect(events == [Event(data: "a")])
            #expect(result.failure?.code == failure)
            #expect(stub.requests.count == 1)
        }
        let (client, stub) = client([stream("data: a\n\n"), .status(204)])
        let clock = ManualClock(advancesItself: true)
        let request = try NetworkRequest(.post, "http://a/model")
        for try await event in client.events(request, reconnects: true, clock: clock) { #expect(event.data == "a") }
        #expect(stub.requests.count == 2)
    }

    @Test("A status other than 200 ends the stream", arguments: [201, 204, 205, 210, 299])
    func endingStatuses(status: Int) async {
        var answer = stream("data: b\n\n")
        answer.head.status = status
        let (client, stub) = client([stream("data: a\n\n"), answer])
        let result = await collect(client, ManualClock(advancesItself: true))
        #expect(result.events == [Event(data: "a")] && result.error == nil)
        #expect(stub.requests.count == 2)
    }

    @Test("The events of one body are read without another request")
    func bodies() async throws {
        let (client, stub) = client([stream("id: 1\ndata: a\n\ndata: b\n\ndata: half")])
        let response = try await client.stream(NetworkRequest(.post, "http://a/"))
        var events: [ServerSentEvent] = []
        for try await event in response.body.events() { events.append(event) }
        #expect(events == [Event(data: "a", id: "1"), Event(data: "b", id: "1")])
        #expect(stub.requests.count == 1)
    }

    @Test("A failure that another attempt can't repair ends the stream", arguments: [401, 404, 200])
    func fails(status: Int) async {
        let (client, stub) = client([StubResponse(status: status, headers: ["Content-Type": "text/html"])])
        let result = await collect(client, ManualClock(advancesItself: true))
        #expect(result.error?.code == (status == 200 ? .badResponse : .unacceptableStatus))
        #expect(stub.requests.count == 1)
    }

    @Test("The events before one that is too long are received, and then the failure")
    func eventsBeforeFailure() async {
        let (client, stub) = client([stream("id: 1\ndata: a\n\ndata: " + String(repeating: "a", count: 1 << 20))])
        let result = await collect(client, ManualClock(advancesItself: true))
        #expect(result.events == [Event(data: "a", id: "1")])
        #expect(result.error?.code == .bodyTooLarge && stub.requests.count == 1)
    }

    @Test("Cancelling the task ends the stream")
    func cancelled() async {
        let (client, _) = client([.status(503)])
        let task = Task {
            var iterator = client.events(try NetworkRequest(.get, "http://a/")).makeAsyncIterator()
            return try await iterator.next()
        }
        task.cancel()
        let error = await #expect(throws: NetworkError.self) { try await task.value }
        #expect(error?.code == .cancelled)
    }

    #if os(Linux)
        @Test("Events arrive over a socket while the stream is open")
        func overSockets() async throws {
            let server = try FaultServer { connection in
                guard let request = connection.request() else { return }
                if request["Last-Event-ID"] == "2" {
                    connection.write("HTTP/1.1 204 Done\r\n\r\n")
                    return connection.finish()
                }
                connection.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nretry: 1\n\n")
                for number in 1...2 {
                    connection.write("id: \(number)\ndata: \(request["Last-Event-ID"] ?? "none") \(number)\n\n")
                    connection.pause(0.02)
                }
                connection.finish()
            }
            let client = try TransportKind.curl.client()
            var data: [String] = []
            for try await event in client.events(try client.request(.get, server.url)) { data.append(event.data) }
            #expect(data == ["none 1", "none 2"])
        }
    #endif
}
