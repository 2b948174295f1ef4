import Ashlar
import AshlarAppConfig
import AshlarCore
import AshlarCustomization
import AshlarEventBus
import AshlarLogging
import AshlarNetworking
import AshlarTestSupport
import AshlarTesting
import Foundation
import Testing

@testable import AshlarInspector

/// A running inspector, as a browser sees it.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct ServerTests {
    @Test("The URL opens the page once; its responses aren't cached, framed or readable by other origins")
    func page() async throws {
        let fixture = try await InspectedApp()
        let response = try await fixture.client.send(try fixture.request("/"))
        let page = String(decoding: response.bytes, as: UTF8.self)
        #expect(page.contains("connect-src 'self'") && page.contains("EventSource") && !page.contains("planted"))
        #expect(page.contains("api.timeout") && page.contains("httpbin.org"))
        for (name, value) in [
            ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
            ("X-Frame-Options", "DENY"), ("Content-Security-Policy", "frame-ancestors 'none'"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
        ] {
            #expect(response.headers[name] == value)
        }
        #expect(response.headers["Access-Control-Allow-Origin"] == nil && response.headers["Set-Cookie"] == nil)
        for (target, cookie) in [(fixture.url, ""), (fixture.base + "/", ""), (fixture.base + "/", "a=b")] {
            let request = try NetworkRequest(.get, target, headers: ["Cookie": cookie])
            let error = await #expect(throws: NetworkError.self) { try await fixture.client.send(request) }
            #expect(error?.status == 403)
        }
        // Another URL opens another browser.
        let other = try #require(fixture.inspector.makeURL())
        #expect(try await fixture.client.send(NetworkRequest(.get, other)).headers["Set-Cookie"] != nil)
        await fixture.inspector.stop()
    }

    @Test("The stream sends what happens as batches, and goes on after the last one that was received")
    func stream() async throws {
        let fixture = try await InspectedApp()
        fixture.app.bus.trigger(InspectedApp.saved, InspectedApp.Note(text: "first"))
        var ids: [String] = []
        func next(_ events: inout (some AsyncIteratorProtocol<ServerSentEvent, NetworkError>)) async throws
            -> JSONEntity
        {
            let event = try #require(try await events.next())
            ids.append(event.id)
            return try JSONEntity(parsing: Array(event.data.utf8))
        }
        func payloads(_ batch: JSONEntity) -> [String] { batch["events"].array([]).map { $0["payload"].string("") } }
        var events = try await fixture.client.stream(try fixture.request("/events")).body.events().makeAsyncIterator()
        #expect(payloads(try await next(&events)).last == #"{"text":"first"}"#)
        let start = ContinuousClock.now
        for number in 0..<500 { fixture.app.bus.trigger(InspectedApp.saved, InspectedApp.Note(text: "\(number)")) }
        var received = 0
        var messages = 0
        while received < 500 {
            received += payloads(try await next(&events)).count
            messages += 1
        }
        // Messages are at least 100 ms apart, however long the events took.
        #expect(received == 500 && messages <= 3 + Int(start.duration(to: .now) / .milliseconds(100)))
        // A reconnected browser receives the rest only.
        fixture.app.bus.trigger(InspectedApp.saved, InspectedApp.Note(text: "last"))
        let again = try fixture.request("/events?after=0-0-0-0-0", ["Last-Event-ID": try #require(ids.last)])
        var rest = try await fixture.client.stream(again).body.events().makeAsyncIterator()
        #expect(payloads(try await next(&rest)) == [#"{"text":"last"}"#])
        // The state of another inspector is out of date.
        let foreign = try fixture.request("/events?after=other-0-0-0-0")
        var other = try await fixture.client.stream(foreign).body.events().makeAsyncIterator()
        #expect(try await other.next()?.type == "reload")
        // The end of the inspector ends its streams, for some of which it looks like a lost connection.
        await fixture.inspector.stop()
        while (try? await events.next()) != nil {}
    }

    @Test("The newest recorded exchanges are sent with their bodies, without secrets")
    func exchanges() async throws {
        let fixture = try await InspectedApp()
        for page in 1...3 {
            let url = "https://api.example.com/notes?page=\(page)&token=planted"
            _ = try await fixture.app.client.send(
                NetworkRequest(.get, url, headers: ["Authorization": "Bearer planted"]))
        }
        let response = try await fixture.client.send(try fixture.request("/exchanges"))
        let entries = try JSONEntity(parsing: response.bytes)["log"]["entries"]
        #expect(entries.count == 2)
        for (index, page) in [2, 3].enumerated() {
            #expect(entries[index]["request"]["url"].string("").contains("page=\(page)"))
            #expect(entries[index]["response"]["content"]["text"].string() == "[]")
        }
        #expect(!String(decoding: response.bytes, as: UTF8.self).contains("planted"))
    }

    @Test(
        "A message waits for a pause after the one before; without a change, a comment shows that the connection is alive"
    )
    func pauses() async throws {
        let fixture = try await InspectedApp()
        let session = try InspectorSession(fixture.app, title: "", recorder: nil, port: 0)
        let pauses = Locked(0)
        let stream = InspectorStream(session, after: InspectorCursor(run: session.run)) { pauses.withLock { $0 += 1 } }
        func next() async -> String? { await stream.next().map { String(decoding: $0, as: UTF8.self) } }
        // The sections arrive at once.
        #expect(await next()?.contains("\"sections\":{\"") == true && pauses.withLock { $0 } == 0)
        fixture.app.bus.trigger("note:plain")
        fixture.app.bus.trigger("note:plain")
        #expect(await next()?.split(separator: "note:plain").count == 3 && pauses.withLock { $0 } == 1)
        #expect(await next() == ": connected\n\n" && pauses.withLock { $0 } == 101)
        await session.stop()
        #expect(await next() == nil)
        await fixture.inspector.stop()
    }

    @Test("Each action changes the app, and says what has changed")
    func actions() async throws {
        let fixture = try await InspectedApp()
        let app = fixture.app
        #expect(try await fixture.act(#"{"action":"selectHost","name":"httpbin.org","value":"QA"}"#).contains("QA"))
        #expect(app.hosts.resolve("httpbin.org")?.host == "qa.httpbin.org")
        _ = try await fixture.act(#"{"action":"selectHost","name":"USDA","value":"BOX","detail":"7"}"#)
        #expect(app.hosts.resolve("USDA")?.host == "box-7.usda.example:8443")
        _ = try await fixture.act(#"{"action":"selectHost","name":"httpbin.org","value":null}"#)
        #expect(app.hosts.resolve("httpbin.org") == nil)

        #expect(try await fixture.act(#"{"action":"setValue","name":"api.timeout","value":"5"}"#).contains("over 30"))
        #expect(app.config.current.int(forKey: "api.timeout") == 5)
        _ = try await fixture.act(#"{"action":"setValue","name":"api.name","value":"a text"}"#)
        #expect(app.config.current.string(forKey: "api.name") == "a text")
        _ = try await fixture.act(#"{"action":"setValue","name":"api.timeout"}"#)
        #expect(app.config.current.int(forKey: "api.timeout") == 30)
        #expect(app.config.current.string(forKey: "api.name") == "a text")
        let secret = try await fixture.act(#"{"action":"setValue","name":"api.password","value":"\"planted2\""}"#)
        #expect(!secret.contains("planted") && app.config.current.string(forKey: "api.password") == "planted2")

        _ = try await fixture.act(#"{"action":"setText","name":"title","value":"Zettel"}"#)
        _ = try await fixture.act(#"{"action":"setText","name":"other","value":"x","detail":"Extra"}"#)
        #expect(app.customization.current.string("title") == "Zettel")
        #expect(app.customization.current.string("other", table: "Extra") == "x")
        _ = try await fixture.act(#"{"action":"setText","name":"count","value":"%d Zettel"}"#)
        #expect(app.customization.current.format("count", 3) == "3 Zettel")
        for (name, table) in [("title", ""), ("count", ""), ("other", "Extra")] {
            _ = try await fixture.act(#"{"action":"setText","name":"\#(name)","detail":"\#(table)"}"#)
        }
        #expect(app.customization.current.string("title") == "Notes")
        #expect(app.customization.current.layers.allSatisfy { $0.id != "inspector" })

        let before = LogSystem.thresholds
        _ = try await fixture.act(#"{"action":"setThreshold","name":"inspected","value":"DEBUG"}"#)
        #expect(LogSystem.thresholds.contexts["inspected"] == .some(.debug))
        _ = try await fixture.act(#"{"action":"setThreshold","name":"inspected","value":"off"}"#)
        #expect(LogSystem.thresholds.contexts["inspected"] == .some(nil))
        _ = try await fixture.act(#"{"action":"setThreshold","name":"inspected"}"#)
        #expect(LogSystem.thresholds == before)

        let notes = Locked<[String]>([])
        let watch = app.bus.watch(InspectedApp.named) { signal in notes.withLock { $0.append(signal.payload) } }
        let result = try await fixture.act(#"{"action":"trigger","name":"note:named","value":"\"by hand\""}"#)
        #expect(notes.withLock { $0 } == ["by hand"] && result.contains("1 delivered"))
        let payloads = Locked<[any Sendable]>([])
        let any = app.bus.watch("note:any") { signal in payloads.withLock { $0.append(signal.payload) } }
        for value in ["5", "-1.5", "true", "null", #"{\"a\":[1]}"#] {
            _ = try await fixture.act(#"{"action":"trigger","name":"note:any","value":"\#(value)"}"#)
        }
        let found = payloads.withLock { $0 }
        #expect(found.count == 5 && found[0] as? Int == 5 && found[1] as? Double == -1.5 && found[2] as? Bool == true)
        #expect(found[3] is Void && (found[4] as? JSONEntity)?["a"][0].int() == 1)
        let plain = Locked(0)
        let other = app.bus.watch("app:refresh") { _ in plain.withLock { $0 += 1 } }
        _ = try await fixture.act(#"{"action":"trigger","name":"app:refresh"}"#)
        #expect(plain.withLock { $0 } == 1)

        let opened = Locked<[String]>([])
        try app.router.route("/notes/:id(int)") { navigation in opened.withLock { $0.append(navigation.url) } }
        let explanation = try await fixture.act(#"{"action":"explainRoute","name":"/notes/5"}"#)
        #expect(explanation == "/notes/5 -> /notes/:id(int)  id=5" && opened.withLock { $0 } == [])
        #expect(try await fixture.act(#"{"action":"openRoute","name":"/notes/5"}"#) == "opened /notes/5")
        #expect(opened.withLock { $0 } == ["/notes/5"])
        for watch in [watch, any, other] { watch.cancel() }
        await fixture.inspector.stop()
    }

    @Test("A wrong action changes nothing, and says why")
    func wrongActions() async throws {
        let fixture = try await InspectedApp()
        let config = fixture.app.config.current
        let watch = fixture.app.bus.watch(InspectedApp.saved) { _ in }
        for (json, status) in [
            ("", "400"), ("{", "400"), ("[]", "400"), ("null", "400"), (#"{"action":"explode","name":"x"}"#, "400"),
            (#"{"action":"setValue"}"#, "400"), (#"{"action":"setValue","name":5}"#, "400"),
            (#"{"name":"x"}"#, "400"), (String(repeating: "[", count: 10_000), "400"),
            (#"{"action":"setValue","name":"","value":"1"}"#, "422"),
            (#"{"action":"setValue","name":"api.timeout[3]","value":"1"}"#, "422"),
            (#"{"action":"selectHost","name":"evil.com","value":"QA"}"#, "422"),
            (#"{"action":"selectHost","name":"httpbin.org","value":"EVIL"}"#, "422"),
            (#"{"action":"selectHost","name":"httpbin.org","value":"QA","detail":"evil.com"}"#, "422"),
            (#"{"action":"setThreshold","name":"x","value":"loud"}"#, "422"),
            (#"{"action":"setThreshold","name":""}"#, "422"),
            (#"{"action":"trigger","name":"note:saved","value":"{}"}"#, "422"),
            (#"{"action":"trigger","name":"note:saved"}"#, "422"),
            (#"{"action":"trigger","name":"note:saved","value":"{"}"#, "422"),
            (#"{"action":"trigger","name":"","value":""}"#, "422"),
            (#"{"action":"openRoute","name":"/absent"}"#, "422"),
            (#"{"action":"openRoute","name":"https://evil.com/"}"#, "422"),
            (#"{"action":"setText","name":"\#(String(repeating: "x", count: 70_000))","value":"1"}"#, "413"),
        ] {
            let answer = try await fixture.act(json)
            #expect(answer.hasPrefix(status + ": ") && answer.count > 5, "\(json.prefix(100)): \(answer)")
        }
        #expect(fixture.app.config.current == config)
        #expect(fixture.app.hosts.resolve("httpbin.org") == nil)
        watch.cancel()
        await fixture.inspector.stop()
    }

    #if os(Linux)
        private func descriptors() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        }

        /// The addresses on which sockets listen on a port, in hexadecimal.
        private func listeners(_ port: String) throws -> [Substring] {
            let ending = ":" + String(repeating: "0", count: 4 - port.count) + port
            return try ["tcp", "tcp6"].flatMap { file in
                let text = try String(contentsOfFile: "/proc/self/net/" + file, encoding: .utf8)
                // 0A is the state of a socket that listens.
                return text.split(separator: "\n").dropFirst().map { $0.split(separator: " ") }
                    .filter { $0[3] == "0A" && $0[1].hasSuffix(ending) }.map { $0[1].prefix { $0 != ":" } }
            }
        }

        @Test("The server listens on 127.0.0.1 and on no other address")
        func loopback() async throws {
            let fixture = try await InspectedApp()
            let port = String(try #require(fixture.inspector.port), radix: 16, uppercase: true)
            // The system writes its list in parts, between which a socket can be left out.
            var found: [Substring] = []
            try await until("the server is in the list of sockets") {
                found = try listeners(port)
                return !found.isEmpty
            }
            #expect(found == ["0100007F"])
            await fixture.inspector.stop()
        }

        @Test("A hundred starts and stops leave no descriptor, also with open streams and without a stop")
        func restarts() async throws {
            let fixture = try await InspectedApp()
            await fixture.inspector.stop()
            #expect(fixture.inspector.port == nil && fixture.inspector.makeURL() == nil)
            var before = 0
            for round in 0..<100 {
                // The first rounds open what stays open, such as descriptors of the client.
                if round == 10 { before = try descriptors() }
                let inspector = Inspector(fixture.app, allowsReleaseBuilds: true)
                var url = ""
                try await inspector.start { url = $0 }
                if round % 10 == 0 {
                    let client = NetworkClient()
                    let response = try await client.send(NetworkRequest(.get, url))
                    let cookie = response.headers["Set-Cookie"]?.prefix { $0 != ";" } ?? ""
                    let path = try #require(inspector.port.map { "http://127.0.0.1:\($0)/events" })
                    let request = try NetworkRequest(.get, path, headers: ["Cookie": String(cookie)])
                    var events = try await client.stream(request).body.events().makeAsyncIterator()
                    #expect(try await events.next() != nil)
                    await inspector.stop()
                    while (try? await events.next()) != nil {}
                } else if round % 10 == 1 {
                    // The next inspector doesn't end this one, which ends with its last reference.
                    fixture.app.reports.withLock { $0 = $0.filter { !$0.key.hasPrefix("Inspector") } }
                } else {
                    await inspector.stop()
                }
            }
            let limit = before + 20
            try await until("the descriptors are closed") { try descriptors() <= limit }
        }

        @Test("The release of the app ends its inspector")
        func release() async throws {
            let folder = try TemporaryFolder(["en.lproj/Localizable.strings": ""])
            var port = 0
            weak var released: AshlarApp?
            do {
                var configuration = AshlarApp.Configuration(resources: folder.path, environments: [], log: nil)
                configuration.storage = .memory
                let app = AshlarApp(configuration)
                released = app
                // The inspector isn't retained here.
                port = try await Inspector(app, allowsReleaseBuilds: true).start { _ in }.port ?? 0
                #expect(
                    DebugReport(app).sections.contains { $0.rows.contains { $0.title == "http://127.0.0.1:\(port)" } })
            }
            try await until("the app is released") { released == nil }
            let client = NetworkClient()
            try await until("the port is closed") {
                do {
                    _ = try await client.get("http://127.0.0.1:\(port)/")
                    return false
                } catch let error as NetworkError { return error.status == nil }
            }
        }

        @Test("A port in use is an error that names it")
        func portInUse() async throws {
            let fixture = try await InspectedApp()
            let port = try #require(fixture.inspector.port)
            let second = Inspector(fixture.app, port: port, allowsReleaseBuilds: true)
            let used = await #expect(throws: InspectorError.self) { try await second.start() }
            #expect(used?.code == .portUnavailable && used?.reason.contains("\(port)") == true)
            #expect(second.port == nil)
            for port in [-1, 70_000] {
                let wrong = Inspector(fixture.app, port: port, allowsReleaseBuilds: true)
                let error = await #expect(throws: InspectorError.self) { try await wrong.start() }
                #expect(error?.code == .portUnavailable)
            }
            await fixture.inspector.stop()
        }
    #endif

    @Test("A second start announces another URL of the same server, and a start after a stop begins another one")
    func secondStart() async throws {
        let fixture = try await InspectedApp()
        let port = fixture.inspector.port
        var url = ""
        try await fixture.inspector.start { url = $0 }
        #expect(fixture.inspector.port == port && url != fixture.url && url.contains(":\(port ?? 0)/"))
        await fixture.inspector.stop()
        await fixture.inspector.stop()
        try await fixture.inspector.start { url = $0 }
        let response = try await fixture.client.send(NetworkRequest(.get, url))
        #expect(response.status == 200)
        await fixture.inspector.stop()
    }

    @Test("Requests that no browser sends end without harm, and the server goes on")
    func rawRequests() async throws {
        let fixture = try await InspectedApp()
        let port = try #require(fixture.inspector.port)
        for text in [
            "", "\0", "GET", "GET /\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: evil.com\r\n\r\n",
            "GET /../../etc/passwd HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n",
            "POST /actions HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Length: 99999999\r\n\r\n{}",
            "POST /actions HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\n",
            "GET / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nX: \(String(repeating: "x", count: 100_000))\r\n\r\n",
        ] {
            // An incomplete request has no answer.
            let isComplete = text.contains("\r\n\r\n") || text.utf8.count > 16_384
            let client = try RawClient(port: port, patience: isComplete ? .seconds(60) : .milliseconds(500))
            client.send(text)
            let answer = await client.rest()
            #expect(
                isComplete ? answer.hasPrefix("HTTP/1.1 4") : answer.isEmpty, "\(text.prefix(60)): \(answer.prefix(60))"
            )
        }
        #expect(try await fixture.client.send(try fixture.request("/")).status == 200)
        await fixture.inspector.stop()
    }

    @Test("An action of the page can stop the inspector")
    func stopByAction() async throws {
        let fixture = try await InspectedApp()
        let inspector = fixture.inspector
        let (stops, stopped) = AsyncStream.makeStream(of: Void.self)
        try fixture.app.router.route("/stop") { _ in
            await inspector.stop()
            stopped.yield()
        }
        _ = try? await fixture.act(#"{"action":"openRoute","name":"/stop"}"#)
        for await _ in stops { break }
        #expect(inspector.port == nil)
    }
}
