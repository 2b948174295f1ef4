/// Texts with a secret, by class, and ordinary texts that look similar.
public enum PlantedSecrets {
    /// A text and the secret in it.
    public struct Case: Sendable, CustomStringConvertible {
        /// The class of the secret, for failures.
        public let kind: String
        /// The text as an app logs it.
        public let text: String
        /// The part of the text that must not appear anywhere.
        public let secret: String

        /// The class and the text.
        public var description: String { "\(kind): \(text)" }
    }

    /// The secret of most texts: it has no shape by which it could be recognized.
    public static let mark = "S3cr3tXq"

    /// All texts, more than 300.
    public static let all: [Case] = named + urls + headers + documents + commands + shapes

    private static func cases(_ kind: String, _ texts: [String], secret: String = mark) -> [Case] {
        texts.map { Case(kind: kind, text: $0, secret: secret) }
    }

    // MARK: Names

    /// Names of secrets, in the notations of code, environments, headers and JSON.
    private static let names = [
        "password", "passwd", "pwd", "passphrase", "passcode", "secret", "clientSecret", "client_secret", "token",
        "accessToken", "access_token", "refresh-token", "idToken", "session_token", "authToken", "apiKey", "api_key",
        "API_KEY", "x-api-key", "X-Auth-Token", "apikey", "privateKey", "signing_key", "encryptionKey", "secretKey",
        "aws_secret_access_key", "AWS_SESSION_TOKEN", "AccountKey", "SharedAccessKey", "storage_key", "sshKey",
        "licenseKey", "webhook_secret", "DATABASE_URL", "databaseUrl", "connectionString", "DB_PASSWORD", "dbPassword",
        "PGPASSWORD", "csrf", "csrf_token", "csrfToken", "X-CSRF-Token", "xsrf", "X-XSRF-TOKEN", "ssn", "SSN",
        "socialSecurityNumber", "mfa_code", "mfaCode", "MFA_CODE", "smsCode", "verificationCode", "totp", "otp_code",
        "pinCode", "cardPin", "cvv", "cvc", "card_number", "cardNumber", "iban", "recoveryCode", "backup_code",
        "securityAnswer", "code_verifier", "jwt", "sessionId", "session_id", "cookie", "bearer", "credentials",
        "user[password]", "password1", "new_password", "confirmPassword", "oldPwd", "smtp_pass", "hmac_key", "sig",
        "X-Amz-Signature", "nonce", "salt", "auth", "authorization", "proxy_authorization", "oauth_token", "pgpass",
    ]

    private static let named: [Case] = names.flatMap { name -> [Case] in
        cases(
            "name",
            [
                "\(name)=\(mark)", "\(name): \(mark)", "GET /p?a=1&\(name)=\(mark)&b=2 took 3 ms",
                "{\"a\":1,\"\(name)\":\"\(mark)\",\"b\":[1]}", "Account(id: 7, \(name): \"\(mark)\")",
            ])
    }

    // MARK: URLs

    private static let urls: [Case] =
        [
            "postgres", "postgresql", "mysql", "mongodb+srv", "redis", "rediss", "amqp", "amqps", "nats", "ftp",
            "sftp", "smtp", "ldap", "https", "http", "jdbc:postgresql", "clickhouse", "git+https",
        ].flatMap { scheme in
            cases("URL", ["at \(scheme)://user:\(mark)@db.internal:1234/x", "\(scheme)://:\(mark)@h"])
        }
        + cases(
            "URL",
            [
                "https://\(mark)@github.com/a/b.git", "https://user:p@ss/\(mark)@host/x",
                "failed: Optional(\"postgres://u:\(mark)@h/db?sslmode=require\")", "<https://u:\(mark)@h>",
                "https://h/#access_token=\(mark)&token_type=bearer", "https://h/cb?code=1&id_token=\(mark)",
                "https://h/?api%5Fkey=\(mark)", "https://h/a?sv=1&sig=\(mark)%3D", "wss://h/s?auth=\(mark)",
                "https://h/?X-Amz-Security-Token=\(mark)&x=1", "https://h/?X-Goog-Signature=\(mark)",
                "https://h/reset?reset_token=\(mark)", "myapp://login?otp=\(mark)", "/cb?state=x&client_secret=\(mark)",
            ])

    // MARK: Headers

    private static let headers: [Case] = cases(
        "header",
        [
            "Authorization: Bearer \(mark)", "authorization: Basic \(mark)=", "Authorization: Token token=\"\(mark)\"",
            "Proxy-Authorization: Basic \(mark)", "Authorization: AWS4-HMAC-SHA256 Credential=a, Signature=\(mark)",
            "Authorization: Digest username=\"a\", response=\"\(mark)\"", "Cookie: a=b; sid=\(mark)",
            "Set-Cookie: id=\(mark); Path=/; HttpOnly", "X-Api-Key: \(mark)", "X-Auth-Token: \(mark)",
            "GET / HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer \(mark)\r\nAccept: */*", "api-key: \(mark)",
            "X-Vault-Token: \(mark)", "PRIVATE-TOKEN: \(mark)", "X-Amz-Security-Token: \(mark)",
            "[\"Authorization\": \"Bearer \(mark)\", \"Accept\": \"a\"]", "headers={Authorization=Bearer \(mark)}",
            "sent Bearer \(mark) to h", "bearer \(mark)", "Basic dXNlcjpTM2NyM3RYcQ\(mark)==", "X-Session-Id: \(mark)",
            "Ocp-Apim-Subscription-Key: \(mark)", "X-Webhook-Secret: \(mark)", "Stripe-Signature: t=1,v1=\(mark)",
        ])

    // MARK: Documents

    private static let documents: [Case] = cases(
        "document",
        [
            "{\"user\":{\"name\":\"a\",\"password\":\"\(mark)\"}}", "{ \"token\" : \"\(mark)\" }",
            "{\"body\":\"{\\\"token\\\":\\\"\(mark)\\\",\\\"a\\\":1}\"}", "{\"pin\":\"\(mark)\"}",
            "{'secret': '\(mark)'}",
            "{\n  \"password\": \"\(mark)\",\n  \"a\": 1\n}", "{\"tokens\":[\"a\",\"\(mark)\"]}",
            "{\"credentials\":{\"user\":\"a\",\"value\":\"\(mark)\"}}", "{\"secret\":\"a\\\"\(mark)\"}",
            "password: \"\(mark)\"", "db:\n  password: \(mark)\n  host: h", "password = \"\(mark)\"",
            "password='\(mark)'",
            "Server=h;Database=d;User Id=a;Password=\(mark);Encrypt=true", "Server=h;Pwd=\(mark)",
            "host=h port=5432 user=a password=\(mark) dbname=d",
            "DefaultEndpointsProtocol=https;AccountKey=\(mark)==;A=b",
            "Endpoint=sb://h/;SharedAccessKeyName=a;SharedAccessKey=\(mark)=",
            "grant_type=password&password=\(mark)&u=a",
            "username=a&client_secret=\(mark)", "Login(user: \"a\", password: \"\(mark)\")",
            "Login(token: Optional(\"\(mark)\"))", "[\"password\": \"\(mark)\"]",
            "Error Domain=D Code=1 UserInfo={password=\(mark), NSURL=x}", "keyNotFound(token: \"\(mark)\")",
            "failed with passphrase: correct \(mark) staple", "mnemonic: abandon \(mark) zoo",
        ])

    // MARK: Commands and environments

    private static let commands: [Case] = cases(
        "command",
        [
            "curl -H 'Authorization: Bearer \(mark)' https://h",
            "tool --password=\(mark) x",
            "export DATABASE_URL=\(mark)", "API_KEY=\(mark) ./run",
            "docker run -e DB_PASSWORD=\(mark) image", "PGPASSWORD=\(mark) psql -h h",
            "set \"TOKEN=\(mark)\"",
            "git clone https://x-access-token:\(mark)@github.com/a/b", "psql postgresql://a:\(mark)@h/d",
            "-Dpassword=\(mark)",
        ])

    // MARK: Shapes

    private static let shapes: [Case] =
        ["RSA PRIVATE KEY", "PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY", "ENCRYPTED PRIVATE KEY"].flatMap {
            cases("key", ["-----BEGIN \($0)-----\n\(mark)\n-----END \($0)-----", "k -----BEGIN \($0)-----\\n\(mark)"])
        }
        + cases(
            "token",
            [
                "jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.\(mark)", "got eyJhbGciOiJub25lIn0.eyJzdWIiOiIx\(mark)fQ.",
                "user eyJhbGciOiJFUzI1NiJ9.eyJhIjoxfQ.\(mark), next",
            ])

    /// Texts that must stay unchanged.
    public static let ordinary: [String] = [
        "value 1 and 3", "read 12 of 4096 bytes", "", "Grüße, ABC 12", "2026-11-20", "user bob", "ratio=0.5",
        "at 10:30:45", "see https://example.com/a?page=2", "a@b.example", "1234567890123", "4111111111111111",
        "order 4929 1234 5678", "id=550e8400-e29b-41d4-a716-446655440000", "sha256:9f86d081884c7d659a2feaa0c55ad015",
        "maxTokens=4096", "tokenType: bearer", "passwordLength=12", "nextPageToken=2", "pinColor=red",
        "session: opened",
        "key: value", "keyboard=qwerty", "monkey: banana", "author=Jane", "authorName: Jane", "compass: north",
        "the password is missing", "Basic checks passed", "bearer of news", "basic setup: done", "tokens used: 5",
        "tokenCount=5", "secretary: Jane", "passenger=7", "bypass=true", "pinned: 3", "shipping=express",
        "https://host:8080/@writer", "https://medium.com/@writer", "mailto:a@b.example", "npm:left-pad@1.3.0",
        "cache hit 98%, 12 of 13", "PORT=8080", "HOME=/root", "url=https://example.com/x?y=1", "status: 200",
        "{\"page\":2,\"user\":\"bob\"}", "{\"isTokenValid\":true}", "Point(x: 1, y: 2)", "to DE89370400440532013000",
        "2026-11-20T13:22:32.123Z", "0x7fff5fbff8c0", "192.168.0.1:8080", "[::1]:80", "10.0.0.0/8", "a=b", "x:y",
        "@main",
        "-- comment", "--verbose", "--count 5", "1e10", "3.14159265358979", "file:///etc/hosts", "C:\\Users\\bob",
        "+49 30 1234567", "ISBN 978-3-16-148410-0", "eyJ", "eyJhbGci", "AB12", "ETA 10:45", "GB 29 NW",
        "expected , found ]", "name=\"x\"", "signal=9", "design: done", "/login/token: not found",
        "retry 3 of 5: timeout",
        "image: nginx@sha256:abc", "sip:bob@host.example", "1700000000000000001", "assigned=4", "<b>bold</b>",
        "<key>name</key>",
        "if a < b && c > d", "saved 3 items; 2 failed", "progress=100%", "lat=52.520008 lon=13.404954",
        "Array<Token> is empty", "Result<Token, Error>: a < b", "a -> b", "<private>",
        "<password></password>", "List<Secret>", "=> 5",
    ]
}
