import AshlarLogging
import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarTelemetry

/// Syslog and journal, with a service of the test at the socket.
@Suite struct SystemSinkTests {
    @Test("A syslog message has priority, time, tag and process, then the line", .timeLimit(.minutes(2)))
    func syslog() throws {
        let service = try DatagramService()
        let sink = SyslogSink(tag: "notes", socketPath: service.path)
        for (level, severity) in zip(LogLevel.allCases, [1, 2, 3, 4, 5, 6, 7, 7, 7]) {
            let record = copy(level: level, message: "one\ntwo")
            #expect(sink.receive(record))
            let header = "<\(8 + severity)>Nov 20 13:22:32 notes[\(getpid())]: "
            #expect(try service.text() == "\(header)[\(level.name)] Ctx - one\\ntwo k=1")
        }
        #expect(sink.receive(copy(nanoseconds: 86_400_000_000_000 * 3)))
        #expect(try service.text().hasPrefix("<15>Jan  4 00:00:00 notes["))
        #expect(sink.receive(copy(message: String(repeating: "x", count: 100_000))))
        let long = try service.text()
        #expect(long.utf8.count < 8192 + 64 && long.utf8.count > 8000)
    }

    @Test("Without a service the sink fails; a new or restarted service receives lines", .timeLimit(.minutes(2)))
    func comesAndGoes() throws {
        let folder = TemporaryFolder()
        try folder.make()
        let path = folder.path + "/s"
        let sink = SyslogSink(tag: "t", socketPath: path)
        func send() -> Bool { sink.receive(copy()) }
        #expect(!send())
        for _ in 0..<2 {
            let service = try DatagramService(path: path)
            #expect(send())
            #expect(try service.text().hasSuffix("msg k=1"))
            service.close()
            #expect(!send())
        }
    }

    @Test("If the service doesn't read, the sink fails without waiting", .timeLimit(.minutes(2)))
    func neverBlocks() throws {
        let service = try DatagramService()
        let sink = SyslogSink(tag: "t", socketPath: service.path)
        let text = String(repeating: "x", count: 4000)
        let sent = (0..<10_000).prefix { _ in sink.receive(copy(message: text)) }.count
        #expect(sent < 10_000)
    }

    @Test("A socket's descriptor that the app reused is neither written to nor closed")
    func takenNumber() throws {
        let (service, folder) = (try DatagramService(), TemporaryFolder())
        try folder.make()
        let sink = SyslogSink(tag: "t", socketPath: service.path)
        func send() throws -> Bool {
            try sink.receive(copy()) && service.text().hasSuffix("msg k=1")
        }
        #expect(try send())
        let precious = folder.path + "/precious"
        let (number, host) = (sink.socket.descriptor, open(precious, O_CREAT | O_RDWR, 0o600))
        try #require(number >= 0 && dup2(host, number) == number)
        #expect(try send())
        #expect(try Data(contentsOf: URL(fileURLWithPath: precious)).isEmpty)
        #expect(close(number) == 0)
        close(host)
    }

    @Test("The journal gets all members of a line, values with line ends after their length")
    func journal() throws {
        let service = try DatagramService()
        let sink = JournalSink(identifier: "notes", socketPath: service.path)
        let fields: LogFields = ["user-id": 7, "message": "mine", "_9x": "two\nlines", "": true]
        #expect(sink.receive(copy(level: .error, message: "one\ntwo\u{1B}", fields: fields)))
        let entries = try journalFields(service.datagram())
        #expect(
            entries.map { "\($0)=\($1)" } == [
                "MESSAGE=one\ntwo\u{1B}", "PRIORITY=3", "SYSLOG_IDENTIFIER=notes", "CODE_FILE=M/F.swift", "CODE_LINE=7",
                "CODE_FUNC=get(from:)", "TID=99", "LOG_CONTEXT=Ctx", "USER_ID=7", "FIELD_MESSAGE=mine",
                "X=two\nlines", "FIELD=true",
            ])
        // Values with a line end have the binary form, others NAME=value.
        #expect(sink.receive(copy(message: "plain", fields: [:])))
        #expect(String(decoding: try service.datagram(), as: UTF8.self).hasPrefix("MESSAGE=plain\nPRIORITY=7\n"))
    }

    @Test("On the wire of each sink, a key has its innermost value, once, and no planted secret is readable")
    func onTheWire() async throws {
        let (journal, syslog) = (try DatagramService(), try DatagramService())
        let collector = Collector()
        let otlp = OTLPSink(
            resource: ["service.name": "a", "api_key": PlantedSecrets.mark], threshold: .verbose, interval: .zero,
            limits: .init(), folder: nil, send: { collector.receive($0) }, sleep: { _ in }, note: { collector.note($0) }
        )
        let system = TestSystem {
            $0.sinks = [
                JournalSink(identifier: "a", socketPath: journal.path), SyslogSink(tag: "a", socketPath: syslog.path),
                otlp,
            ]
            $0.fieldProvider = { ["k": "provider"] }
        }
        LogSystem.withFields(["k": "outer", "trace_id": "x"]) {
            system.log().with(["k": "with"]).info("one", ["k": "call", "k": "last", "log.context": "own"])
        }
        #expect(try syslog.text().hasSuffix("A - one k=last trace_id=x log.context=own"))
        let names = try journalFields(journal.datagram())
        #expect(names.filter { $0.0 == "K" }.map(\.1) == ["last"] && names.filter { $0.0 == "TRACE_ID" }.count == 1)
        for planted in PlantedSecrets.all {
            system.log().logRaw(.info, planted.text, fields: ["field": planted.text])
            for text in [try journal.text(), try syslog.text()] {
                #expect(!text.contains(planted.secret), "\(planted)")
            }
        }
        await otlp.send()
        let bodies = collector.state.withLock { $0.bodies }
        let text = bodies.map { String(decoding: $0, as: UTF8.self) }.joined()
        for secret in Set(PlantedSecrets.all.map(\.secret)) { #expect(!text.contains(secret), "\(secret)") }
        let first = try #require(JSONSerialization.jsonObject(with: Data(bodies[0])) as? [String: Any])
        #expect(Self.repeatedKeys(in: first) == [])
    }

    /// The keys that are repeated in a list of attributes of a request.
    private static func repeatedKeys(in value: Any) -> [String] {
        if let object = value as? [String: Any] { return object.values.flatMap { repeatedKeys(in: $0) } }
        guard let list = value as? [Any] else { return [] }
        let keys = list.compactMap { ($0 as? [String: Any])?["key"] as? String }
        let repeated = Dictionary(grouping: keys) { $0 }.filter { $0.value.count > 1 }.map(\.key)
        return repeated + list.flatMap { repeatedKeys(in: $0) }
    }

    @Test("The journal can parse random lines", arguments: 1...20 as ClosedRange<UInt64>)
    func journalRoundTrip(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let service = try DatagramService()
        let sink = JournalSink(identifier: "notes", socketPath: service.path)
        let parts = ["\n", "=", "\0", "é", "👩‍👩‍👧", "abc", "MESSAGE=x\n", "\r\n"]
        func text() -> String {
            (0..<Int.random(in: 0...40, using: &random)).map { _ in parts.randomElement(using: &random)! }.joined()
        }
        let (message, value) = (text(), text())
        #expect(sink.receive(copy(message: message, fields: ["value": value])))
        let entries = try journalFields(service.datagram())
        #expect(entries.first?.1.utf8.elementsEqual(message.utf8) == true)
        #expect(entries.last?.0 == "VALUE")
        #expect(entries.last?.1.utf8.elementsEqual(value.utf8) == true)
    }

    @Test("A line that is too long for a datagram arrives truncated")
    func journalLimits() throws {
        let service = try DatagramService()
        let sink = JournalSink(identifier: "notes", socketPath: service.path)
        let long = String(repeating: "é", count: 100_000)
        var fields: LogFields = [:]
        for index in 0..<100 { fields.append("field\(index)", long) }
        #expect(sink.receive(copy(message: long, fields: fields)))
        let entries = try journalFields(service.datagram())
        #expect(entries[0].1.utf8.count == 32_768)
        #expect(entries.dropFirst(8).allSatisfy { $0.1.utf8.count == 4096 })
        #expect(entries.count > 20 && entries.count < 60)
    }

    @Test(
        "Journal names are up to 64 capitals, digits and underscores, first a capital",
        arguments: [
            ("bytes", "BYTES"), ("a.b-c", "A_B_C"), ("1st", "ST"), ("__x", "X"), ("é", "FIELD"),
            ("priority", "FIELD_PRIORITY"),
            (String(repeating: "a", count: 80), String(repeating: "A", count: 64)),
        ])
    func journalNames(key: String, name: String) { #expect(JournalSink.name(of: key) == name) }

    private func copy(
        level: LogLevel = .debug, nanoseconds: Int64 = 1_795_180_952_123_456_789, message: String = "msg",
        fields: LogFields = ["k": 1]
    ) -> LogRecord {
        LogRecord(
            sequence: 42, level: level, time: LogTime(nanoseconds: nanoseconds), depth: 0, context: "Ctx",
            message: message, fields: fields, file: "M/F.swift", function: "get(from:)", line: 7, threadID: 99)
    }

    /// Reads the journal's native protocol as journald does.
    private func journalFields(_ bytes: [UInt8]) throws -> [(String, String)] {
        var fields: [(String, String)] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: 10) {
            let line = rest[..<end]
            rest = rest[(end + 1)...]
            if let equals = line.firstIndex(of: 61) {
                fields.append(
                    (
                        String(decoding: line[..<equals], as: UTF8.self),
                        String(decoding: line[(equals + 1)...], as: UTF8.self)
                    ))
                continue
            }
            try #require(rest.count >= 8)
            let count = rest.prefix(8).enumerated().reduce(0) { $0 | Int($1.element) << (8 * $1.offset) }
            rest = rest.dropFirst(8)
            try #require(rest.count > count)
            fields.append(
                (String(decoding: line, as: UTF8.self), String(decoding: rest.prefix(count), as: UTF8.self)))
            rest = rest.dropFirst(count)
            try #require(rest.first == 10)
            rest = rest.dropFirst()
        }
        #expect(rest.isEmpty)
        return fields
    }
}

/// A datagram socket like that of a system service.
private final class DatagramService {
    let path: String
    private let folder: TemporaryFolder?
    private var descriptor: Int32

    init(path given: String? = nil) throws {
        folder = given == nil ? TemporaryFolder() : nil
        try folder?.make()
        path = given ?? folder!.path + "/socket"
        #if canImport(Darwin)
            descriptor = socket(AF_UNIX, SOCK_DGRAM, 0)
        #else
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        #endif
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0)
        var wait = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close() }

    func close() {
        guard descriptor >= 0 else { return }
        _ = Foundation.close(descriptor)
        unlink(path)
        descriptor = -1
    }

    func datagram() throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 1 << 18)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        try #require(count >= 0)
        return Array(bytes[..<count])
    }

    func text() throws -> String { String(decoding: try datagram(), as: UTF8.self) }
}
