import AshlarNetworking
import AshlarTestSupport
import Foundation
import Testing

/// Cookies in a file, and their index by domain.
@Suite(.timeLimit(.minutes(2))) struct CookieFileTests {
    private static let now = 1_700_000_000

    private func temporaryFile() -> String { NSTemporaryDirectory() + "net-cookies-\(UUID()).json" }

    private static func jar(_ path: String) throws -> CookieJar { try CookieJar(file: path, clock: { now }) }

    @Test("Cookies with an end survive the jar; those of the session and expired ones don't")
    func survival() throws {
        let path = temporaryFile()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let url = try HTTPURL("https://api.example.com/a/b")
        var jar: CookieJar? = try Self.jar(path)
        jar?.store(
            [
                "Set-Cookie": "a=1; Max-Age=60; Path=/a; Secure; HttpOnly", "set-cookie": "s=2; Path=/",
                "Set-cookie": "d=\"3 \u{e4}\"; Max-Age=60; Domain=example.com; Path=/",
            ], from: url)
        let cookies = jar?.cookies.filter { $0.expires != nil }
        #expect(cookies?.count == 2 && jar?.header(for: url) == "a=1; s=2; d=\"3 \u{e4}\"")
        // Releasing the jar writes it.
        jar = nil
        let again = try Self.jar(path)
        #expect(again.cookies == cookies && again.header(for: url) == "a=1; d=\"3 \u{e4}\"")
        #expect(try CookieJar(file: path, clock: { Self.now + 60 }).cookies.isEmpty)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect((attributes[.posixPermissions] as? Int) == 0o600)
        again.removeAll()
        try again.save()
        #expect(try Self.jar(path).cookies.isEmpty)
    }

    @Test("A change reaches the file soon, without being asked")
    func soon() async throws {
        let path = temporaryFile()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let jar = try Self.jar(path)
        var cookie = NetworkCookie("a", "1", host: "h")
        cookie.expires = Self.now + 60
        jar.set(cookie)
        try await until { (try? Self.jar(path))?.cookies == [cookie] }
    }

    @Test(
        "A file that isn't a jar's is an error that names it, and remains",
        arguments: ["", "{}", "[1", "{\"cookies\": 1}"])
    func damaged(text: String) throws {
        let path = temporaryFile()
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let error = #expect(throws: NetworkError.self) { try Self.jar(path) }
        #expect(error?.file == path)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(text.utf8))
        let unwritable = try CookieJar(file: "/nonexistent/c.json")
        unwritable.set(NetworkCookie("a", "1", host: "h"))
        let folder = #expect(throws: NetworkError.self) { try unwritable.save() }
        #expect(folder?.code == .fileFailed)
    }

    @Test("A jar without changes doesn't replace the file that another one has written")
    func unchanged() throws {
        let path = temporaryFile()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let (reader, writer) = (try Self.jar(path), try Self.jar(path))
        var cookie = NetworkCookie("a", "1", host: "h")
        cookie.expires = Self.now + 60
        writer.set(cookie)
        try writer.save()
        try reader.save()
        #expect(try Self.jar(path).cookies == [cookie])
    }

    @Test("The index by domain finds what a search through all cookies finds")
    func index() throws {
        var random = SeededRandom(seed: 7)
        let hosts = ["a.example", "b.a.example", "c.b.a.example", "example", "b.example", "127.0.0.1", "[::1]"]
        let jar = CookieJar(clock: { Self.now })
        var model: [NetworkCookie] = []
        for step in 0..<4000 {
            var cookie = NetworkCookie(
                "n\(Int.random(in: 0..<4, using: &random))", "\(step)", host: hosts.randomElement(using: &random)!)
            cookie.path = ["/", "/a", "/a/b"].randomElement(using: &random)!
            cookie.isHostOnly = Bool.random(using: &random)
            cookie.isSecure = Bool.random(using: &random)
            cookie.expires = [nil, Self.now + 1, Self.now].randomElement(using: &random)!
            jar.set(cookie)
            let place = model.firstIndex {
                $0.name == cookie.name && $0.domain == cookie.domain && $0.path == cookie.path
            }
            if cookie.expires == Self.now {
                if let place { model.remove(at: place) }
            } else if let place {
                model[place] = cookie
            } else {
                model.append(cookie)
            }
            let url = try HTTPURL(
                "\(["http", "https"].randomElement(using: &random)!)://\(hosts.randomElement(using: &random)!)/a/b/c")
            let expected = model.enumerated().filter { $0.element.matches(url) }
                .sorted { ($1.element.path.count, $0.offset) < ($0.element.path.count, $1.offset) }
                .map { "\($0.element.name)=\($0.element.value)" }.joined(separator: "; ")
            #expect(jar.header(for: url) ?? "" == expected, "step \(step)")
            #expect(jar.cookies == model)
        }
    }

    @Test("There are at most 50 cookies of one domain and 3,000 in total, and the oldest go first")
    func limits() {
        let jar = CookieJar(clock: { Self.now })
        for number in 0..<60 { jar.set(NetworkCookie("n\(number)", "", host: "h")) }
        #expect(jar.cookies.map(\.name) == (10..<60).map { "n\($0)" })
        for number in 0..<3000 { jar.set(NetworkCookie("m", "", host: "h\(number)")) }
        #expect(jar.cookies.count == 3000 && jar.cookies.first?.domain == "h0")
    }

    #if os(Linux)
        @Test("A jar that is killed while it writes leaves the old cookies or the new ones")
        func killed() async throws {
            let path = temporaryFile()
            defer { try? FileManager.default.removeItem(atPath: path) }
            let isLong = ProcessInfo.processInfo.environment["ASHLAR_SOAK"] == "1"
            for _ in 0..<(isLong ? 200 : 5) {
                await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
                    let jar = try CookieJar(file: path, clock: { CookieFileTests.now })
                    Thread.detachNewThread {
                        usleep(.random(in: 1_000...30_000))
                        kill(getpid(), SIGKILL)
                    }
                    for number in 0..<1_000_000 {
                        for name in ["a", "b"] {
                            var cookie = NetworkCookie(name, "\(number)", host: "h")
                            cookie.expires = CookieFileTests.now + 60
                            jar.set(cookie)
                        }
                        try jar.save()
                    }
                }
                let cookies = try Self.jar(path).cookies
                #expect(cookies.count <= 2 && cookies.allSatisfy { Int($0.value) != nil && $0.domain == "h" })
            }
        }
    #endif
}
