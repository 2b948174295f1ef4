import AshlarBase
import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarLogging

/// Secrets in messages, fields and errors, in all formats and sinks.
@Suite struct SecretTests {
    private struct Failure: Error {
        let url = "postgres://admin:S3cr3tPw@db.internal/app"
        let header = "Authorization: Bearer S3cr3tTk"
        let password = "S3cr3tX1"
    }

    /// Texts with a secret, which has a mark, a number or a key in it.
    static let texts: [String] = {
        let mark = "S3cr3t"
        var texts = [
            "paid with 4111111111111111", "card 5500-0000-0000-0004", "to DE89370400440532013000",
            "iban GB29 NWBK 6016 1331 9268 19", "jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.\(mark)",
            "-----BEGIN PRIVATE KEY-----\n\(mark)\n-----END PRIVATE KEY-----", "curl --token \(mark) https://h",
            "Login(user: \"bob\", password: \"\(mark)\")", "tenant codename=\(mark)", "DATABASE_URL=\(mark)",
        ]
        let names = [
            "password", "access_token", "apiKey", "client_secret", "csrf", "ssn", "mfa_code", "refreshToken", "pin1",
            "x-api-key",
        ]
        for name in names {
            texts += [
                "\(name)=\(mark)", "https://h/p?a=1&\(name)=\(mark)&b=2", "{\"a\":1,\"\(name)\":\"\(mark)\"}",
                "\(name): \(mark)1", "Server=h;\(name)=\(mark);User=x",
            ]
        }
        for scheme in ["postgres", "https", "amqp", "redis"] { texts.append("at \(scheme)://user:\(mark)@host/x") }
        return texts
    }()

    private static func isOpen(_ text: String) -> Bool {
        ["S3cr3t", "4111111111111111", "0000-0004", "3704004405", "6016 1331"].contains { text.contains($0) }
    }

    @Test("No planted secret is in any format or sink: in messages, fields, lists, objects and errors")
    func everywhere() throws {
        let folder = TemporaryFolder()
        try folder.make()
        let sink = RecordingSink()
        let system = TestSystem(in: TemporaryFolder(in: folder.path)) {
            $0.sinks = [
                sink, FileSink(path: folder.file("a.jsonl"), format: .jsonLines),
                FileSink(path: folder.file("a.logfmt"), format: .logfmt), QueueSink(RecordingSink()),
            ]
            $0.additionalSecrets = ["codename"]
            $0.maximumLineBytes = 1 << 20
        }
        let log = system.log().with(["bound": "token=S3cr3t"])
        for text in Self.texts {
            log.info(text)
            log.info("text: \(text)")
            log.logRaw(.info, text, fields: ["field": text, "list": [text, "x"], "object": ["inner": text]])
            log.info("fields", ["value": .describing(text), "nested": LogFieldValue.array([.array([.string(text)])])])
        }
        log.error("failed", ["error": .error(Failure())])
        log.error("failed: \(Failure())", ["card": 4_111_111_111_111_111, "cards": [UInt64(4_111_111_111_111_111)]])
        _ = try? log.scope("work") { throw Failure() }
        system.flush(sync: false)
        let records = sink.records
        #expect(records.count == Self.texts.count * 4 + 4)
        let formats: [LogFormat] = [
            .standard, .myLogger, .ftToolBox, .logfmt, .jsonLines, .json(.ecs), .json(.googleCloud),
        ]
        for record in records {
            for format in formats {
                let line = record.formatted(as: format)
                #expect(!Self.isOpen(line), "\(line)")
            }
        }
        for name in ["a.jsonl", "a.logfmt"] {
            #expect(!Self.isOpen(try String(contentsOfFile: folder.file(name), encoding: .utf8)))
        }
        #expect(!Self.isOpen(system.live))
    }

    @Test("Each text with a secret passes the quick check, and texts without one stay the same")
    func quickCheck() {
        for text in Self.texts {
            #expect(LogText.withBytes(text) { LogSecrets.mayHaveSecret($0) }, "\(text)")
        }
        for text in ["value 1 and 3", "read 12 of 4096 bytes", "", "Grüße, ABC 12", "2026-11-20", "user bob"] {
            #expect(!LogText.withBytes(text) { LogSecrets.mayHaveSecret($0) }, "\(text)")
        }
        let system = TestSystem()
        let texts = ["ratio=0.5", "at 10:30:45", "see https://example.com/a?page=2", "a@b.example", "1234567890123"]
        for text in texts { system.log().info(text, ["k": text, "n": 1_234_567_890_123]) }
        #expect(!system.live.contains("redacted"))
    }

    @Test("A quick check never rejects a text that the redaction changes", arguments: 1...20)
    func soundness(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let parts = [
            "token", "=", ": ", "@", "4111", "1111", " ", "-", "--", "eyJ", ".", "Bearer ", "basic A1", "DE89", "x",
        ]
        for _ in 0..<2000 {
            let text = (0..<Int.random(in: 1...8, using: &random)).map { _ in parts.randomElement(using: &random)! }
                .joined()
            let isChanged = SecretText.redacted(text) != text
            #expect(!isChanged || LogText.withBytes(text) { LogSecrets.mayHaveSecret($0) }, "seed \(seed): \(text)")
        }
    }

    @Test("Public fields are printed")
    func open() {
        let system = TestSystem()
        system.log().info("x", ["url": .public("postgres://user:pw@db"), "token": .public("known")])
        #expect(system.live.contains("user:pw@db") && system.live.contains("token=known"))
    }
}
