import AshlarNetworking
import AshlarTestSupport
import Foundation
import Testing

/// The client's format of dates and keys, which applies in every place that encodes or decodes JSON.
@Suite struct JSONFormatTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let format: JSONFormat
        let text: String
        var testDescription: String { "\(format.dates), \(format.keys)" }
    }

    struct Photo: Codable, Hashable, Sendable {
        var takenAt: Date
        var imageURL: URL
        var tagCounts: [String: Int]
        var size: Size = .wideScreen(pixelCount: 7)

        enum Size: Codable, Hashable {
            case wideScreen(pixelCount: Int)
        }
    }

    static let photo = Photo(
        takenAt: Date(timeIntervalSinceReferenceDate: 816_873_578.25), imageURL: URL(fileURLWithPath: "/a.png"),
        tagCounts: ["seaSide": 2])

    static let cases: [Case] = [
        (JSONDateFormat.rfc3339, #""2026-11-20T13:19:38.250Z""#), (.secondsSince1970, "1795180778.25"),
        (.millisecondsSince1970, "1795180778250"), (.secondsSince2001, "816873578.25"),
    ].flatMap { dates, date in
        [
            Case(
                format: JSONFormat(dates: dates),
                text: #"{"imageURL":"file:///a.png","size":{"wideScreen":{"pixelCount":7}},"#
                    + #""tagCounts":{"seaSide":2},"takenAt":\#(date)}"#),
            Case(
                format: JSONFormat(dates: dates, keys: .snakeCase),
                text: #"{"image_url":"file:///a.png","size":{"wide_screen":{"pixel_count":7}},"#
                    + #""tag_counts":{"seaSide":2},"taken_at":\#(date)}"#),
        ]
    }

    struct Exchange: Endpoint {
        let host: EndpointHost = "https://api.example.com/photos"
        let path: EndpointPath = ""
        let method: HTTPMethod = .post
        var body: RequestBody { .json(photo) }
        func decode(_ response: NetworkResponse) throws(NetworkError) -> Photo { try response.decode(Photo.self) }
    }

    struct Entity: Endpoint {
        let host: EndpointHost = "https://api.example.com/photos"
        let path: EndpointPath = ""
        typealias Output = JSONEntity
    }

    @Test("All ways to send and read JSON have the client's format of dates and keys", arguments: cases)
    func everywhere(_ item: Case) async throws {
        let stub = StubTransport { _ in .json(item.text) }
        var configuration = ClientConfiguration()
        configuration.base = "https://api.example.com"
        configuration.json = item.format
        let client = NetworkClient(configuration, transport: stub)
        let key = item.format.keys == .snakeCase ? "taken_at" : "takenAt"

        #expect(try await client.send(Exchange()) == Self.photo)
        #expect(try await client.post("photos", Self.photo, as: Photo.self) == Self.photo)
        #expect(try await client.put("photos", Self.photo, as: Photo.self) == Self.photo)
        #expect(try await client.patch("photos", Self.photo, as: Photo.self) == Self.photo)
        try await client.post("photos", Self.photo)
        try await client.stream(Exchange()).body.cancel()
        let sent = try stub.requests.map { try JSONEntity(parsing: $0.body.inMemory ?? []) }
        #expect(try sent.count == 6 && sent.allSatisfy { try $0 == JSONEntity(parsing: item.text) })

        #expect(try await client.get("photos", as: Photo.self) == Self.photo)
        let response = try await client.get("photos")
        #expect(try response.decode(Photo.self) == Self.photo)
        let entities = [
            try response.json(), try await client.get("photos", as: JSONEntity.self), try await client.send(Entity()),
            try response.decode(JSONEntity.self), try response.json().detached(), try response.json().withoutNulls(),
            try JSONEntity(encoding: Self.photo, format: item.format),
        ]
        for entity in entities {
            #expect(try entity.decode(Photo.self) == Self.photo)
            #expect(entity[key].date() == Self.photo.takenAt)
            #expect(try entity[key].decode(Date.self) == Self.photo.takenAt)
        }
        let streamed = try await client.stream(NetworkRequest(.get, "https://api.example.com/photos"))
        for try await value in streamed.body.values(of: Photo.self) { #expect(value == Self.photo) }
        let collected = try await client.stream(Entity()).collect()
        #expect(try collected.decode(Photo.self) == Self.photo)
    }

    @Test(
        "A property name in snake case is the same for encoding and decoding",
        arguments: [
            ("name", "name"), ("createdAt", "created_at"), ("imageURL", "image_url"), ("myURLList", "my_url_list"),
            ("sha256Hash", "sha256_hash"), ("_id", "_id"), ("_ownName", "_own_name"), ("a", "a"), ("aB", "a_b"),
        ])
    func names(name: String, key: String) throws {
        struct Name: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
        struct Value: Encodable {
            let name: String
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Name.self)
                try container.encode(1, forKey: Name(stringValue: name))
            }
        }
        struct Reader: Decodable {
            let read: (String) throws -> Int
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Name.self)
                read = { try container.decode(Int.self, forKey: Name(stringValue: $0)) }
            }
        }
        let json = try JSONEntity(encoding: Value(name: name), format: JSONFormat(keys: .snakeCase))
        #expect(json.keys == [key])
        #expect(try json.decode(Reader.self).read(name) == 1)
    }

    @Test("Middleware sends and reads JSON in the client's format, and another client that it uses doesn't")
    func middleware() async throws {
        struct Step: NetworkMiddleware {
            let other: NetworkClient
            let read: Mutex<[Photo]>

            func intercept(
                _ request: NetworkRequest, next: NetworkNext
            ) async throws(NetworkError) -> StreamedResponse {
                _ = try await other.send(Exchange())
                var request = request
                request.body = .json(JSONFormatTests.photo)
                let response = try await next(request).collect()
                let photo = try response.decode(Photo.self)
                read.withLock { $0.append(photo) }
                return StreamedResponse(head: response.head, body: ResponseBody(response.bytes), url: response.url)
            }
        }
        let (plain, snake) = (Self.cases[0], Self.cases[1])
        for (outer, inner) in [(plain, snake), (snake, plain)] {
            let stubs = [outer, inner].map { item in StubTransport { _ in .json(item.text) } }
            var configuration = ClientConfiguration()
            configuration.json = inner.format
            let step = Step(other: NetworkClient(configuration, transport: stubs[1]), read: Mutex([]))
            configuration.json = outer.format
            configuration.middleware = [step]
            let client = NetworkClient(configuration, transport: stubs[0])
            #expect(try await client.get("https://api.example.com", as: Photo.self) == Self.photo)
            #expect(step.read.withLock { $0 } == [Self.photo])
            for (stub, item) in zip(stubs, [outer, inner]) {
                let sent = try JSONEntity(parsing: stub.requests[0].body.inMemory ?? [])
                #expect(try sent == JSONEntity(parsing: item.text))
            }
        }
    }

    @Test("The keys of a dictionary are unchanged, regardless of their type")
    func dictionaries() throws {
        enum Place: String, Codable, CodingKeyRepresentable { case seaSide }
        struct Visits: Codable, Hashable {
            var byPlace: [Place: Int] = [.seaSide: 1]
            var byName = ["seaSide": 2]
            var byNumber = [3: 3]
        }
        let json = try JSONEntity(encoding: Visits(), format: JSONFormat(keys: .snakeCase))
        let text = #"{"by_name":{"seaSide":2},"by_number":{"3":3},"by_place":{"seaSide":1}}"#
        #expect(try json == JSONEntity(parsing: text))
        #expect(try json.decode(Visits.self) == Visits())
    }

    @Test("A missing key is named as in the document")
    func missing() throws {
        var json: JSONEntity = ["image_url": "a"]
        json.format.keys = .snakeCase
        let error = #expect(throws: NetworkError.self) { try json.decode(Photo.self) }
        #expect(error?.path == "$.taken_at" && error?.message == "expected the key 'taken_at', found none")
    }

    @Test("A date without a year of four digits and an infinite number are errors, with their path")
    func unencodable() async throws {
        let far = Date(timeIntervalSinceReferenceDate: 1e13)
        let error = #expect(throws: NetworkError.self) { try JSONEntity(encoding: ["dates": [far]]) }
        #expect(error?.code == .encodingFailed && error?.message.hasPrefix("at $.dates[0]: ") == true)
        let client = NetworkClient(transport: StubTransport { _ in .status(200) })
        let sent = await #expect(throws: NetworkError.self) {
            try await client.post("https://api.example.com", ["value": Double.infinity])
        }
        #expect(sent?.code == .encodingFailed && sent?.message.hasPrefix("at $.value: ") == true)
    }
}
