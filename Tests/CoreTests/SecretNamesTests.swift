import AshlarCore
import Testing

@Suite struct SecretNamesTests {
    static let secret = """
        password Password PASSWORD passwords passwd pwd pass passphrase passcode DBPassword SMTPPassword dbPassword
        DB_PASSWORD db-password db.password dbpassword userpwd dbpwd password1 password_2 oldPassword
        passwordConfirmation passwordHash passwordhash user_password rootPasswd secret secrets Secret clientSecret
        client_secret CLIENT_SECRET appsecret webhookSecret secretValue token tokens Token APIToken apiToken api_token
        accessToken refreshtoken refreshToken idToken tokenSecret oauth_token csrfToken X-Auth-Token GITHUB_TOKEN
        npmtoken CREDENTIALS2 credential credentials awsCredentials creds apikey apikeys APIKey APIKeys apiKey api_key
        API-KEY x-api-key secretkey secretKey secret_key privateKey private_key PRIVATE-KEY privatekey accessKey
        access_key_id accesskey AWS_SECRET_ACCESS_KEY signingKey encryptionKey encryption_key sshKey ssh_key SSHKey
        licenseKey license_key masterKey sessionKey sharedKey hmacKey authKey webhookKey key Key storageAccountKey
        subscription-key auth Auth authorization Authorization proxy-authorization bearer authHeader authToken basicAuth
        cookie cookies Cookie Set-Cookie sessionCookie jwt JWT userJwt otp OTP otpCode totp pin PIN pin1 cardPin pinCode
        pin_code dsn DSN databaseDSN sentry_dsn connectionString ConnectionStrings connection_string connectionstring
        connStr salt passwordSalt hmac requestHMAC clientCert client_cert clientCertificate PAT GITHUB_PAT pat session
        sessionID session_id sid signature sig cvv cvv2 privkey recoveryCode seedPhrase securityAnswer mnemonic
        Ocp-Apim-Subscription-Key hunterPassword2 tokenValue mfaSecret passWord pass_word TLSKey rsaKey
        pw dbPw psk wpaPSK pgpass PGPASS htpasswd pswd totpSeed walletSeed rsaPrivate ssh_private codeVerifier
        code_verifier mfa_code mfaCode smsCode verificationCode csrf xsrf CSRF-Token ssn SSN socialSecurityNumber
        DATABASE_URL databaseURL db_url cardNumber card_number iban IBAN pincode
        sessionid JSESSIONID PHPSESSID ASP.NET_SessionId connect.sid stripeKey stripe_key awsKey AWS_KEY openaiKey
        Passwort dbPasswort Kennwort zugangsdaten API-Schlüssel geheimnis motDePasse mot_de_passe MOT_DE_PASSE jeton
        contraseña contrasena CONTRASEÑA contraseñaUsuario claveApi clave_secreta clave senha senhaBanco SENHA_BD segredo
        palavra-passe chaveApi chave_secreta
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    static let harmless = """
        tokenizer tokenization tokenize passwordless passwordLength password_min_length passwordPolicy passwordField
        tokenType token_type tokenCount tokenExpiry tokenURL tokenEndpoint tokenTTL secretary secretariat pinColor pinned
        pinnedRows spin spinCount pinboard mapPins2Color author authors authorName authorID authority authoring authURL
        authType authEnabled authProvider keyword keywords key_path keyboard monkey hotkey keyCount primaryKey foreignKey
        publicKey public_key cacheKey sortKey partitionKey keyName cookieConsent cookieBanner cookiePolicy cookieDomain
        saltLakeCity saltRounds pattern path PATH patch patient compass bypass passenger passing passive passed assign
        design signal signatureAlgorithm sessionTimeout sessionCount maxTokens max_tokens total_tokens numTokens compute
        name user username userName email timeout retries host port url baseURL endpoint language title color database
        connection connectionTimeout connectionLimit clientName client certificatePath otpLength jwtIssuer dsnFormat
        hmacAlgorithm bearing coordinates licensePlate licenseText license accessLevel access storage accountName
        encryption encryptionEnabled privateMode sharedFolder session_timeout_seconds topic optional option
        secretName secret_ref secretReference secretArn tokenName nextPageToken next_token continuationToken
        cancellationToken promptTokens completion_tokens inputTokens seed randomSeed privacy baseURL verifier code
        statusCode postcode number pageNumber spwn cardName PASSWORD_FILE hasToken isPasswordSet requiresAuth usesPin
        maxPasswords unexpectedToken nonce tokenBucket claveLength contraseñaLongitud autoclave storageKey hostKey
        objectKey idempotencyKey Schlüsselwort clavicle desenho
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    @Test("Names of secrets match", arguments: secret)
    func secretNameMatches(name: String) {
        #expect(SecretNames.standard.matches(name))
    }

    @Test("Harmless names don't match", arguments: harmless)
    func harmlessNameDoesNotMatch(name: String) {
        #expect(!SecretNames.standard.matches(name))
    }

    @Test("The name key alone is secret in settings and parameters, but not in a log")
    func key() {
        #expect(SecretNames.standard.matches("key") && SecretNames.standard.matches("Keys"))
        #expect(SecretNames.standard.match(["key"]) == nil)
        let own = SecretNames(additionalWords: ["code name"], includesStandard: false)
        #expect(own.matches("codeName") && !own.matches("key") && !own.matches("password"))
    }

    @Test("The tables have at least 150 names")
    func tablesAreLarge() {
        #expect(Set(Self.secret).count >= 150)
        #expect(Set(Self.harmless).count >= 100)
        #expect(Set(Self.secret).isDisjoint(with: Self.harmless))
    }

    @Test("Additional words match anywhere in a name")
    func additionalWords() {
        let names = SecretNames(additionalWords: ["codename"])
        #expect(names.matches("projectCodename"))
        #expect(names.matches("project_codename_2"))
        #expect(names.matches("codenames") && !names.matches("codenameLength"))
        #expect(names.matches("CODENAME"))
        #expect(names.matches("code-name") && names.matches("theCodeName"))
        #expect(SecretNames(additionalWords: ["Codename"]).matches("codename"))
        #expect(!SecretNames.standard.matches("codename"))
    }

    @Test(
        "Names are split at separators, changes of case and the ends of acronyms",
        arguments: [
            ("dbPassword", ["db", "password"]), ("DB_PASSWORD", ["db", "password"]),
            ("DBPassword", ["db", "password"]),
            ("api.key-2", ["api", "key", "2"]), ("HTTPServer2Port", ["http", "server2", "port"]),
            ("", []), ("__", []), ("ÄrgerÖl", ["ärger", "öl"]), ("x", ["x"]),
        ])
    func splitting(name: String, words: [String]) {
        #expect(SecretNames.words(of: name) == words)
    }
}
