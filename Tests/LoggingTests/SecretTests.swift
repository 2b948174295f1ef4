import AshlarBase
import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarLogging

/// Secrets in messages, fields and errors, in all formats and sinks.
@Suite struct SecretTests {
    private struct Failure: Error {
        let url = "postgres://admin:\(PlantedSecrets.mark)@db.internal/app"
        let header = "Authorization: Bearer \(PlantedSecrets.mark)"
        let password = PlantedSecrets.mark
    }

    @Test("No planted secret is in any format or sink: in messages, fields, lists, objects and errors")
    func everywhere() throws {
        let folder = TemporaryFolder()
        try folder.make()
        let sink = RecordingSink()
        let terminal = Foundation.open(folder.file("terminal"), O_CREAT | O_WRONLY, 0o600)
        defer { close(terminal) }
        let output = StandardErrorSink(descriptor: terminal, format: .standard, isColored: true)
        let system = TestSystem(in: TemporaryFolder(in: folder.path)) {
            $0.sinks = [
                sink, FileSink(path: folder.file("a.jsonl"), format: .jsonLines),
                FileSink(path: folder.file("a.logfmt"), format: .logfmt), QueueSink(output),
                ConsoleSink(output) { 80 },
            ]
            $0.additionalSecrets = ["codename"]
            $0.maximumLineBytes = 1 << 20
            $0.rotation = LogRotation(segmentBytes: 1 << 24)
        }
        let log = system.log()
        for planted in PlantedSecrets.all {
            let text = planted.text
            log.logRaw(.info, text, fields: [:])
            log.with(["bound": text]).info("text: \(text)")
            log.logRaw(.info, text, fields: ["field": text, "list": [text, "x"], "object": ["inner": text]])
            log.info("fields", ["value": .describing(text), "nested": LogFieldValue.array([.array([.string(text)])])])
        }
        log.info("tenant codename=\(PlantedSecrets.mark)", ["codename": PlantedSecrets.mark])
        log.error("failed", ["error": .error(Failure())])
        log.error("failed: \(Failure())")
        _ = try? log.scope("work") { throw Failure() }
        system.flush(sync: false)
        let records = sink.records
        #expect(PlantedSecrets.all.count > 250 && records.count == PlantedSecrets.all.count * 4 + 5)
        for (index, planted) in PlantedSecrets.all.enumerated() {
            let lines = records[(index * 4)..<(index * 4 + 4)].flatMap { record in
                Self.formats.map { record.formatted(as: $0) }
            }
            let open = lines.first { $0.contains(planted.secret) }
            #expect(open == nil, "\(planted)")
        }
        let files = try ["a.jsonl", "a.logfmt", "terminal"].map {
            try String(contentsOfFile: folder.file($0), encoding: .utf8)
        }
        for secret in PlantedSecrets.distinct {
            #expect(!system.live.contains(secret) && !files.contains { $0.contains(secret) }, "\(secret)")
        }
    }

    private static let formats: [LogFormat] = [
        .standard, .myLogger, .ftToolBox, .logfmt, .jsonLines,
    ]

    @Test("Ordinary texts stay the same in messages and fields, and numbers in fields")
    func ordinary() {
        let sink = RecordingSink()
        let system = TestSystem { $0.sinks = [sink] }
        for text in PlantedSecrets.ordinary {
            system.log().logRaw(.info, text, fields: ["k": text, "n": 1_234_567_890_123])
        }
        #expect(sink.records.map(\.message) == PlantedSecrets.ordinary)
        let fields = sink.records.map { ($0.fields["k"], $0.fields["n"]) }
        for (text, (k, n)) in zip(PlantedSecrets.ordinary, fields) {
            #expect(k == .string(text) && n == .integer(1_234_567_890_123))
        }
    }

    @Test(
        "A field whose name is that of a secret is hidden, except nil, Booleans and numbers of things",
        arguments: [
            ("password", "x"), ("pin", 1234), ("token", 5), ("session", "a b"), ("tokens", "x"), ("stripeKey", "k"),
            ("JSESSIONID", "1"), ("contraseña", "1"), ("Passwort", "nein"), ("mot de passe", "x"), ("senha", 0.5),
            ("codenames", "x"),
        ] as [(String, any LogFieldConvertible)])
    func hiddenFields(key: String, value: any LogFieldConvertible) {
        LogSecrets.addNames(["codename"])
        #expect(LogSecrets.value(of: value, for: key) == .string("<redacted>"))
    }

    @Test(
        "Facts about secrets are in fields",
        arguments: [
            ("hasToken", "yes"), ("token", false), ("token", "nil"), ("password", "false"), ("tokens", 512),
            ("tokens", "512"),
            ("passwordLength", 12), ("tokenType", "bearer"), ("key", "users:42"), ("nextPageToken", "a1b2c3"),
            ("pins", 3),
            ("secret", ""), ("order", 123_456_789_012_345), ("ean", "4006381333931"), ("primaryKey", "id"),
        ] as [(String, any LogFieldConvertible)])
    func shownFields(key: String, value: any LogFieldConvertible) {
        #expect(LogSecrets.value(of: value, for: key) == value.logFieldValue)
    }

    @Test("Public fields are printed")
    func publicFields() {
        let system = TestSystem()
        system.log().info("x", ["url": .public("postgres://user:pw@db"), "token": .public("known")])
        #expect(system.live.contains("user:pw@db") && system.live.contains("token=known"))
    }
}
