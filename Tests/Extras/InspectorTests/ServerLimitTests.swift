import AshlarCore
import AshlarTestSupport
import Testing

@testable import AshlarInspector

/// The limits of the server: its connections, and the time of a request.
@Suite(.timeLimit(.minutes(2)))
struct ServerLimitTests {
    private static let request = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    /// Less than the 20 seconds after which the server closes any silent connection.
    private static let patience = Duration.seconds(10)

    @Test("The server has 32 connections at once; a further one is closed without a response")
    func connections() async throws {
        let end = Promise<Void>()
        let server = try InspectorServer(port: 0) { _ in
            let hasBegun = Locked(false)
            return InspectorResponse(
                200, type: "text/plain",
                body: .stream {
                    let isFirst = hasBegun.withLock { value in
                        defer { value = true }
                        return !value
                    }
                    if isFirst { return Array("begun".utf8) }
                    _ = await end.value()
                    return nil
                })
        }
        func connected() throws -> RawClient {
            let client = try RawClient(port: server.port)
            client.send(Self.request)
            return client
        }
        var clients: [RawClient] = []
        for _ in 0..<InspectorServer.connectionLimit {
            let client = try connected()
            var text = ""
            while !text.hasSuffix("begun"), let more = await client.receive(), !more.isEmpty { text += more }
            #expect(text.hasPrefix("HTTP/1.1 200") && text.hasSuffix("begun"))
            clients.append(client)
        }
        #expect(clients.count == 32)
        for _ in 0..<3 { #expect(try await connected().receive() == "") }
        // A connection that ends makes room for another one.
        end.fulfill(())
        for client in clients { #expect(await client.rest() == "") }
        clients = []
        try await until("another connection is served") {
            try await connected().receive()?.hasPrefix("HTTP/1.1 200") == true
        }
        await server.stop()
    }

    @Test("A connection without a request is closed after the time of a request")
    func silence() async throws {
        let server = try InspectorServer(port: 0, requestLimit: .milliseconds(200)) { _ in
            InspectorResponse(200, type: "text/plain", body: .bytes([]))
        }
        for text in ["", "GET / HTTP/1.1\r\n", "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nabc"] {
            let client = try RawClient(port: server.port, patience: Self.patience)
            client.send(text)
            #expect(await client.receive() == "", "\(text)")
        }
        // A request that arrives in time is answered.
        let client = try RawClient(port: server.port)
        client.send(Self.request)
        #expect(await client.rest().hasPrefix("HTTP/1.1 200"))
        await server.stop()
    }

    @Test("The time of a request doesn't begin again with each of its pieces")
    func pieces() async throws {
        // The server looks at the clock when a connection begins, and before it waits for bytes.
        let start = ContinuousClock.now
        let looks = Locked(0)
        let lateLook = 3
        let server = try InspectorServer(
            port: 0,
            now: {
                let look = looks.withLock { looks in
                    looks += 1
                    return looks
                }
                return look < lateLook ? start : start + InspectorServer.requestLimit
            },
            handler: { _ in InspectorResponse(200, type: "text/plain", body: .bytes([])) })
        let client = try RawClient(port: server.port, patience: Self.patience)
        client.send("GET / HTTP/1.1\r\n")
        #expect(await client.receive() == "" && looks.withLock { $0 } == lateLook)
        await server.stop()
    }
}
