import AshlarNetworking
import AshlarTesting
import Testing

/// The measured phases of recorded exchanges.
@Suite(.timeLimit(.minutes(2))) struct HARTimingsTests {
    @Test("A recorder measures the phases of an exchange, and a file has them")
    func recorded() async throws {
        let server = try TestServer()
        server.enqueue(.text("[]"), .text("[]"))
        let recorder = ExchangeRecorder()
        var configuration = ClientConfiguration()
        configuration.attemptMiddleware.append(recorder)
        let client = NetworkClient(configuration)
        for _ in 0..<2 { _ = try await client.get(server.url + "/notes") }
        let entries = recorder.archive.entries
        try #require(entries.count == 2)
        for (index, entry) in entries.enumerated() {
            let timings = try #require(entry.timings)
            // The second exchange has the connection of the first one.
            #expect((timings.connect == nil) == (index == 1) && timings.ssl == nil)
            #expect(timings.wait ?? .zero > .zero && timings.receive != nil)
            let phases = [timings.blocked, timings.dns, timings.connect, timings.wait, timings.receive]
            #expect(phases.reduce(.zero) { $0 + ($1 ?? .zero) } <= entry.duration + .milliseconds(1))
        }
        let json = try JSONEntity(parsing: recorder.archive.bytes())
        #expect(json["log"]["entries"][1]["timings"]["connect"].double() == -1)
        let read = try HARArchive(json: recorder.archive.bytes())
        #expect(read.entries.map { $0.timings?.wait != nil } == [true, true])
        #expect(try HARArchive(json: read.bytes()).entries.map(\.timings) == read.entries.map(\.timings))
    }

    @Test(
        "The phases of a file are read; the whole time as a wait is no measurement",
        arguments: [
            (#"{"blocked": 1, "dns": 2, "connect": 7.5, "ssl": 4, "send": 0, "wait": 5, "receive": 3}"#, true),
            (#"{"blocked": -1, "dns": -1, "connect": -1, "ssl": -1, "send": 0, "wait": 5, "receive": 3}"#, true),
            (#"{"send": 0, "wait": 20, "receive": 0}"#, false), ("{}", false), ("[]", false),
            (#"{"dns": "x", "wait": 1e300, "connect": -5, "receive": null}"#, false),
        ])
    func parsed(timings: String, isMeasured: Bool) throws {
        let text = """
            {"log": {"version": "1.2", "entries": [{"time": 20, "timings": \(timings),
              "request": {"method": "GET", "url": "https://a.example/"}, "response": {"status": 200}}]}}
            """
        let archive = try HARArchive(json: Array(text.utf8))
        let found = archive.entries[0].timings
        #expect((found != nil) == isMeasured)
        #expect(try HARArchive(json: archive.bytes()).entries[0].timings == found)
    }

    @Test("Each phase of a file has its own value, with a precision of one microsecond")
    func values() throws {
        let text = """
            {"log": {"version": "1.2", "entries": [{"time": 20,
              "timings": {"blocked": 1, "dns": 2, "connect": 7.5, "ssl": 4, "send": 0, "wait": 5, "receive": 3},
              "request": {"method": "GET", "url": "https://a.example/"}, "response": {"status": 200}}]}}
            """
        let found = try #require(try HARArchive(json: Array(text.utf8)).entries.first?.timings)
        #expect(found.blocked == .milliseconds(1) && found.dns == .milliseconds(2))
        #expect(found.connect == .microseconds(7500) && found.ssl == .milliseconds(4))
        #expect(found.send == .zero && found.wait == .milliseconds(5) && found.receive == .milliseconds(3))
    }
}
