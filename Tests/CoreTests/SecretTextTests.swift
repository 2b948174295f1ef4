import AshlarCore
import AshlarTestSupport
import Testing

@Suite struct SecretTextTests {
    @Test("Lines with a secret don't show it, and keep their beginning", arguments: PlantedSecrets.all)
    func secrets(planted: PlantedSecrets.Case) throws {
        let redacted = SecretText.redacted(planted.text)
        #expect(!redacted.contains(planted.secret))
        let start = try #require(redacted.firstRange(of: SecretNames.placeholder)).lowerBound
        #expect(planted.text.hasPrefix(redacted[..<start]))
        #expect(mayHaveSecret(planted.text))
    }

    @Test("Ordinary lines don't change", arguments: PlantedSecrets.ordinary)
    func ordinary(text: String) {
        #expect(SecretText.redacted(text) == text)
    }

    @Test("Each table has at least 150 lines")
    func tablesAreLarge() {
        #expect(Set(PlantedSecrets.all.map(\.text)).count >= 150 && Set(PlantedSecrets.ordinary).count >= 150)
    }

    @Test(
        "Only the secret of a line is hidden",
        arguments: [
            ("postgres://user:hunter2@db:5432/x", "postgres://<redacted>@db:5432/x"),
            ("redis://:pw@cache", "redis://<redacted>@cache"),
            ("postgres://user:p@ss/w@rd@db/x", "postgres://<redacted>@db/x"),
            ("postgres://user:pa/ss@db/x", "postgres://<redacted>@db/x"),
            ("see https://a:b@c/ and ftp://d:e@f.", "see https://<redacted>@c/ and ftp://<redacted>@f."),
            ("https://h/p?token=abc&page=2", "https://h/p?token=<redacted>&page=2"),
            (
                "https://h/p?page=2&api%5Fkey=abc#access_token=d",
                "https://h/p?page=2&api%5Fkey=<redacted>#access_token=<redacted>"
            ),
            ("postgres://user:it's<a>\"b@db/x next@mail", "postgres://<redacted>@db/x next@mail"),
            ("\"amqp://u:p@q\" 'x'", "\"amqp://<redacted>@q\" 'x'"),
            ("login failed: password=hunter2, user=bob", "login failed: password=<redacted>, user=bob"),
            ("Server=h;Password=Abc123;Database=d", "Server=h;Password=<redacted>;Database=d"),
            ("Authorization: Bearer abc def\r\nHost: h", "Authorization: <redacted> def\r\nHost: h"),
            ("curl -H 'Authorization: Basic YTpi' https://h", "curl -H 'Authorization: <redacted>' https://h"),
            ("Set-Cookie: id=1; Path=/\nHost: h", "Set-Cookie: <redacted>\nHost: h"),
            ("{\"password\":\"abc\\\"def\",\"user\":\"c\"}", "{\"password\":\"<redacted>\",\"user\":\"c\"}"),
            (#"{"body":"{\"token\":\"abcd\\\"ef\",\"c\":1}"}"#, #"{"body":"{\"token\":\"<redacted>\",\"c\":1}"}"#),
            ("{\"tokens\":[\"abc123\",\"x\"],\"c\":2}", "{\"tokens\":[\"<redacted>\"],\"c\":2}"),
            ("(token=abc123).", "(token=<redacted>)."), ("sent Bearer a.b-c1d/e== to h", "sent Bearer <redacted> to h"),
            ("x-Bearer abc123", "x-Bearer <redacted>"),
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-_ end", "<redacted> end"),
            ("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nx", "<redacted>\nx"),
            ("-----BEGIN PRIVATE KEY-----\nabc", "<redacted>"), ("k-----BEGIN EC PRIVATE KEY-----a", "k<redacted>"),
        ])
    func parts(text: String, redacted: String) {
        #expect(SecretText.redacted(text) == redacted)
    }

    @Test(
        "Text without a value, and what isn't recognized, doesn't change",
        arguments: [
            "user@example.com", "a://", "://", "", "https://h/?token=", "'http://host:80' or 'x@y'", "password= ", "==",
            ":", "=", "token=", "\"token\":", "token=\"", "@", "password=", ":token", "=>", "token =>", "token=[",
            "-----BEGIN ",
            "x.eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc", "eyJhbGciOiJ9", "password=a b c", "passphrase: correct horse",
            "pin: 1234", "paid with 4111 1111 1111 1111", "to DE89370400440532013000", "<pin>123456</pin>",
            "--password hunter2", "[AnyHashable(\"token\"): \"x\"]", "user:pw@db.example", "the password is hunter2",
        ])
    func others(text: String) {
        #expect(SecretText.redacted(text) == text)
    }

    private func mayHaveSecret(_ text: String) -> Bool {
        Array(text.utf8).withUnsafeBufferPointer { SecretText.mayHaveSecret($0) }
    }

    @Test("The quick check never rejects a text that the redaction changes", arguments: 1...20)
    func soundness(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let parts = [
            "token", "=", ": ", "://", "@", " ", "-", "--", "-----BEGIN PRIVATE KEY-----", "eyJ", ".", "Bearer ",
            "basic A1", "x", "\"", "key", "ghp_", "AKIA", "0123456789abc",
        ]
        for _ in 0..<2000 {
            let text = (0..<Int.random(in: 1...8, using: &random)).map { _ in parts.randomElement(using: &random)! }
                .joined()
            #expect(SecretText.redacted(text) == text || mayHaveSecret(text), "seed \(seed): \(text)")
        }
    }

    @Test("Most messages are rejected by the quick check")
    func quickCheck() {
        for text in [
            "value 1 and 3", "read 12 of 4096 bytes", "", "Grüße, ABC 12", "2026-11-20 -- x", "user bob", "eye",
        ] {
            #expect(!mayHaveSecret(text), "\(text)")
        }
    }

    @Test("Additional names apply to text")
    func additionalNames() {
        let names = SecretNames(additionalWords: ["codename"])
        #expect(SecretText.redacted("codename=bluebird y", names: names) == "codename=<redacted> y")
        #expect(SecretText.redacted("codename=bluebird y") == "codename=bluebird y")
    }

    @Test("Redacted text stays the same, and random text never loses what is around a secret")
    func repetition() {
        var random = SeededRandom(seed: 11)
        let parts = [
            "password", "token", "=", "=>", ":", ": ", "S3cr3tXq", "Authorization", "Cookie: a=", "?code=", "\"",
            "\\\"", "'", "{", "}", "[", "]", "@", "://", "user:pw@h",
            "Bearer ", "eyJ",
            ".", "-", "--", " ", "\n", ";", "&", "?", "<redacted>", "é", "-----BEGIN PRIVATE KEY-----", "a",
        ]
        for _ in 0..<1_000 {
            let text = (0..<Int.random(in: 0..<16, using: &random)).map { _ in parts.randomElement(using: &random) ?? ""
            }.joined()
            let once = SecretText.redacted(text)
            #expect(SecretText.redacted(once) == once, "\(text.debugDescription)")
            #expect(SecretText.redacted("plain words " + text).hasPrefix("plain words"), "\(text.debugDescription)")
        }
    }

    @Test(
        "The cost of a hostile text grows with its length only",
        arguments: [
            "=", ":", "@", "a:@", "a://b:c/", "://", "eyJ-", "eyJ.", "token=", "\"token\":", "\"token\":\"\"",
            "Bearer ", "-----BEGIN ", "-----BEGIN PRIVATE KEY", "token: {", "\\\"", "\\", "password=a ;",
            "key: a",
            "http://h/?a=", "[", "pin=", "pin:", "pin=\"", "ghp_", "session: a=", "token=[\"", "Authorization: Digest ",
            "%3", "cookie:<redacted>", "\"cookie\":\"<redacted>", "\ntoken: ", ";token: a",
            ";token= ", "token=a ", "token: a", "token", "a:b@c ", "key: 1 ",
        ])
    func hostileTexts(part: String) {
        // In a value, so that a search of the value's parts is measured, too.
        let opening = "\"token\":{"
        let ratio = growth(from: 2_500, to: 20_000, limit: 30) {
            $0 / part.utf8.count
        } _: { count in
            for text in [String(repeating: part, count: count), opening + String(repeating: part, count: count)] {
                let redacted = SecretText.redacted(text)
                #expect(redacted.utf8.count <= text.utf8.count + (count + 1) * SecretNames.placeholder.utf8.count)
            }
        }
        // Eight times the text takes 8 times as long; with a quadratic scan, 64 times.
        #expect(ratio < 30)
    }
}
