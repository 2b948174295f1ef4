import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarNetworking

/// Files of the client in a folder that another user can write to.
@Suite(.enabled(if: OtherUser.isAvailable), .timeLimit(.minutes(5))) struct SharedFolderTests {
    typealias Plant = OtherUser.Plant
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder([:]) }

    private func mode(_ name: String) -> mode_t? {
        var info = stat()
        return lstat(folder.file(name), &info) == 0 ? info.st_mode & 0o777 : nil
    }

    @Test(
        "Cookies that another user planted aren't loaded, and none are written to their file", arguments: Plant.allCases
    )
    func cookies(plant: Plant) throws {
        let good = folder.file("good")
        do {
            let jar = try CookieJar(file: good)
            var cookie = NetworkCookie("session", "secret", host: "api.example.com")
            cookie.expires = 4_000_000_000
            jar.set(cookie)
            try jar.save()
        }
        #expect(mode("good") == 0o600)
        let content = try String(contentsOfFile: good, encoding: .utf8)
        let path = folder.file("cookies")
        let victim = try OtherUser.plant(plant, at: path, content: content)
        #expect(throws: NetworkError.self) { try CookieJar(file: path) }
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == content)
        // A file that is planted while a jar is in use.
        let late = folder.file("late")
        let jar = try CookieJar(file: late)
        let other = try OtherUser.plant(plant, at: late, content: "")
        jar.set(NetworkCookie("a", "b", host: "api.example.com"))
        #expect(throws: NetworkError.self) { try jar.save() }
        #expect(try String(contentsOfFile: other, encoding: .utf8) == "")
    }

    @Test(
        "A selection that another user planted isn't used, and none is written to their file", arguments: Plant.allCases
    )
    func choices(plant: Plant) throws {
        let good = folder.file("good")
        try HostSwitch(try exampleMap(), store: .file(good)).select("DEV", for: "httpbin.org")
        #expect(mode("good") == 0o600)
        let content = try String(contentsOfFile: good, encoding: .utf8)
        let path = folder.file("choices")
        let victim = try OtherUser.plant(plant, at: path, content: content)
        let hosts = HostSwitch(try exampleMap(), store: .file(path))
        #expect(hosts.resolve("httpbin.org") == nil && hosts.warnings.count == 1)
        #expect(throws: NetworkError.self) { try hosts.select("DEV", for: "httpbin.org") }
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == content)
    }

    @Test(
        "A response that another user planted in the cache isn't used, and their file isn't changed",
        arguments: Plant.allCases)
    func cache(plant: Plant) async throws {
        let names = ["cache", "copy"]
        func client(_ name: String, _ body: [UInt8]) throws -> NetworkClient {
            var configuration = ClientConfiguration()
            configuration.cache = try .directory(folder.file(name))
            return NetworkClient(
                configuration,
                transport: StubTransport { _ in StubResponse(headers: ["Cache-Control": "max-age=60"], chunks: [body]) }
            )
        }
        let request = try NetworkRequest(.get, "https://h/")
        for name in names { _ = try await client(name, [1]).send(request) }
        let file = try #require(try FileManager.default.contentsOfDirectory(atPath: folder.file("cache")).first)
        #expect(mode("cache") == 0o700 && mode("cache/" + file) == 0o600)
        #expect(try await client("cache", [2]).send(request).bytes == [1], "the copy is used while it is the program's")
        let path = folder.file("cache/" + file)
        let content = try Data(contentsOf: URL(fileURLWithPath: path))
        try FileManager.default.removeItem(atPath: path)
        let victim = try OtherUser.plant(plant, at: path, content: "")
        if plant != .pipe { try content.write(to: URL(fileURLWithPath: victim)) }
        let before = victim == path ? Data() : try Data(contentsOf: URL(fileURLWithPath: victim))
        #expect(try await client("cache", [2]).send(request).bytes == [2])
        if victim != path { #expect(try Data(contentsOf: URL(fileURLWithPath: victim)) == before) }
    }

    @Test("A download isn't written to what another user planted, and is private", arguments: Plant.allCases)
    func downloads(plant: Plant) async throws {
        let stub = StubTransport { _ in StubResponse(headers: ["ETag": "\"1\""], chunks: [[1, 2, 3]]) }
        let client = NetworkClient(ClientConfiguration(), transport: stub)
        let request = try NetworkRequest(.get, "https://h/")
        let old = umask(0)
        defer { umask(old) }
        try await client.download(request, to: folder.file("good"))
        #expect(mode("good") == 0o600)
        let victim = try OtherUser.plant(plant, at: folder.file("a.partial"), content: "old")
        await #expect(throws: NetworkError.self) { try await client.download(request, to: folder.file("a")) }
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == "old")
        // A partial download of another process isn't continued.
        try Data([9]).write(to: URL(fileURLWithPath: folder.file("b.partial")))
        try await client.download(request, to: folder.file("b"))
        #expect(stub.requests.last?.headers.contains("Range") == false)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file("b"))) == Data([1, 2, 3]))
    }
}
