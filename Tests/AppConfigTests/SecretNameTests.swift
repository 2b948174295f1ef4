import AshlarAppConfig
import Testing

@Suite struct SecretNameTests {
    static let secret = [
        "password", "Password", "PASSWORD", "passwords", "password1", "password_2", "DBPassword", "dbPassword",
        "db_password", "db-password", "dbpassword", "SMTPPassword", "smtpPassword", "adminpassword", "passwd", "pwd",
        "dbPwd", "passphrase", "passcode", "pass", "secret", "secrets", "clientSecret", "client_secret", "appsecret",
        "token", "tokens", "APIToken", "apiToken", "api_token", "accessToken", "refreshtoken", "refreshToken",
        "tokenValue", "idToken", "CREDENTIALS", "CREDENTIALS2", "credential", "awsCredentials", "apiKey", "APIKey",
        "apikey", "apikeys", "apiKeys", "api_key", "X-API-Key", "secretKey", "secretkey", "privateKey", "private_key",
        "accessKey", "accesskey", "signingKey", "encryptionKey", "masterKey", "sshKey", "ssh_key", "licenseKey",
        "license_key", "clientCert", "client_cert", "auth", "AUTH", "basicAuth", "authHeader", "authorization",
        "Authorization", "proxyAuthorization", "bearer", "cookie", "sessionCookie", "cookies", "jwt", "JWT", "userJWT",
        "otp", "OTP", "pin", "cardPin", "PIN", "pinCode", "dsn", "DSN", "sentryDSN", "connectionString",
        "connection_string", "ConnectionString", "salt", "passwordSalt", "hmac", "HMAC", "hmacKey", "PAT", "githubPAT",
        "webhookSecret", "STRIPE_SECRET_KEY", "sharedSecret", "oauthToken", "bearerToken", "sessionToken",
    ]

    static let open = [
        "tokenizer", "tokenization", "passwordless", "passwordLength", "passwordPolicy", "pinColor", "pinned",
        "pinning",
        "authorName", "author", "authors", "authority", "title", "timeout", "host", "hostname", "port", "url", "name",
        "keyboard", "keyPath", "monkey", "passenger", "passage", "bypass", "compass", "passthrough", "secretary",
        "salted", "desalter", "cookieBanner", "pattern", "patch", "path", "pathname", "patience", "spin", "opinion",
        "shipping", "pinterestURL", "tokenType", "tokenExpiry", "maxTokens", "retries", "cache", "debug", "level",
        "interval", "bearing", "forbearer", "adsn", "broadcast", "certificateName", "clientName", "connection",
        "connections", "licenses", "license", "publicURL", "region", "bucket",
    ]

    @Test("Keys with the name of a secret are secret", arguments: secret)
    func isSecret(name: String) {
        #expect(ConfigSecrets().isSecret(ConfigPath(components: ["section", name])))
        #expect(!"\(ApplicationConfig([name: "hunter2"]))".contains("hunter2"))
    }

    @Test("Keys with other names are not secret", arguments: open)
    func isNotSecret(name: String) {
        #expect(!ConfigSecrets().isSecret(ConfigPath(components: ["section", name])))
    }

    @Test("At least 150 names are tested")
    func count() {
        #expect(Set(Self.secret + Self.open).count >= 150)
    }

    @Test("Credentials inside URLs are hidden wherever a value is printed")
    func urls() throws {
        let config = try ApplicationConfig.load(
            plan(
                [
                    "ApplicationConfig.json":
                        #"{"db": "postgres://user:hunter1@db/x", "list": ["http://a:hunter2@b"]}"#,
                    "ApplicationConfig.debug.json": #"{"db": "postgres://user:hunter3@db/x"}"#,
                ], environments: [.debug]))
        #expect(config.string(forKey: "db") == "postgres://user:hunter3@db/x")
        let printed = SecretTests.prints(config)
        #expect(!printed.contains("hunter"), "\(printed)")
        #expect(printed.contains("postgres://<redacted>@db/x"))
    }

    @Test("The default of a secret is a secret")
    func fallbacks() throws {
        let config = try ApplicationConfig.load(
            plan([
                "ApplicationConfig.json": """
                {"a": "${db.password:-hunter1}", "b": "x ${env:DB_PASSWORD_UNSET:-hunter2}", "c": "${db.pwd:-hunter3}",
                 "e": "${db.host:-open}"}
                """
            ]))
        #expect(config.string(forKey: "a") == "hunter1")
        #expect(config.string(forKey: "c") == "hunter3")
        #expect(
            config.description
                == "a = <redacted>\nb = <redacted>\nc = <redacted>\ne = \"open\"")
        #expect(!config.paths().map { config.explain($0) }.map(\.description).joined().contains("hunter1"))
    }
}
