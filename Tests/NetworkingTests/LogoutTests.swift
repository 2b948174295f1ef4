import AshlarNetworking
import Testing

@Suite(.timeLimit(.minutes(5))) struct LogoutTests {
    @Test("A response to a request that began before a logout stores no cookies, and later ones do")
    func cookies() async throws {
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let (released, release) = AsyncStream.makeStream(of: Void.self)
        let stub = StubTransport { request in
            if request.url.path == "/slow" {
                start.yield()
                for await _ in released { break }
            }
            return StubResponse(headers: ["Set-Cookie": "session=\(request.url.path); Path=/"])
        }
        let jar = CookieJar()
        var configuration = ClientConfiguration()
        configuration.cookies = jar
        let client = NetworkClient(configuration, transport: stub)
        let task = Task { try await client.send(NetworkRequest(.get, "https://h/slow")) }
        for await _ in started { break }
        jar.removeAll()
        release.yield()
        _ = try await task.value
        #expect(jar.cookies.isEmpty)
        _ = try await client.send(NetworkRequest(.get, "https://h/login"))
        #expect(jar.cookies.map(\.value) == ["/login"])
    }
}
