import Ashlar
import AshlarCore
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct CorrelationTests {
    #if os(Linux) || os(macOS)
        @Test("A navigation, its requests, their events and all log lines have one correlation ID")
        func oneID() async {
            await #expect(processExitsWith: .success) {
                let stub = StubTransport(["GET /notes/5": .text("x"), "GET /notes/6": .text("y")])
                var configuration = AshlarApp.Configuration.inMemory(
                    resources: "/nonexistent", log: LogConfiguration(threshold: .debug, sinks: []))
                configuration.transport = stub
                let app = AshlarApp(configuration)
                let seen = Mutex<[String: Set<String?>]>([:])
                let watch = app.bus.watch("**") { signal in
                    Log("watcher").debug("saw \(signal.name)")
                    seen.withLock { _ = $0[signal.name, default: []].insert(signal.metadata?.correlationID) }
                }
                _ = try app.router.route("/notes/:id") { navigation in
                    let id: String = try navigation.parameters.value("id")
                    _ = try await app.client.send(NetworkRequest(.get, "https://api.example/notes/\(id)"))
                    Log("notes").info("shows \(id)")
                }
                await app.open("/notes/5")
                let headers = stub.requests.compactMap { $0.headers["traceparent"] }
                let id = try #require(headers.first).split(separator: "-")[1]
                for name in ["network:on", "network:off", "router:navigated"] {
                    #expect(seen.withLock { $0[name] } == [String(id)], "\(name)")
                }
                let lines = LogSystem.liveLog.split(separator: "\n").filter {
                    ["GET ", "shows", "saw network", "saw router"].contains(where: $0.contains)
                }
                #expect(lines.count >= 5)
                for line in lines { #expect(line.contains("correlation=\(id)"), "\(line)") }

                await app.open("/notes/6")
                let other = try #require(stub.requests.last?.headers["traceparent"]).split(separator: "-")[1]
                #expect(other != id, "each navigation has an ID of its own")
                await EventMetadata(correlationID: "support-7").whileCurrent { _ = await app.open("/notes/5") }
                #expect(LogSystem.liveLog.contains("correlation=support-7"))
                watch.cancel()
            }
        }

        @Test("Lines and requests outside of any activity have no ID, and a request keeps its own header")
        func none() async {
            await #expect(processExitsWith: .success) {
                let stub = StubTransport(["GET /a": .text("x")])
                var log = LogConfiguration(sinks: [])
                log.fieldProvider = { ["build": 7] }
                var configuration = AshlarApp.Configuration.inMemory(resources: "/nonexistent", log: log)
                configuration.transport = stub
                let app = AshlarApp(configuration)
                Log("App").info("plain")
                let url = try HTTPURL("https://api.example/a")
                _ = try await app.client.send(NetworkRequest(.get, url))
                let trace = TraceParent()
                try await EventMetadata(traceParent: trace.description).whileCurrent {
                    _ = try await app.client.send(NetworkRequest(.get, url, headers: ["traceparent": "own"]))
                    _ = try await app.client.send(NetworkRequest(.get, url))
                }
                let headers = stub.requests.map { $0.headers["traceparent"] }
                #expect(headers.prefix(2) == [nil, "own"])
                let header = try #require(headers.last ?? nil)
                let last = try #require(TraceParent(parsing: header))
                #expect(last.traceID == trace.traceID && last != trace, "the request is a step of the trace")
                let line = try #require(LogSystem.liveLog.split(separator: "\n").first { $0.contains("plain") })
                #expect(line.contains("build=7") && !line.contains("correlation"))
            }
        }
    #endif
}
