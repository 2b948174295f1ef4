import Ashlar
import Foundation
import Testing

/// Each test runs in a process of its own, because the log is the process's.
@Suite(.timeLimit(.minutes(5))) struct GroundFloorTests {
    static let resources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../Resources").standardizedFileURL.path

    @Test("A plan starts every part on the files of one folder")
    func startsEverything() async {
        await #expect(processExitsWith: .success) {
            var plan = GroundFloorPlan(
                resources: Self.resources, environments: [.debug], bundleIdentifier: "com.example.fieldnotes.beta.acme",
                log: LogConfiguration(sinks: []))
            plan.languages = ["fr-CA"]
            plan.brand = "borealis"
            plan.themes = "Themes.json"
            plan.hostMap = "HostMap.json"
            plan.transport = StubTransport(["GET /notes": .text("two")])
            let floor = GroundFloor(plan)
            #expect(floor.problems.map(\.description) == [])
            #expect(floor.config.current.double(forKey: "api.timeout", default: 0) == 5)
            #expect(floor.config.current.string(forKey: "api.host", default: "") == "staging.fieldnotes.example")
            #expect(LogSystem.threshold == .debugging)
            #expect(floor.customization.current.string("app.title") == "Borealis Log")
            #expect(floor.customization.current.string("note.share") == "Transmettre")
            #expect(floor.customization.current.themes.map(\.name) == ["Daylight", "Night"])
            #expect(floor.hosts.rows.map(\.title) == ["api.fieldnotes.example", "media.fieldnotes.example"])
        }
    }

    @Test("Requests go to the chosen host, are logged, and are told on the bus")
    func glue() async {
        await #expect(processExitsWith: .success) {
            struct Notes: Endpoint {
                typealias Output = String
                let host: EndpointHost = "api.fieldnotes.example"
                let path: EndpointPath = "notes"
            }
            let stub = StubTransport(["GET /notes": .text("two")])
            var plan = GroundFloorPlan(
                resources: Self.resources, environments: [.debug], log: LogConfiguration(sinks: []))
            plan.hostMap = "HostMap.json"
            plan.transport = stub
            let floor = GroundFloor(plan)
            try floor.hosts.choose("DEV", for: "api.fieldnotes.example")
            let events = RecordedNames()
            let watch = floor.bus.watch("network:*") { events.append($0.name) }
            #expect(try await floor.client.send(Notes()) == "two")
            watch.cancel()
            #expect(events.names == ["network:on", "network:off"])
            #expect(stub.requests.map(\.url.description) == ["http://dev.api.fieldnotes.example/notes"])
            #expect(LogSystem.liveLog.contains("[DEBUG] network - GET http://dev.api.fieldnotes.example/notes: 200"))
        }
    }

    @Test("Faulty files are problems of their parts, with file and line, and the other parts work")
    func faultyFiles() async {
        await #expect(processExitsWith: .success) {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            defer { try? FileManager.default.removeItem(at: folder) }
            try FileManager.default.copyItem(atPath: Self.resources, toPath: folder.path)
            try "{".write(to: folder.appendingPathComponent("HostMap.json"), atomically: false, encoding: .utf8)
            try "<plist><dict>\n<key>a".write(
                to: folder.appendingPathComponent("ApplicationConfig.debug.plist"), atomically: false, encoding: .utf8)
            try "\"a\" = \"b\";\n\"c\" \"d\";\n".write(
                to: folder.appendingPathComponent("en.lproj/Localizable.strings"), atomically: false, encoding: .utf8)
            var plan = GroundFloorPlan(
                resources: folder.path, environments: [.debug], log: LogConfiguration(sinks: []))
            plan.languages = ["en"]
            plan.hostMap = "HostMap.json"
            plan.themes = "absent.json"
            let floor = GroundFloor(plan)
            func problem(_ part: GroundFloorProblem.Part, _ place: String) -> Bool {
                floor.problems.contains { $0.part == part && $0.message.contains(place) }
            }
            #expect(problem(.configuration, "ApplicationConfig.debug.plist:2"))
            #expect(problem(.customization, "en.lproj/Localizable.strings:2"))
            #expect(problem(.customization, "absent.json"))
            #expect(problem(.hosts, "HostMap.json line 1"))
            #expect(floor.config.current.double(forKey: "api.timeout", default: 0) == 24)
            #expect(floor.customization.current.string("a") == "b")
            #expect(floor.hosts.rows.isEmpty)
        }
    }
}

/// Names in the order in which they came.
private final class RecordedNames: @unchecked Sendable {  // guarded by `lock`
    private let lock = NSLock()
    private var list: [String] = []
    var names: [String] { lock.withLock { list } }
    func append(_ name: String) { lock.withLock { list.append(name) } }
}
