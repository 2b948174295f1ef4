import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Foundation
import Testing

/// Seeded random input for the parsers: no trap, and accepted input reads back unchanged.
@Suite(.timeLimit(.minutes(5))) struct ParserFuzzTests {
    private static let rounds = ProcessInfo.processInfo.environment["ASHLAR_SOAK"] == "1" ? 2_000_000 : 20_000

    private static let scraps = [
        "http://", "https://", "a.example", "127.0.0.1", "[::1]", "[", "]", ":", "80", "99999", "/", "..", ".", "%",
        "%2e", "%2F",
        "?", "#", "@", "\\", " ", "\t", "\r\n", "\0", "ü", "x", "=", "&", ";", "//", "\u{7F}", "\"",
    ]

    private func text(_ random: inout SeededRandom) -> String {
        (0..<Int.random(in: 0...9, using: &random)).map { _ in Self.scraps.randomElement(using: &random) ?? "" }
            .joined()
    }

    @Test("A URL is rejected, or parsed again unchanged, without bytes that could split a request")
    func urls() {
        var random = SeededRandom(seed: 11)
        var accepted = 0
        for _ in 0..<Self.rounds {
            let text = (Bool.random(using: &random) ? "http://" : "") + text(&random)
            guard let url = try? HTTPURL(text) else { continue }
            accepted += 1
            let sent = url.requestText
            let isClean = sent.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x5C }
            let again = try? HTTPURL(sent)
            if !isClean || again?.requestText != sent || again?.host != url.host {
                Issue.record("\(text.debugDescription)")
            }
        }
        #expect(accepted > Self.rounds / 100)
    }

    @Test("For any Location, the next request is well-formed and on http(s)")
    func locations() async throws {
        var random = SeededRandom(seed: 12)
        var followed = 0
        for _ in 0..<(Self.rounds / 20) {
            let location = text(&random)
            let stub = StubTransport { request in
                request.url.path == "/start/here" && request.url.query == "q"
                    ? .redirect(302, to: location) : .status(200)
            }
            let client = NetworkClient(transport: stub)
            let request = try client.request(.get, "https://a.example/start/here?q")
            _ = await outcome { () async throws(NetworkError) in try await client.send(request) }
            for sent in stub.requests.dropFirst() {
                followed += 1
                let isClean = sent.url.requestText.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x5C }
                let hasDots = sent.url.path.split(separator: "/").contains { $0 == "." || $0 == ".." }
                if !isClean || hasDots || sent.url.scheme != .https { Issue.record("\(location.debugDescription)") }
            }
        }
        #expect(followed > 20)
    }

    @Test("Cookies and paths accept any text without a trap")
    func cookiesAndPaths() throws {
        var random = SeededRandom(seed: 13)
        let jar = CookieJar(clock: { 1_700_000_000 })
        let url = try HTTPURL("https://www.a.example/x")
        let words = [
            "a=b", "Expires=", "Wed, 21 Oct 2015 07:28:00 GMT", "99:99:99", "Max-Age=", "-1", "99999999999999999999",
            "Domain=", "Path=",
        ]
        for _ in 0..<(Self.rounds / 10) {
            var parts: [String] = []
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                parts.append((words.randomElement(using: &random) ?? "") + text(&random))
            }
            jar.store(HTTPHeaders([HTTPField("Set-Cookie", parts.joined(separator: ";"))]), from: url)
            if let header = jar.header(for: url), header.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 }) {
                Issue.record("\(parts)")
            }
            let value = text(&random)
            let path: EndpointPath = "a/\(value)/b"
            if path.description.split(separator: "/", omittingEmptySubsequences: false).count != 3 {
                Issue.record("\(value)")
            }
        }
    }
}
