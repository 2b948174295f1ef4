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
        for secret in Set(PlantedSecrets.all.map(\.secret)) {
            #expect(!system.live.contains(secret) && !files.contains { $0.contains(secret) }, "\(secret)")
        }
    }

    private static let formats: [LogFormat] = [
        .standard, .myLogger, .ftToolBox, .logfmt, .jsonLines,
    ]

    @Test("Each text with a secret passes the quick check, and ordinary texts stay the same")
    func quickCheck() {
        for planted in PlantedSecrets.all {
            #expect(planted.text.withBytes(LogSecrets.mayHaveSecret), "\(planted)")
        }
        for text in ["value 1 and 3", "read 12 of 4096 bytes", "", "Grüße, ABC 12", "2026-11-20", "user bob"] {
            #expect(!text.withBytes(LogSecrets.mayHaveSecret), "\(text)")
        }
        let system = TestSystem()
        for text in PlantedSecrets.ordinary {
            let redacted = LogSecrets.redacted(text)
            #expect(redacted == nil, "\(text)")
            system.log().logRaw(.info, text, fields: ["k": text, "n": 1_234_567_890_123])
        }
        #expect(!system.live.contains("redacted"))
    }

    @Test("A quick check never rejects a text that the redaction changes", arguments: 1...20)
    func soundness(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let parts = [
            "token", "=", ": ", "://", "@", " ", "-", "--", "-----BEGIN PRIVATE KEY-----", "eyJ", ".", "Bearer ",
            "basic A1", "x", "\"", "key",
        ]
        for _ in 0..<2000 {
            let text = (0..<Int.random(in: 1...8, using: &random)).map { _ in parts.randomElement(using: &random)! }
                .joined()
            let isChanged = SecretText.redacted(text) != text
            #expect(!isChanged || text.withBytes(LogSecrets.mayHaveSecret), "seed \(seed): \(text)")
        }
    }

    @Test("Public fields are printed")
    func publicFields() {
        let system = TestSystem()
        system.log().info("x", ["url": .public("postgres://user:pw@db"), "token": .public("known")])
        #expect(system.live.contains("user:pw@db") && system.live.contains("token=known"))
    }
}
