import AshlarEventBus
import AshlarTestSupport
import Foundation
import Testing

private struct Everything: Codable, Sendable, Equatable {
    var id: UUID
    var at: Date
    var text: String
    var path: [String]
    var link: URL?
    var links: [URL]?
    var dates: [Date]?
    var tags: [String]?
    var number: Double?
    var count: Int?
    var list: [Int]
}

private enum Page: Codable, Sendable, Equatable {
    case new
    case note(id: String, edit: Bool?)
    case file(path: [String])
    case day(date: Date, link: URL?)
    case text(path: String)
}

@Suite("Round trips of typed routes")
struct TypedRouteRoundTripTests {
    private static let pieces = [
        "a", "/", "%", "%2F", " ", "+", ".", "..", "&", "=", "#", "?", "\u{e9}", "e\u{301}", "",
    ]

    private func text(_ random: inout SeededRandom) -> String {
        (0..<Int.random(in: 0...3, using: &random)).map { _ in Self.pieces.randomElement(using: &random) ?? "" }
            .joined()
    }

    private func texts(_ random: inout SeededRandom) -> [String] {
        (0..<Int.random(in: 0...3, using: &random)).map { _ in text(&random) }
    }

    private func date(_ random: inout SeededRandom) -> Date {
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            Date(timeIntervalSinceReferenceDate: Double(Int.random(in: -2_000_000_000...2_000_000_000, using: &random)))
        case 1: Date(timeIntervalSinceReferenceDate: .random(in: -1...1, using: &random))
        default: Date(timeIntervalSinceReferenceDate: .random(in: -1e10...1e12, using: &random))
        }
    }

    private func url(_ random: inout SeededRandom) -> URL? {
        URL(
            string: ["https://example.org/a%2Fb?c=d&e#f", "mailto:a@b.c", "/x y", "a/b", "#"].randomElement(
                using: &random) ?? "")
    }

    private func optional<T>(_ value: T, _ random: inout SeededRandom) -> T? {
        Bool.random(using: &random) ? value : nil
    }

    @Test("Random values come back from their URLs, or the URL isn't built", arguments: 0..<4)
    func random(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let route = try TypedRoute<Everything>("/x/:id(uuid)/:at/:text/*path")
        var built = 0
        let rounds = soak ? 25_000 : 500
        for round in 0..<rounds {
            let value = Everything(
                id: UUID(), at: date(&random), text: text(&random), path: texts(&random),
                link: optional(url(&random), &random) ?? nil,
                links: optional((0..<2).compactMap { _ in url(&random) }, &random),
                dates: optional([date(&random)], &random), tags: optional(texts(&random), &random),
                number: optional(.random(in: -1e9...1e9, using: &random), &random),
                count: optional(.random(in: .min ... .max, using: &random), &random),
                list: (0..<Int.random(in: 0...2, using: &random)).map { $0 })
            guard let url = try? route.path(value) else { continue }
            built += 1
            #expect(try route.value(url) == value, "seed \(seed), round \(round): \(url)")
        }
        #expect(built > rounds / 10)
    }

    @Test("Random cases come back as the same case, or the URL isn't built", arguments: 0..<4)
    func cases(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let route = try TypedRoute<Page>(cases: [
            "new": "/notes/new", "note": "/notes/:id", "file": "/files/*path", "day": "/days/:date",
            "text": "/text/*path",
        ])
        var built = 0
        let rounds = soak ? 25_000 : 500
        for _ in 0..<rounds {
            let page: Page =
                switch Int.random(in: 0..<5, using: &random) {
                case 0: .new
                case 1: .note(id: Bool.random(using: &random) ? "new" : text(&random), edit: optional(true, &random))
                case 2: .file(path: texts(&random))
                case 3: .day(date: date(&random), link: url(&random))
                default: .text(path: text(&random))
                }
            guard let url = try? route.path(page) else { continue }
            built += 1
            #expect(try route.value(url) == page, "seed \(seed): \(url)")
        }
        #expect(built > rounds / 3)
    }

    @Test("A slash in a segment of a list is encoded, and a list that would be lost is refused")
    func lists() throws {
        let files = try TypedRoute<Page>(cases: ["file": "/files/*path", "text": "/text/*path"])
        #expect(try files.path(.file(path: ["a/b", "c"])) == "/files/a%2Fb/c")
        #expect(try files.value("/files/a%2Fb/c") == .file(path: ["a/b", "c"]))
        #expect(try files.path(.text(path: "a/b/c")) == "/text/a/b/c")
        struct Search: Codable, Sendable { var tags: [String] }
        let search = try TypedRoute<Search>("/search")
        for tags in [[], ["a"], ["", ""]] {
            let url = try? search.path(Search(tags: tags))
            #expect((url == nil) == tags.isEmpty)
            if let url { #expect(try search.value(url).tags == tags) }
        }
    }

    @Test("A value that another case matches is refused")
    func shadowed() throws {
        let route = try TypedRoute<Page>(cases: ["new": "/notes/new", "note": "/notes/:id"])
        let error = #expect(throws: EventBusError.self) { try route.path(.note(id: "new", edit: nil)) }
        #expect(error?.found == "/notes/new")
    }

    @Test(
        "Foundation's types have readable forms",
        arguments: [
            (0.0, "2001-01-01T00:00:00Z"), (0.5, "2001-01-01T00:00:00.500Z"), (-1, "2000-12-31T23:59:59Z"),
            (785_164_378.25, "2025-11-18T13:12:58.250Z"), (1e17, "1e+17"), (1e-12, "1e-12"),
        ])
    func dates(seconds: Double, text: String) throws {
        struct Day: Codable, Sendable { var at: Date, id: UUID, link: URL }
        let route = try TypedRoute<Day>("/days/:at/:id(uuid)")
        let id = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
        let link = try #require(URL(string: "https://example.org/a?b=c"))
        let url = try route.path(Day(at: Date(timeIntervalSinceReferenceDate: seconds), id: id, link: link))
        #expect(
            url
                == "/days/\(text.replacing(":", with: "%3A").replacing("+", with: "%2B"))/\(id)?link=https%3A%2F%2Fexample.org%2Fa%3Fb%3Dc"
                || url.hasPrefix("/days/\(text)/\(id)?link=https"))
        #expect(try route.value(url).at.timeIntervalSinceReferenceDate == seconds)
        #expect(
            try route.value("/days/2025-11-18T14:12:58.25+01:00/\(id.uuidString.lowercased())?link=x").at
                .timeIntervalSinceReferenceDate == 785_164_378.25)
    }

    @Test("A redirect preserves the slashes inside segments")
    func redirect() async throws {
        let router = Router(bus: EventBus())
        let seen = Recorder<[String]>()
        try router.route("/new/*path") { seen.note($0.parameters.segments(of: "path") ?? []) }
        try router.redirect("/old/*path", to: "/new/*path")
        try await router.navigate(to: "/old/a%2Fb/c")
        #expect(seen.items == [["a/b", "c"]])
    }
}
