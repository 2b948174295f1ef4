import AshlarCore
import AshlarEventBus
import AshlarTestSupport
import AshlarTesting
import Foundation
import Synchronization
import Testing

private struct Note: Codable, Sendable, Equatable {
    enum Kind: String, Codable { case draft, final }
    var id: Int
    var title: String
    var tags: [String] = []
    var kind: Kind = .draft
    var price: Double?
    var nested: [String: [Int]] = [:]
    var big = UInt64.max
    var when: Date?
}

private struct Login: Codable, Sendable {
    var user: String, password: String, attempts: Int, settings: [String: String]
}

private struct Opaque: Sendable {}

@Suite("Topics that encode and decode by name")
struct CatalogTests {
    private let saved = Topic<Note>("note:saved")
    private var catalog: EventCatalog {
        var catalog = EventCatalog()
        catalog.add(saved)
        catalog.add("count:*", of: Int.self)
        return catalog
    }

    @Test("A payload is encoded and decoded without loss, and Foundation can parse the JSON")
    func roundTrip() throws {
        let notes = [
            Note(id: 1, title: "Rain"),
            Note(
                id: -5, title: "q\"\\\n\u{1}é😀", tags: ["a", ""], kind: .final, price: 0.1,
                nested: ["x": [1, 2], "": []], when: Date(timeIntervalSinceReferenceDate: 12.5)),
        ]
        for note in notes {
            let json = try catalog.json(of: note, name: "note:saved")
            #expect(!json.contains("\n"))
            #expect(try catalog.payload(ofJSON: json, name: "note:saved") as? Note == note)
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .deferredToDate
            #expect(try decoder.decode(Note.self, from: Data(json.utf8)) == note)
        }
        #expect(try catalog.json(of: 7, name: "count:clicks") == "7")
        #expect(try catalog.payload(ofJSON: " 7 ", name: "count:x") as? Int == 7)
    }

    @Test(
        "Events from outside have a source, wait for suspending watchers, and are stored before their first local use")
    func bridging() async throws {
        final class Bridge: Sendable {}
        let (bridge, bus) = (Bridge(), EventBus())
        var catalog = EventCatalog()
        catalog.add("count:*", of: Int.self, keeping: 1)
        catalog.add(Topic<Void>("ping"))
        try catalog.trigger("count:a", json: "1", on: bus, from: bridge)
        try await catalog.send("count:a", json: "2", on: bus, metadata: EventMetadata(source: "x"), from: bridge)
        let seen = Recorder<String>()
        let watches = [
            bus.watch(Topic<Int>("count:a")) {
                seen.note("\($0.payload) \($0.isFrom(bridge)) \($0.metadata?.source ?? "")")
            },
            bus.watch(Topic<Void>("ping")) { seen.note($0.name) },
        ]
        #expect(seen.items == ["2 true x"])
        try catalog.trigger("ping", json: "null", on: bus)
        #expect(seen.items.last == "ping")
        #expect(try catalog.json(of: (), name: "ping") == "null")
        let stream = bus.events(Topic<Int>("count:b"), buffer: .suspend(1))
        #expect(try catalog.trigger("count:b", json: "1", on: bus).queued == 1)
        #expect(try catalog.trigger("count:b", json: "2", on: bus).dropped == 1)
        let sender = Task { [catalog] in try await catalog.send("count:b", json: "3", on: bus) }
        for await signal in stream where signal.payload == 3 { break }
        #expect(try await sender.value.queued == 1)
        for watch in watches { watch.cancel() }
    }

    @Test("Requests and replies pass as JSON in both directions")
    func requests() async throws {
        let length = RequestTopic<String, Int>("text:length")
        var catalog = catalog
        catalog.add(length)
        let bus = EventBus()
        let responder = try bus.respond(to: length) { $0.count }
        #expect(try await catalog.request("text:length", json: #""abc""#, on: bus) == "3")
        await #expect(throws: (any Error).self) { try await catalog.request("text:length", json: "3", on: bus) }
        await #expect(throws: EventBusError.self) { try await catalog.request("note:saved", json: "3", on: bus) }
        #expect(throws: EventBusError.self) { try catalog.trigger("text:length", json: #""abc""#, on: bus) }
        responder.cancel()
        struct Remote: EventInterceptor {
            let catalog: EventCatalog
            func intercept(_ event: InterceptedEvent, next: @escaping Next) -> DeliveryResult {
                if let request = event.request {
                    let json = try? catalog.json(of: request.payload, name: event.name)
                    catalog.reply(to: request, name: event.name, json: json == #""abc""# ? "42" : "true")
                }
                return next(event)
            }
        }
        let lines = Recorder<String>()
        let recorder = EventRecorder(catalog) { lines.note($0) }
        let watches = [
            bus.intercept("**", with: Remote(catalog: catalog)), bus.intercept("**", with: recorder),
        ]
        #expect(try await bus.request(length, "abc") == 42)
        await #expect(throws: (any Error).self) { try await bus.request(length, "other") }
        await recorder.flush()
        #expect(lines.items.first?.contains(#""payload":"abc""#) == true)
        for watch in watches { watch.cancel() }
    }

    @Test("A topic goes before patterns, and an earlier pattern before a later one")
    func precedence() throws {
        var catalog = catalog
        catalog.add("**", of: String.self)
        catalog.add("count:**", of: Bool.self)
        catalog.add(Topic<[Int]>("count:all"))
        #expect(catalog.payloadType(of: "count:a") == Int.self)
        #expect(catalog.payloadType(of: "count:a:b") == String.self)
        #expect(catalog.payloadType(of: "count:all") == [Int].self)
        catalog.add(Topic<Bool>("count:all"))
        #expect(try catalog.payload(ofJSON: "true", name: "count:all") as? Bool == true)
        #expect(throws: EventBusError.self) { try catalog.payload(ofJSON: "true", name: "count:a") }
    }

    @Test("Numbers are decoded only as types that can represent them", arguments: ["keyed", "unkeyed", "single"])
    func numbers(container: String) throws {
        func decode<Value: Codable & Sendable>(_ text: String, as type: Value.Type) -> Value? {
            var catalog = EventCatalog()
            switch container {
            case "keyed":
                catalog.add("a", of: [String: Value].self)
                return (try? catalog.payload(ofJSON: "{\"k\":\(text)}", name: "a") as? [String: Value])?["k"]
            case "unkeyed":
                catalog.add("a", of: [Value].self)
                return (try? catalog.payload(ofJSON: "[\(text)]", name: "a") as? [Value])?.first
            default:
                catalog.add("a", of: Value.self)
                return try? catalog.payload(ofJSON: text, name: "a") as? Value
            }
        }
        #expect(decode("-128", as: Int8.self) == -128 && decode("-129", as: Int8.self) == nil)
        #expect(decode("255", as: UInt8.self) == 255 && decode("-1", as: UInt8.self) == nil)
        #expect(decode("65535", as: UInt16.self) == .max && decode("32768", as: Int16.self) == nil)
        #expect(decode("4294967295", as: UInt32.self) == .max && decode("2147483648", as: Int32.self) == nil)
        #expect(
            decode("18446744073709551615", as: UInt64.self) == .max
                && decode("9223372036854775808", as: Int.self) == nil)
        #expect(decode("1.0", as: Int.self) == 1 && decode("1e2", as: Int.self) == 100)
        #expect(decode("1.5", as: Int.self) == nil && decode("1e2", as: Int8.self) == 100)
        #expect(decode("1e3", as: Int8.self) == nil)
        #expect(decode("0.5", as: Float.self) == 0.5 && decode("1e39", as: Float.self) == nil)
        #expect(decode("1e308", as: Double.self) == 1e308 && decode("1e309", as: Double.self) == nil)
        #expect(decode("\"1\"", as: Int.self) == nil && decode("1", as: String.self) == nil)
        #expect(decode("true", as: Bool.self) == true && decode("1", as: Bool.self) == nil)
        #expect(decode("\"true\"", as: Bool.self) == nil && decode("null", as: Int.self) == nil)
        #expect(decode("null", as: Int?.self) == .some(nil))
    }

    @Test("Payloads of unknown names remain JSON and reach watchers of any payload")
    func unknown() throws {
        let bus = EventBus()
        let seen = Recorder<String>()
        let watch = bus.watch("**") { seen.note("\($0.name) \($0.payload)") }
        let payload = try catalog.payload(ofJSON: #"{ "a" : [1, 2.50] }"#, name: "other") as? RawEventPayload
        #expect(payload?.json == #"{"a":[1,2.50]}"#)
        #expect(try catalog.trigger("other", json: #"{"a":1}"#, on: bus).delivered == 1)
        #expect(
            try catalog.trigger(
                "note:saved", json: try catalog.json(of: Note(id: 1, title: ""), name: "note:saved"), on: bus
            ).delivered == 1)
        #expect(seen.items[0] == #"other {"a":1}"# && seen.items[1].hasPrefix("note:saved Note("))
        #expect(try catalog.json(of: RawEventPayload(json: "[1]"), name: "other") == "[1]")
        #expect(catalog.payloadType(of: "other") == nil && catalog.payloadType(of: "count:a") == Int.self)
        watch.cancel()
    }

    @Test(
        "Damaged or foreign JSON is an error that names the topic, the reason and the path",
        arguments: [
            ("note:saved", "", "malformedJSON"), ("note:saved", "{", "malformedJSON"),
            ("note:saved", "[1]", "payloadNotCodable"),
            ("note:saved", #"{"id":"x"}"#, "payloadNotCodable"), ("count:a", "1.5", "payloadNotCodable"),
            ("count:a", "99999999999999999999", "payloadNotCodable"), ("count:a", "null", "payloadNotCodable"),
            ("count:a", "\"1\"", "payloadNotCodable"), ("count:a", "true", "payloadNotCodable"),
            ("count:a", "1 2", "malformedJSON"),
        ])
    func damaged(name: String, json: String, code: String) {
        let error = #expect(throws: EventBusError.self) { try catalog.payload(ofJSON: json, name: name) }
        #expect(error?.code.description == code)
        #expect(throws: EventBusError.self) { try catalog.trigger(name, json: json, on: EventBus()) }
    }

    @Test("Payloads that can't be encoded are errors")
    func notEncodable() {
        for (payload, name) in [(Opaque() as any Sendable, "other"), ("text", "count:a"), (Double.nan, "other")] {
            let error = #expect(throws: EventBusError.self) { try catalog.json(of: payload, name: name) }
            #expect(error?.subject == name)
        }
        let error = #expect(throws: EventBusError.self) {
            try catalog.payload(
                ofJSON: #"{"id":1,"title":"","tags":[1],"kind":"draft","nested":{},"big":1}"#, name: "note:saved")
        }
        #expect(error?.description.contains("a string") == true && error?.description.contains("$.tags[0]") == true)
    }

    @Test("Payloads of unknown names are equal if their JSON has the same bytes")
    func rawPayloads() throws {
        let (a, b) = (try RawEventPayload(json: "\"caf\u{e9}\""), try RawEventPayload(json: "\"cafe\u{301}\""))
        #expect(a != b)
        #expect(try a == RawEventPayload(json: " \"caf\u{e9}\" "))
    }

    @Test("Metadata of a bridge reaches the watchers and their triggers")
    func metadata() throws {
        let bus = EventBus()
        let found = Recorder<EventMetadata?>()
        let watch = bus.watch(saved) { found.note($0.metadata) }
        let metadata = EventMetadata(
            source: "phone", time: .seconds(5), correlationID: "c", traceParent: TraceParent(), traceState: "v=1",
            headers: ["k": "v"])
        let json = try catalog.json(of: Note(id: 1, title: ""), name: "note:saved")
        try catalog.trigger("note:saved", json: json, on: bus, metadata: metadata)
        try catalog.trigger("note:saved", json: json, on: bus)
        #expect(found.items == [metadata, nil])
        watch.cancel()
    }

    @Test("An object of 20,000 keys is encoded and decoded in linear time")
    func large() throws {
        var catalog = EventCatalog()
        catalog.add(Topic<[String: Int]>("large"))
        let ratio = try growth(from: 2_500, to: 20_000, limit: 30) { count in
            Dictionary(uniqueKeysWithValues: (0..<count).map { ("key \($0)", $0) })
        } _: { payload in
            let json = try catalog.json(of: payload, name: "large")
            #expect(try catalog.payload(ofJSON: json, name: "large") as? [String: Int] == payload)
        }
        // Eight times as many keys take 8 times as long; with quadratic time, 64 times.
        #expect(ratio < 30)
    }
}

@Suite("Recording and replaying events", .timeLimit(.minutes(2)))
struct RecordingTests {
    private let saved = Topic<Note>("note:saved")
    private let number = Topic<Int>("number")
    private var catalog: EventCatalog {
        var catalog = EventCatalog()
        catalog.add(saved)
        catalog.add(number)
        return catalog
    }
    private let lines = Recorder<String>()
    let bag = WatchBag()

    private func recorder(_ secrets: Set<String> = []) -> EventRecorder {
        EventRecorder(catalog, additionalSecrets: secrets) { [lines] in lines.note($0) }
    }

    @Test("A replay delivers the recorded events in their order, with payloads and metadata")
    func roundTrip() async throws {
        let bus = EventBus()
        let recorder = recorder()
        let watch = bus.intercept("**", with: recorder)
        let metadata = EventMetadata(
            source: "phone", time: .seconds(5), correlationID: "c", traceParent: TraceParent(), traceState: "v=1",
            headers: ["k": "v"])
        bus.trigger(saved, Note(id: 1, title: "Rain", tags: ["a"]))
        metadata.whileCurrent { _ = bus.trigger(number, 5) }
        bus.trigger("bare", "text")
        bus.trigger("void")
        try bus.trigger(named: "no:one", [1, 2])
        watch.cancel()
        bus.trigger(number, 6)
        await recorder.flush()
        #expect(lines.items.count == 5)

        let recording = EventRecording(parsing: lines.items.joined(separator: "\n") + "\n")
        #expect(recording.problems.isEmpty)
        #expect(recording.events.map(\.name) == ["note:saved", "number", "bare", "void", "no:one"])
        #expect(recording.events.map(\.number) == [1, 2, 3, 4, 5])
        #expect(recording.events[1].metadata == metadata && recording.events[0].metadata == nil)
        #expect(recording.events[0].location?.file == "AshlarTestingTests/EventRecordingTests.swift")
        #expect(recording.events.map(\.description) == lines.items, "a parsed line is printed unchanged")

        let other = EventBus()
        let seen = Recorder<String>()
        other.watch(saved) { seen.note("note \($0.payload.id) \($0.payload.tags)") }.store(in: bag)
        other.watch(number) { seen.note("number \($0.payload) \($0.metadata?.correlationID ?? "")") }.store(in: bag)
        other.watch("*") { if $0.name != "number" { seen.note("any \($0.name) \($0.payload)") } }.store(in: bag)
        for _ in 0..<2 {
            seen.clear()
            let failures = recording.replay(on: other, catalog)
            #expect(failures.isEmpty)
            #expect(seen.items == ["note 1 [\"a\"]", "number 5 c", "any bare \"text\"", "any void ()"])
        }
        var results: [Int] = []
        recording.replay(on: other, catalog) { results.append($1.delivered) }
        #expect(results == [1, 2, 1, 1, 0])
    }

    @Test("In damaged recordings, every readable line is parsed and every other line is a problem")
    func damaged() {
        let good = #"{"v":1,"n":1,"name":"number","payload":1}"#
        let text = [
            good, "", "  \r", #"{"v":2,"n":2,"name":"number","payload":{"later":true}}"#, "garbage", "[]", "null",
            #"{"v":1,"name":"number"}"#, #"{"v":1,"n":3,"payload":1}"#, #"{"n":3,"name":"number"}"#,
            #"{"v":1,"n":4,"name":"number","payload":4,"unknown":{"a":[]},"traceparent":"00"}"#,
            #"{"v":1,"n":5,"name":"number","payload":5,"future":[1]}"# + "\r",
            #"{"v":1,"n":6,"name":"numb"#,
        ].joined(separator: "\n")
        let recording = EventRecording(parsing: text, file: "trace.jsonl")
        #expect(recording.events.map(\.number) == [1, 5])
        #expect(recording.problems.map { $0.location?.line } == [4, 5, 6, 7, 8, 9, 10, 11, 13])
        #expect(recording.problems[0].code == .recordingVersion)
        #expect(recording.problems[1].code == .malformedJSON)
        #expect(recording.problems[2].code == .malformedRecording)
        #expect(recording.problems[8].description.contains("trace.jsonl:13"))
        #expect(EventRecording(parsing: "").events.isEmpty)
    }

    @Test("Every truncated recording contains the lines before the truncation")
    func truncated() {
        let line = #"{"v":1,"n":1,"name":"number","payload":[1,"é",{"a":null}]}"#
        let bytes = Array("\(line)\n\(line)\n".utf8)
        for count in 0...bytes.count {
            let recording = EventRecording(parsing: String(decoding: bytes[..<count], as: UTF8.self))
            let complete = count < line.utf8.count ? 0 : count < 2 * line.utf8.count + 1 ? 1 : 2
            #expect(recording.events.count == complete, "\(count) bytes")
            let isClean = [0, line.utf8.count, line.utf8.count + 1, 2 * line.utf8.count + 1, bytes.count].contains(
                count)
            #expect(recording.problems.count == (isClean ? 0 : 1), "\(count) bytes")
        }
    }

    @Test("Secrets are redacted by name at any depth, and redacted events are reported by the replay")
    func secrets() async {
        let bus = EventBus()
        let recorder = recorder(["attempts"])
        bus.intercept("**", with: recorder).store(in: bag)
        bus.trigger(
            "login", Login(user: "anna", password: "hunter2", attempts: 3, settings: ["apiKey": "k", "color": "red"]))
        bus.trigger("auth:token", "t0ken")
        bus.trigger("auth:token", ["a": ["secret": "x"]])
        bus.trigger("tokens", [1, 2])
        await recorder.flush()
        let text = lines.items.joined()
        for secret in ["hunter2", "\"k\"", "t0ken", "\"x\"", "[1,2]"] { #expect(!text.contains(secret), "\(secret)") }
        #expect(lines.items[0].contains(#"{"user":"anna","password":"<redacted>","attempts":"<redacted>""#))
        #expect(lines.items[0].contains(#""color":"red""#))
        var catalog = EventCatalog()
        catalog.add(Topic<Login>("login"))
        let failures = EventRecording(parsing: lines.items.joined(separator: "\n")).replay(on: EventBus(), catalog)
        #expect(failures.map(\.code) == [.payloadNotCodable] && failures[0].subject == "login")
    }

    @Test("An event whose payload can't be encoded is recorded without it and reported by the replay")
    func unencodable() async {
        let bus = EventBus()
        let recorder = recorder()
        bus.intercept("**", with: recorder).store(in: bag)
        bus.trigger("opaque", Opaque())
        bus.trigger(number, 1)
        await recorder.flush()
        let recording = EventRecording(parsing: lines.items.joined(separator: "\n"))
        #expect(recording.events[0].unencodedType == "Opaque" && recording.events[0].json == nil)
        #expect(recording.replay(on: EventBus(), catalog).map(\.subject) == ["opaque"])
    }

    @Test("A recorded event without the payload that its topic needs is reported by the replay")
    func missingPayload() {
        var catalog = EventCatalog()
        catalog.add(Topic<Int>("note:selected"))
        let bus = EventBus()
        let recording = EventRecording(parsing: #"{"v":1,"n":1,"name":"note:selected"}"#)
        #expect(recording.events.count == 1)
        let failures = recording.replay(on: bus, catalog)
        #expect(failures.map(\.code) == [.payloadMismatch] && failures.map(\.subject) == ["note:selected"])
    }

    @Test("Events of four threads are recorded in one order without gaps, and every line is complete")
    func threads() async {
        let bus = EventBus()
        let recorder = recorder()
        bus.intercept(number, with: recorder).store(in: bag)
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask { [number] in for index in 0..<500 { bus.trigger(number, thread * 500 + index) } }
            }
        }
        await recorder.flush()
        let recording = EventRecording(parsing: lines.items.joined(separator: "\n"))
        #expect(recording.events.map(\.number) == Array(1...2000) && recording.problems.isEmpty)
        #expect(Set(recording.events.map(\.json)).count == 2000)
        for thread in 0..<4 {
            let own = recording.events.compactMap { $0.json.flatMap { Int($0) } }.filter { $0 / 500 == thread }
            #expect(own == own.sorted(), "the order of each thread")
        }
    }

    @Test("Recordings are read from files; a missing file is an error")
    func files() throws {
        let path = NSTemporaryDirectory() + "/ashlar-recording-\(UUID().uuidString).jsonl"
        try #"{"v":1,"n":1,"name":"number","payload":1}"#.write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(try EventRecording(contentsOf: path).events.count == 1)
        let error = #expect(throws: EventBusError.self) { try EventRecording(contentsOf: path + ".missing") }
        #expect(error?.code == .recordingUnreadable)
    }
}
