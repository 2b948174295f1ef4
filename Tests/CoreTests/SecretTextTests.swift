import AshlarCore
import AshlarTestSupport
import Testing

@Suite struct SecretTextTests {
    @Test(
        "Credentials inside URLs are hidden",
        arguments: [
            ("postgres://user:hunter2@db", "postgres://<redacted>@db"),
            ("postgres://user:hunter2@db:5432/x", "postgres://<redacted>@db:5432/x"),
            ("redis://:pw@cache", "redis://<redacted>@cache"),
            ("https://ghp_abc@github.com/a", "https://<redacted>@github.com/a"),
            ("postgres://user:p@ss/w@rd@db/x", "postgres://<redacted>@db/x"),
            ("postgres://user:pa/ss@db/x", "postgres://<redacted>@db/x"),
            ("see https://a:b@c/ and ftp://d:e@f.", "see https://<redacted>@c/ and ftp://<redacted>@f."),
            ("https://h/p?token=abc&page=2", "https://h/p?token=<redacted>&page=2"),
            (
                "https://h/p?page=2&api%5Fkey=abc#access_token=d",
                "https://h/p?page=2&api%5Fkey=<redacted>#access_token=<redacted>"
            ),
            ("https://medium.com/@writer", "https://medium.com/@writer"),
            ("https://host:8080/@writer", "https://host:8080/@writer"),
            ("https://[::1]:80/a@b", "https://[::1]:80/a@b"),
            ("user@example.com", "user@example.com"), ("a://", "a://"), ("://", "://"), ("", ""),
            ("https://h/?token=", "https://h/?token="),
            ("postgres://user:it's<a>\"b@db/x next@mail", "postgres://<redacted>@db/x next@mail"),
            ("'http://host:80' or 'x@y'", "'http://host:80' or 'x@y'"),
            ("\"amqp://u:p@q\" 'x'", "\"amqp://<redacted>@q\" 'x'"),
        ])
    func urlCredentials(text: String, redacted: String) {
        #expect(SecretText.redacted(text) == redacted)
    }

    @Test(
        "The values of secret names are hidden",
        arguments: [
            ("login failed: password=hunter2, user=bob", "login failed: password=<redacted>, user=bob"),
            ("host=h password=X dbname=d", "host=h password=<redacted> dbname=d"),
            ("host=h password='a b' dbname=d", "host=h password='<redacted>' dbname=d"),
            ("Server=h;Password=a b;Database=d", "Server=h;Password=<redacted>;Database=d"),
            ("Password=a b;Server=h", "Password=<redacted>;Server=h"),
            ("Server=h;Pwd=a b", "Server=h;Pwd=<redacted>"),
            ("AccountName=a;AccountKey=b+/c==;End=x", "AccountName=a;AccountKey=<redacted>;End=x"),
            ("user=a&password=b&page=1", "user=a&password=<redacted>&page=1"),
            ("/callback?code=1&access_token=abc&page=2", "/callback?code=1&access_token=<redacted>&page=2"),
            ("Authorization: Bearer abc def\r\nHost: h", "Authorization: <redacted>\r\nHost: h"),
            ("curl -H 'Authorization: Basic abc' https://h", "curl -H 'Authorization: <redacted>' https://h"),
            ("Set-Cookie: id=1; Path=/\nHost: h", "Set-Cookie: <redacted>\nHost: h"),
            ("X-Api-Key: abc", "X-Api-Key: <redacted>"),
            ("{\"password\":\"a\\\"b\",\"user\":\"c\"}", "{\"password\":\"<redacted>\",\"user\":\"c\"}"),
            ("{\"pin\" : 1234, \"ok\": true}", "{\"pin\" : <redacted>, \"ok\": true}"),
            ("{\"token\":null,\"secret\":false}", "{\"token\":null,\"secret\":false}"),
            ("{\"tokens\":[\"a]\",{\"b\":1}],\"c\":2}", "{\"tokens\":<redacted>,\"c\":2}"),
            (#"{"body":"{\"token\":\"a\\\"b\",\"c\":1}"}"#, #"{"body":"{\"token\":\"<redacted>\",\"c\":1}"}"#),
            ("Login(user: \"bob\", password: \"a b\")", "Login(user: \"bob\", password: \"<redacted>\")"),
            ("passphrase: correct horse\nnext", "passphrase: <redacted>\nnext"),
            ("tool --token='a b' --host h", "tool --token='<redacted>' --host h"),
            ("(token=abc).", "(token=<redacted>)."), ("otp=123456", "otp=<redacted>"),
            ("pin: 1234", "pin: <redacted>"), ("session: opened", "session: opened"),
            ("auth: 3 users", "auth: 3 users"), ("password= ", "password= "), ("a=b", "a=b"),
            ("/login/token: not found", "/login/token: not found"), ("==", "=="), (":", ":"),
            ("12:30:45", "12:30:45"), ("token=", "token="), ("\"token\":", "\"token\":"), ("token=\"", "token=\""),
        ])
    func namedValues(text: String, redacted: String) {
        #expect(SecretText.redacted(text) == redacted)
    }

    @Test(
        "Credentials without a name or a scheme of a URL are hidden",
        arguments: [
            ("Bearer hunter", "Bearer <redacted>"), ("sent Bearer a.b-c~d/e== to h", "sent Bearer <redacted> to h"),
            ("Bearer token is missing", "Bearer token is missing"), ("bearer of bad news", "bearer of bad news"),
            ("Basic dXNlcjpwYXNz", "Basic <redacted>"), ("Basic authentication", "Basic authentication"),
            ("Basic usage", "Basic usage"), ("Basic X", "Basic <redacted>"), ("Bearer X", "Bearer <redacted>"),
            ("mailto:a@b.example", "mailto:a@b.example"), ("a@b.example", "a@b.example"),
            ("git@h.example:a/b", "git@h.example:a/b"), ("nginx:1.2@sha256:ab", "nginx:1.2@sha256:ab"),
            ("10:30@noon", "10:30@noon"), ("@", "@"), ("x-Bearer abc", "x-Bearer <redacted>"),
        ])
    func credentials(text: String, redacted: String) {
        #expect(SecretText.redacted(text) == redacted)
    }

    @Test(
        "JSON web tokens and private keys are hidden",
        arguments: [
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-_ end", "<redacted> end"), ("eyJhbGciOiJ9", "eyJhbGciOiJ9"),
            ("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nx", "<redacted>\nx"),
            ("-----BEGIN PRIVATE KEY-----\nabc", "<redacted>"), ("k-----BEGIN EC PRIVATE KEY-----a", "k<redacted>"),
            ("x.eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc", "x.eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc"),
            ("-----BEGIN CERTIFICATE-----\nabc", "-----BEGIN CERTIFICATE-----\nabc"),
        ])
    func shapes(text: String, redacted: String) {
        #expect(SecretText.redacted(text) == redacted)
    }

    @Test(
        "Numbers, XML, descriptions of values and options of commands don't change",
        arguments: [
            "paid with 4111 1111 1111 1111", "to DE89370400440532013000", "<pin>1</pin>", "--password hunter2",
            "[AnyHashable(\"token\"): \"x\"]", "user:pw@db.example",
        ])
    func others(text: String) {
        #expect(SecretText.redacted(text) == text)
    }

    @Test("Additional names apply to text")
    func additionalNames() {
        let names = SecretNames(additionalWords: ["codename"])
        #expect(SecretText.redacted("codename=x y", names: names) == "codename=<redacted> y")
        #expect(SecretText.redacted("codename=x y") == "codename=x y")
    }

    @Test("Redacted text stays the same, and random text never loses what is around a secret")
    func repetition() {
        var random = SeededRandom(seed: 11)
        let parts = [
            "password", "token", "=", ":", ": ", "\"", "\\\"", "'", "{", "}", "[", "]", "@", "://", "user:pw@h",
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
            "http://h/?a=", "[", "%3", "cookie:<redacted>", "\"cookie\":\"<redacted>", "\ntoken: ", ";token: a",
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
