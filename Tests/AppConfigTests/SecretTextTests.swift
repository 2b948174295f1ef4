import AshlarAppConfig
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
        #expect(SecretText.redactingCredentials(in: text) == redacted)
    }
}
