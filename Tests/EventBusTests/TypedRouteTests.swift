import AshlarEventBus
import AshlarTestSupport
import Testing

struct NotePage: Codable, Sendable, Equatable {
    enum Order: String, Codable { case up, down }
    var id: Int
    var page: Int?
    var order: Order?
    var isDraft: Bool?
    var tags: [String]?
    var ratio: Double?
}

enum Place: Codable, Sendable, Equatable {
    case list
    case note(id: Int, edit: Bool?)
    case file(path: [String])
}

struct Tenant: Codable, Sendable, Equatable { var tenant: String, id: UInt8 }

@Suite("Typed routes")
struct TypedRouteTests {
    private static let note = "/notes/:id(int){/:page(int)}"

    @Test(
        "A value survives a round trip",
        arguments: [
            (NotePage(id: 5), "/notes/5"), (NotePage(id: -5, page: 2), "/notes/-5/2"),
            (NotePage(id: 5, order: .up, isDraft: true), "/notes/5?order=up&isDraft=true"),
            (NotePage(id: 5, tags: ["a", "b&c", ""]), "/notes/5?tags=a&tags=b%26c&tags="),
            (NotePage(id: 5, tags: ["one"]), "/notes/5?tags=one"), (NotePage(id: 5, ratio: 0.5), "/notes/5?ratio=0.5"),
            (NotePage(id: .max, ratio: -1e-7), "/notes/9223372036854775807?ratio=-1e-07"),
        ])
    func roundTrip(value: NotePage, path: String) throws {
        let route = try TypedRoute<NotePage>(Self.note)
        #expect(try route.path(value) == path)
        #expect(try route.value(path) == value)
    }

    @Test(
        "A URL whose parts aren't values of the properties is an error that names the part",
        arguments: [
            ("/notes/5?order=sideways", "parameterInvalid", "order"),
            ("/notes/5?isDraft=yes", "parameterInvalid", "isDraft"),
            ("/notes/5?ratio=%2B1", "parameterInvalid", "ratio"),
            ("/notes/5?ratio=1&ratio=2", "parameterInvalid", "ratio"),
            ("/notes/5?ratio=nan", "parameterInvalid", "ratio"), ("/notes/5?ratio=0x10", "parameterInvalid", "ratio"),
            ("/notes/5?order=up&order=down", "parameterInvalid", "order"),
            ("/notes/5?isDraft", "parameterInvalid", "isDraft"),
            ("/notes/x", "routeNotFound", ""), ("/notes/5?a=%", "invalidPercentEncoding", ""),
        ])
    func invalid(url: String, code: String, part: String) throws {
        let route = try TypedRoute<NotePage>(Self.note)
        let error = #expect(throws: EventBusError.self) { try route.value(url) }
        #expect(error?.code.description == code)
        #expect(part.isEmpty || error?.description.contains(part) == true)
    }

    @Test("Unknown query items are ignored, and a missing required one is an error")
    func missing() throws {
        struct Search: Codable, Sendable { var text: String }
        let route = try TypedRoute<Search>("/search")
        #expect(try route.value("/search?utm=1&text=a%20b").text == "a b")
        let error = #expect(throws: EventBusError.self) { try route.value("/search?utm=1") }
        #expect(error?.description.contains("text") == true)
        #expect(try route.path(Search(text: "")) == "/search?text=")
    }

    @Test("A dictionary has all names, and a parameter goes before a query item of its name")
    func dictionaries() throws {
        let texts = try TypedRoute<[String: String]>("/notes/:id")
        #expect(try texts.value("/notes/5?id=6&tag=a%20b") == ["id": "5", "tag": "a b"])
        #expect(throws: EventBusError.self) { try texts.value("/notes/5?tag=a&tag=b") }
        let lists = try TypedRoute<[String: [Int]]>("/files/*path")
        #expect(try lists.value("/files/1/2?n=3&m=4&m=5") == ["path": [1, 2], "n": [3], "m": [4, 5]])
        let error = #expect(throws: EventBusError.self) { try lists.value("/files/1/x") }
        #expect(error?.found?.hasSuffix("found \"x\" at $.path[1]") == true)
    }

    @Test(
        "The cases of an enumeration have their own patterns",
        arguments: [
            (Place.list, "/notes"), (.note(id: 5, edit: nil), "/notes/5"),
            (.note(id: 5, edit: true), "/notes/5?edit=true"),
            (.file(path: ["a", "b c"]), "/files/a/b%20c"),
        ])
    func cases(place: Place, path: String) throws {
        let route = try TypedRoute<Place>(cases: ["list": "/notes", "note": "/notes/:id(int)", "file": "/files/*path"])
        #expect(try route.path(place) == path)
        #expect(try route.value(path) == place)
    }

    @Test("Values that no URL can represent and cases without a pattern are rejected")
    func notCodable() throws {
        struct Deep: Codable, Sendable { var inner: [String: Int] }
        struct Nested: Codable, Sendable { var lists: [[Int]] }
        let code = EventBusError.Code.routeNotCodable
        #expect(
            #expect(throws: EventBusError.self) { try TypedRoute<Deep>("/a").path(Deep(inner: ["x": 1])) }?.code == code
        )
        #expect(
            #expect(throws: EventBusError.self) { try TypedRoute<Nested>("/a").path(Nested(lists: [[1]])) }?.code
                == code)
        #expect(#expect(throws: EventBusError.self) { try TypedRoute<[Int]>("/a").path([1]) }?.code == code)
        #expect(
            #expect(throws: EventBusError.self) { try TypedRoute<Place>(cases: ["note": "/n/:id"]).path(.list) }?.code
                == code)
        #expect(
            #expect(throws: EventBusError.self) {
                try TypedRoute<NotePage>("/n/:id").path(NotePage(id: 1, ratio: .nan))
            }?.code == code)
        let file = try TypedRoute<Place>(cases: ["file": "/files/*path"])
        // A slash inside a segment of a catch-all would come back as two segments.
        #expect(throws: EventBusError.self) { try file.path(.file(path: [])) }
        #expect(throws: EventBusError.self) { try TypedRoute<Place>(cases: ["list": "/a", "note": "/a"]) }
    }

    @Test("A router registers typed routes together and navigates to values")
    func router() async throws {
        let router = Router(bus: EventBus())
        let seen = Recorder<Place>()
        let places = try TypedRoute<Place>(cases: ["list": "/notes", "note": "/notes/:id(int)", "file": "/files/*path"])
        let watch = try router.route(places) { place, _ in seen.note(place) }
        try await router.navigate(to: places, .note(id: 7, edit: false))
        try await router.navigate(to: "/files/a/b?x=1")
        try await router.navigate(to: places, .list)
        #expect(seen.items == [.note(id: 7, edit: false), .file(path: ["a", "b"]), .list])
        #expect(throws: EventBusError.self) { try router.route(places) { _, _ in } }
        #expect(watch.isLive && watch.cancel() && !watch.cancel() && !watch.isLive)
        #expect(router.patterns.isEmpty && !router.contains("/notes"))
        // Half of the routes conflict: none is registered.
        try router.route("/files/*rest") { _ in }
        #expect(throws: EventBusError.self) { try router.route(places) { _, _ in } }
        #expect(router.patterns == ["/files/*rest"] && !router.contains("/notes"))
        try router.route(places, replacing: true) { place, _ in seen.note(place) }
        try await router.navigate(to: "/files/c")
        #expect(seen.items.last == .file(path: ["c"]) && router.patterns.count == 3)
    }

    @Test("An invalid value fails the navigation with the error of the parameter")
    func wrongNavigation() async throws {
        let router = Router(bus: EventBus())
        try router.route(try TypedRoute<NotePage>("/n/:id")) { _, _ in Issue.record("called") }
        let error = await #expect(throws: EventBusError.self) { try await router.navigate(to: "/n/x") }
        #expect(error?.code.description == "parameterInvalid")
    }

    @Test("Hosts are part of typed routes")
    func hosts() throws {
        let route = try TypedRoute<Tenant>("https://:tenant(slug).example.com/items/:id")
        #expect(try route.path(Tenant(tenant: "acme", id: 7)) == "https://acme.example.com/items/7")
        #expect(try route.value("https://ACME.example.com:443/items/7") == Tenant(tenant: "acme", id: 7))
        #expect(throws: EventBusError.self) { try route.value("https://acme.example.com/items/256") }
    }
}
