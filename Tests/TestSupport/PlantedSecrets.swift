/// Lines with a secret, and ordinary lines that look similar, as programs, servers and tools write them.
public enum PlantedSecrets {
    /// A line and the secret in it.
    public struct Case: Sendable, CustomStringConvertible {
        /// The line as an app logs it.
        public let text: String
        /// The part of the line that must not appear anywhere.
        public let secret: String

        /// The line.
        public var description: String { text }
    }

    /// A secret without a shape by which it could be recognized.
    public static let mark = "S3cr3tXq"

    /// All lines with a secret.
    public static let all: [Case] = lines(secrets).map { line in
        let parts = line.split(separator: "§", omittingEmptySubsequences: false).map(String.init)
        return Case(text: parts.joined(), secret: parts[1].replacing("\\n", with: "\n"))
    }

    /// The secrets that are long enough not to be a part of another line by chance.
    public static let distinct = Set(all.map(\.secret).filter { $0.count > 6 && $0.contains(where: \.isLetter) })

    /// Lines that must stay unchanged.
    public static let ordinary: [String] = lines(ordinaryLines)

    /// The lines of a table; `⏎` is a line feed within a line.
    private static func lines(_ table: String) -> [String] {
        table.split(separator: "\n").map { String($0).replacing("⏎", with: "\n") }
    }

    /// One line for each secret, which is between the two signs `§`.
    private static let secrets = #"""
        2026-11-20 10:31:02 INFO login: user=bob password=§hunter2x§ ip=10.0.0.7
        config loaded: db.password=§S3cr3t!xY§, db.host=db.internal
        env DB_PASSWORD=§Tr0ub4dor&3§
        export API_KEY=§9f8e7d6c5b4a§
        + export SLACK_TOKEN=§xyz-99-aabbcc§
        TOKEN=§abc123def456§ ./deploy.sh production
        docker run -e MYSQL_ROOT_PASSWORD=§r00tpass§ mysql:8
        PGPASSWORD=§pg12345§ psql -h db -U app
        mvn deploy -Drepo.password=§n3xus-pw§
        ./tool --api-key=§k3y-0123456789§ --verbose
        ansible-playbook site.yml -e "vault_password=§v4ultpw1§"
        setting client_secret=§GOCSPX-4f5g6h7§ for provider google
        connect failed (Server=tcp:db,1433;User ID=sa;Password=§P@ssw0rd12§;Encrypt=True)
        Driver={ODBC Driver 18};UID=sa;PWD=§Adm1nistrator§;
        DefaultEndpointsProtocol=https;AccountName=a;AccountKey=§Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MA==§;EndpointSuffix=x
        Endpoint=sb://h/;SharedAccessKeyName=Root;SharedAccessKey=§b64+Key/0123456=§
        host=db port=5432 user=app password=§pg-Secret9§ sslmode=require
        jdbc:mysql://db/app?user=app&password=§my5qlpw§
        form: username=bob&password=§correct7horse§&remember=1
        grant_type=refresh_token&refresh_token=§tGzv3JOkF0XG5Qx2TlKWIA§&client_id=s6BhdRkqt3
        POST /oauth/token client_secret=§7Fjfp0ZBr1KtDRbnfVdmIw§
        session.cookie=§1f2e3d4c5b§ refreshed
        JSESSIONID=§5D2F8A1C9E§
        PHPSESSID=§298zf09hf012fh2§; path=/
        ASP.NET_SessionId=§y2fb5q0w1kzr§
        user[password]=§S3cr3tXq§&user[name]=bob
        smtp_pass=§mail7pass§ smtp_user=noreply
        wifi_psk=§h0meNetw0rk§
        otp=§483920§ accepted for bob
        mfa_code=§114477§ channel=sms
        access_token=§ya29-a0AfH6SMB§ expires_in=3599
        secret_key_base=§0d1e2f3a4b5c§
        encryptionKey=§00112233445566778899aabbccddeeff§
        licenseKey=§ABCDE-12345-FGHIJ§
        stripeKey=§51HxyzABC123§ mode=live
        awsKey: §wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY§
        AWS_SECRET_ACCESS_KEY=§wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY§
        openaiKey=§proj9a8b7c6d§
        sendgrid_key = §Xk29fjs02kd§
        passphrase=§swordfish§
        admin_password=§changeme§
        rootPasswd=§toor4321§
        csrf_token=§a1b2c3d4e5§
        X-CSRF-Token: §IhbGciOi77§
        webhook_secret=§wh5ecret99§
        signature=§fe5f80f77d5fa3beca038a248ff027d0§
        Password: §S3cr3tXq§
        new password: §Winter2026!§ (user 7)
        token: §abc123def456§ from header is rejected
        invalid token: §9a8b7c6d5e§
        API key: §abcd1234efgh§
        Session ID: §9f8e7d6c§
        Access token: §0a1b-2c3d-4e5f§
        client secret: §q8fj2kd93§
        Private key: §5KJvsngHeMpm884wtkJNzQGaCErckhHJBGFsvd3VyK5qMZXj3hS§
        Recovery code: §7712-9981§
        secret => §xk29dk20f§
        password: §letmein§
          password: §s3cr3tV4lue§
        spring.datasource.password: §d4tas0urce§
          apiKey: "§0123456789abcdef§"
          token: '§t0k3n-value-7§'
        database: {host: db, password: §yam1pass§, port: 5432}
        secrets: {stripe_key: "§51Hxyz9988§"}
          POSTGRES_PASSWORD: §p0stgres!§
          redis_password: "§r3d1s-pw§"
        stringData: {password: "§k8sPassw0rd§"}
        data: {token: §c2VjcmV0LXRva2VuLTE=§}
        {"level":"info","user":"bob","password":"§S3cr3tXq§"}
        {"api_key": "§abcdef123456§", "page": 2}
        { "token" : "§S3cr3tXq§" }
        {"auth":{"accessToken":"§0a1b2c3d§","expiresIn":3600}}
        {"body":"{\"token\":\"§S3cr3tXq§\",\"a\":1}"}
        {"tokens":["§abc123def§","x"]}
        {'secret': '§S3cr3tXq§', 'id': 1}
        {"client_secret":"§8f7e6d5c§","grant_type":"client_credentials"}
        {"privateKey":"§MIIEvQIBADANBgkqhkiG9w0§"}
        {"otp": §483920§, "ok": true}
        {"cookie":"§sid4711abc§"}
        {"sessionid":"§38afes7a8§"}
        {"password":"§supersecret§"}
        {"credentials":"§bob:S3cr3tXq§"}
        [{"key":"a","secret":"§zz11yy22§"}]
        {"Authorization":"Bearer §0a1b2c3d4e§","Accept":"*/*"}
        ["Authorization": "Bearer §abc.def-123§", "Accept": "a"]
        ["password": "§S3cr3tXq§", "user": "bob"]
        headers["X-Api-Key"] = "§abc123def§"
        config['db']['password'] = '§rub1rub1§'
        :password => "§S3cr3tXq§", :user => "bob"
        'token' => '§abc123def456§',
        "secret" => "§S3cr3tXq§"
        array('apikey' => '§88aa99bb§')
        %{password: "§el1xir-pw§"}
        Login(user: "bob", password: "§S3cr3tXq§")
        Credentials(id: 7, token: "§0a1b2c3d§")
        User{name='bob', password='§jav4pass§'}
        Config { api_key: "§ru5t-key-1§", retries: 3 }
        &{User:bob Password:§g0lang-pw§ Port:5432}
        keyNotFound(token: "§S3cr3tXq§")
        NSURLCredential user=bob, password=§obj3ctive§
        token := "§abc123def§"
        const apiKey = "§js0123456789§";
        let secret: String = nil; password = "§sw1ftpass§"
        UserInfo={password=§S3cr3tXq§, NSURL=x}
        java.sql.SQLException: Access denied (password=§jdbcpw12§)
        ValueError: bad credentials for token='§py7h0nt0k§'
          File "app.py", line 12, in login password='§dj4ngo99§'
        thread 'main' panicked at 'connect: password="§p4nicpw§"'
        PDOException: mysql:host=db;password=§phpp4ss§
        Authorization: Bearer §abc123def456§
        authorization: Basic §dXNlcjpwYXNz§
        Authorization: Token token="§S3cr3tXq§"
        Authorization: Digest username="bob", response="§6629fae49393a05397450978507c4ef1§"
        Authorization: AWS4-HMAC-SHA256 Credential=a/b, Signature=§fe5f80f77d§
        Proxy-Authorization: Basic §cHJveHk6cHc=§
        GET / HTTP/1.1⏎Host: h⏎Authorization: Bearer §0a1b2c3d4e5f§⏎Accept: */*
        > Authorization: Bearer §curlv-0123456§
        curl -H 'Authorization: Bearer §abc123def456§' https://h
        curl -H "X-Vault-Token: §s.abc123def456§" https://vault/v1/x
        http.extraheader=AUTHORIZATION: basic §eC1hY2Nlc3MtdG9rZW46Z2hw§
        headers={Authorization=Bearer §0a1b2c3d4e§, Accept=*/*}
        Cookie: a=b; sid=§S3cr3tXq§
        Set-Cookie: id=§a3fWa§; Path=/; HttpOnly
        < set-cookie: session=§eyJpZCI6MX0§; Secure
        X-Api-Key: §12345abcdef§
        X-Auth-Token: §0a1b2c3d4e5f§
        PRIVATE-TOKEN: §9koXpg98eAheJpvBs5tK§
        Ocp-Apim-Subscription-Key: §0123456789abcdef§
        X-Amz-Security-Token: §IQoJb3JpZ2luX2VjE§
        X-Webhook-Secret: §w3bh00k-1§
        sent Bearer §mF_9.B5f-4.1JqM§ to h
        bearer §0a1b2c3d4e5f6789§
        using Basic §QWxhZGRpbjpvcGVuIHNlc2FtZQ==§
        postgres://user:§hunter2§@db/x
        at postgresql://app:§p%40ss§@db.internal:5432/app?sslmode=require
        redis://:§p4ss§@cache:6379/0
        mongodb+srv://root:§m0ngo§@cluster0.mongodb.net/test
        amqp://guest:§guest§@rabbit:5672/%2f
        mysql://root:§r00t§@127.0.0.1/app
        https://user:§p@ss/w@rd§@host/x
        https://§ghp_a1b2c3d4§@github.com/a/b.git
        git clone https://x-access-token:§ghs_16C7e42F292c§@github.com/a/b
        remote: https://oauth2:§glpat-x§@gitlab.com/a/b.git
        fatal: unable to access 'https://bob:§gitpw§@example.com/repo.git/'
        nats://token:§n4ts§@nats:4222
        ftp://anonymous:§mail§@ftp.example.com
        smtp://noreply:§m41l§@smtp.example.com:587
        <https://u:§pw§@h>
        https://h/p?access_token=§abc123§&page=2
        https://h/cb?code=§4%2F0AX4XfWhxyz123§&state=xyz
        GET /callback?code=§SplxlOBeZQQYbYS6WxSbIA§&state=af0ifjsldkj 302
        https://maps.googleapis.com/maps/api?key=§AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY§
        https://h/#access_token=§2YotnFZFEjr1zCsicMWpAA§&token_type=bearer
        https://bucket.s3.amazonaws.com/x?X-Amz-Expires=60&X-Amz-Signature=§fe5f80f77d5fa3§
        https://acct.blob.core.windows.net/c?sv=2020&sig=§Zm9v123%3D§
        wss://h/s?auth=§abc123xyz§
        https://h/reset?reset_token=§r3s3t-99§
        myapp://login?otp=§220011§
        https://h/?api%5Fkey=§k3y1234§
        got §ghp_16C7e42F292c6912E7710c838347Ae178B4a§ from env
        remote: §glpat-AbCdEfGhIjKlMnOp1234§
        §github_pat_11ABCDEFG0123456789_abcdef§ expires soon
        using §sk_live_4eC39HqLyjWDarjtT1zdp7dc§
        rejected §sk-proj-abc123DEF456ghi789§
        posting as §xoxb-123456789012-abcdefGHIJKL§
        user §AKIAIOSFODNN7EXAMPLE§ isn't allowed
        mail through §SG.ngeVfQFYQlKU0ufo8x5d1A.TwL2iGABf9DHoTf§
        maps: §AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY§
        publish with §npm_Ab12Cd34Ef56Gh78Ij90Kl12Mn34Op56Qr78§
        hook §whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw1§
        jwt §eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.SflKxwRJSMeKKF2QT4§ end
        user eyJhbGciOiJFUzI1NiJ9.§eyJhIjoxfQ§.S3cr3tXq, next
        -----BEGIN RSA PRIVATE KEY-----⏎§MIIEowIBAAKCAQEA§⏎-----END RSA PRIVATE KEY-----
        key -----BEGIN OPENSSH PRIVATE KEY-----\n§b3BlbnNzaC1rZXktdjE§
        -----BEGIN PRIVATE KEY-----⏎§MIIEvQIBADANBg§
        -----BEGIN PGP PRIVATE KEY BLOCK-----⏎§lQOYBGN§⏎-----END PGP PRIVATE KEY BLOCK-----
        UPDATE users SET password = '§S3cr3tXq§' WHERE id = 1
        SELECT * FROM sessions WHERE token='§abc123def456§'
        ALTER ROLE app SET app.secret = '§sq1-s3cret§';
        SET PASSWORD FOR 'bob'@'%' = PASSWORD; password='§r0tated99§'
        Passwort: §Geheim123§
        Kennwort=§sommer2024§
        Anmeldung mit Passwort=§Bl4uerHimmel§ abgelehnt
        Zugangscode: §4711-0815§
        API-Schlüssel: §99ff88ee§
        dbPasswort = "§geheim77§"
        mot de passe : §s3cr3t!x§
        Mot de passe: §Azerty123§
        motDePasse=§soleil99§
        jeton: §ab12cd34ef§
        clé d'API : §8f7e6d5c4b§
        contraseña: §Clave2024§
        contraseña=§secreto99§
        CONTRASENA_BD=§m4driddb§
        clave=§s3creto1§
        clave secreta: §77xx88yy§
        senha: §minhaSenha1§
        senha=§abc12345§
        senha_banco=§br4sil22§
        palavra-passe: §lisboa99§
        chave de API: §77aa88bb§
        segredo: §qu1nta-f§
        pw=§Xk92!mnq§
        PASSWD: §qwerty99§
        sshPassphrase: §f00b4rbaz§
        oldPassword=§alt3rPw§&newPassword=neu3rPw9
        TWILIO_AUTH_TOKEN=§0f1e2d3c4b5a69788796a5b4c3d2e1f0§
        twilio.auth_token: §0f1e2d3c4b5a§
        STRIPE_SECRET_KEY=§sk_test_4eC39HqLyjWDarjtT1zdp7dc§
        GITHUB_TOKEN: §gho_16C7e42F292c6912E7710c838347Ae178B4a§
        "accessKeyId": "AKIAI44QH8DHBEXAMPLE", "secretAccessKey": "§je7MtGbClwBF/2Zp9Utk/h3yCo8nvbEXAMPLEKEY§"
        AccessKeySecret=§abcDEF123456§
        consumer_secret: §kAcSOqF21Fu85e7zjz7ZN2U4ZRhfV3WpwPAoE3Z7kBw§
        oauth_signature="§tnnArxj06cWHq44gCs1OSKk%2FjLY%3D§"
        oauth_token=§370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb§
        id_token: §abc.def.ghi123§
        refreshToken: '§1//0gabcdefghijklm§'
        client-key: §9d8s7f6s§
        connectionString="§Server=x;Pwd=abc12345§"
        x-functions-key: §ab12cd34ef56==§
        Set-Cookie: __Host-session=§3ab9df§; Secure
        cookie: §_ga=GA1.2.3; auth=abc§
        login pin=§948213§
        cvv=§123456§
        sid=§s%3AabcD12345§
        connect.sid=§s%3AabcD12345.xyz§
        ASPXAUTH=§1A2B3C4D5E6F§
        X-Goog-Api-Key: §AIzaSyB12345678901234567890123456789012§
        apikey:§99aa88bb77§
        auth_token: §d34db33f§
          - name: token=§jenk1ns99§
        helm upgrade --set db.password=§h3lmpw99§ app
        kubectl create secret generic db --from-literal=password=§k8sPw1234§
        git remote set-url origin https://bob:§ghp_16C7e42F292c6912E7710c838347Ae178B4a§@github.com/x/y
        git -c http.extraHeader="Authorization: Basic §eC1hY2Nlc3M6Z2hw§" fetch
        wget --header="Authorization: Bearer §abcd-efgh-1234§" https://x
        http PUT x X-Token:§abcd1234§
        sshpass SSHPASS=§ssh-pass-1§
        redis-cli AUTH password=§r3dis!§
        mysql: [Warning] password='§my-5ql!§' on the command line
        LOGIN user=admin passwd=§adm1n!!§ result=OK
        audit: user=bob action=change-password new_password="§N3wPass!word§"
        level=warn msg="retry" token="§0a9b8c7d§" attempt=2
        WARN  Invalid API key: §zzYYxx112233§
        ERROR: JWT secret=§mysupersecretjwt§
        DEBUG secret key: §00ffaa11§
        err="dial tcp: auth failed" password="§dialp4ss§"
        Secret Key Base: §9x8y7z6w§
        Bot token: §110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw§
        Verschlüsselungspasswort=§Gurke!77§
        Neues Passwort: §Fr3sh-Start§
        Nutzerpasswort: §Schn33mann§
        Zugangsdaten: §bob/geheim99§
        Ancien mot de passe : §Vieux#2020§
        code secret: §4dm1n-fr§
        identifiant=bob;motdepasse=§c0nnexion§
        Contraseña nueva: §Nu3va!2024§
        contraseña_usuario=§usu4rio1§
        token de acceso: §acc3so-99§
        clave API: §k3y-es-1§
        nova senha: §N0va#Senha§
        senhaUsuario=§us3r-pt§
        token de acesso: §4cesso-77§
        código de acesso: §991122§
        chave secreta=§chv-0099§
        credenciales: §bob:cl4ve99§
        {"usuario":"ana","contraseña":"§an4-pw99§"}
        {"mot_de_passe":"§m0tfr99§"}
        {"passwort":"§p4sswort§"}
        <Session token=§9a8b7c6d§ user=bob>
        Optional(Config(apiKey: "§opt-key-1§"))
        secret_value = §plain-but-secret-99§
        "x-api-key" : "§q1w2e3r4t5§"
        'Authorization' => 'Bearer §php-token-99§'
        "Authorization: token §ghp1234567890§"
        authorization: ApiKey §VnVhQ2ZHY0JDZGJrUW0tZTVhT3g6dWkybHAyYXhUTm1zeWFrdzl0dk5udw==§
        dsn=§https://abc123@sentry.io/12§
        SENTRY_DSN: https://§0a1b2c3d4e5f§@o1.ingest.sentry.io/12
        kafka sasl.jaas.config=PlainLoginModule required username="u" password="§k4fka-pw§";
        ldap bind dn=cn=admin password=§ld4p-pw§
        vault: root token: §hvs.CAESIJ1234567890abcdef§
        bcrypt passwordHash=§$2b$12$KIXQ8S9Wb3zA1x§
        mnemonic="§abandon1§"
        REDIS_URL=redis://default:§r3d1s§@h:6379
        proxy=http://user:§pr0xy§@proxy:3128
        private_key: §0x4c0883a69102937d6231471b5dbb6204fe512961708279§
        ssn=§078-05-1120§
        db connect failed: password=§wedding§
        password=§breeding§, attempt 2
        wifi_password: §sweethome§
        gitlab §glpat-aBcDeFgHiJkLmNoPqRsT§ was rejected
        config: jwtSecret=§my-very-long-secret-string§
        oauth_verifier=§w4r1f13r77§
        firebase server key=§AAAAx1y2z3:APA91bHq§
        git clone https://§x-access-token:v1.1f699f1069f60xxx§@github.com/o/r
        POST body: grant_type=password&username=bob&password=§opensesame§&scope=read
        credentials: §admin:adm1nadm1n§
        bot token=§123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw§
        https://x.blob.core.windows.net/c?sv=2020&sig=§Z%2FRHIX5Xcg§
        recovery_code: §8F3K-92JD-QX71§
        """#

    /// Ordinary lines, one for each line of the table.
    private static let ordinaryLines = #"""
        value 1 and 3
        read 12 of 4096 bytes in 3.2 ms
        2026-11-20T13:22:32.123Z INFO started pid=4711 port=8080
        user bob logged in from 192.168.0.1:50222
        order 4929 1234 5678 paid, id=550e8400-e29b-41d4-a716-446655440000
        EAN 4006381333931, ISBN 978-3-16-148410-0
        id=123456789012345678 took 12 ms
        token=nil
        hasToken=false
        isTokenValid: true
        Token: unexpected end of file
        tokens=512
        tokens: 128000
        maxTokens=4096 promptTokens=120000 completion_tokens=250000
        nextPageToken=CAUQAA12
        continuationToken: 1!48!MDAwMDE0
        passwordLength=12 tokenType=bearer
        passwordStrength: excellent4
        token_expires_at=2026-11-20T13:22:32Z
        tokenExpiry: 1795180952
        pwd=/home/bob
        pwd: /usr/local/bin
        swift-log:main@1.5.4
        password: required
        Password: must be at least 8 characters
        password is required
        the password is missing
        Token: expired
        token expired: retrying in 5 s
        token refreshed, expires in 3600 s
        secret rotated: version 12 of 12
        session: opened
        session=expired
        Session: user42x logged in
        session 1234567 closed after 12m3s
        auth: kerberos
        auth=disabled
        auth: 3 users online
        auth: session: expired
        authType=oauth2 authURL=https://login.example.com/oauth2
        pin=17 mode=output
        pinColor=red pinned: 3
        cookie: accepted
        cookieConsent=granted
        cookie rejected: domain mismatch
        signature: valid
        signature: SHA256withRSA
        signatureAlgorithm=rsa-pss-sha256
        Signature: Good "git" signature for bob@example.com
        key=user:1234567:profile ttl=300
        cache miss key=v2/items/42
        sort key=created_at
        key: value
        keyboard=qwerty monkey=banana
        primaryKey=user_id_42 foreignKey: order_id7
        publicKey: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
        Idempotency-Key: 9f8e7d6c-5b4a-4321-8765-0123456789ab
        X-Request-Id: 9f8e7d6c5b4a
        ETag: "33a64df551425fcc55e4d42a148795d9f25f89d4"
        author=Jane authorName: Jane
        compass: north bypass=true passenger=7
        tests: pass=12 fail=0 skip=3
        pass: 12, fail: 0
        token: 0x7fff5fbff8c0
        <Session: 0x600000c08000>
        secretary: Jane Miller
        token bucket: 120 of 500 left
        tokenBucket=120000
        retry 3 of 5: timeout
        image: nginx@sha256:9f86d081884c7d659a2feaa0c55ad015
        docker://nginx@sha256:9f86d081884c7d65
        GET /api/items?page=2&sort=token HTTP/1.1 200
        GET /health?code=404 HTTP/1.1 404
        GET /items?page_token=CAUQAA12 HTTP/1.1 200
        POST /login 401 Unauthorized (invalid credentials)
        POST /v1/tokens 201 Created
        HTTP/1.1 401 Unauthorized⏎WWW-Authenticate: Bearer realm="api", error="invalid_token"
        WWW-Authenticate: Basic realm="Restricted area"
        Access-Control-Allow-Headers: Authorization, X-Api-Key, Content-Type
        Vary: Cookie, Authorization
        Authorization: Bearer token is missing
        authorization: denied by policy 42
        Authorization header is malformed
        Bearer authentication is required
        Basic authentication failed
        Basic checks passed
        bearer of news
        basic setup: done
        https://medium.com/@writer
        https://host:8080/@writer
        https://example.com/a?page=2&q=swift
        https://registry.npmjs.org/@babel%2fcore
        https://login.example.com/reset?lang=en
        ssh://git@github.com:22/org/repo.git
        git@github.com:org/repo.git
        sftp://bob@files.example.com/inbox
        postgres://bob@db/app
        postgres://app:${DB_PASSWORD}@db/app
        mailto:bob@example.com
        [::1]:80 and 10.0.0.0/8
        file:///etc/hosts
        C:\Users\bob\token.txt
        tokenFile=C:\Users\bob\token.txt
        password file: /run/secrets/db_password
        token: /var/run/secrets/kubernetes.io/serviceaccount/token
        secret: secrets/db/password
        /login/token: not found
        /src/auth/token.swift:12:5: error: cannot find 'token' in scope
        Token.swift:120:17: warning: variable 'password' was never used
        error: missing argument for parameter 'password' in call
        note: 'init(token:)' declared here
        error: cannot convert value of type 'String' to expected argument type 'Token'
        error: value of optional type 'Token?' must be unwrapped
        func login(user: String, password: String) async throws -> Session
        let token: AccessToken = try await fetchToken()
        let password = readLine() ?? ""
        password = getPassword(user)
        self.token = access_token
        token = request.headers.authorization
        const token = process.env.API_TOKEN;
        if token == expected1 { return }
        token != cached2, token >= minimum
        tokens.map { token => token.trim() }
        Token::parse failed
        private var secret: SecretStr = Field(...)
        password: Optional<String>
        token: Promise<string>
        interface Login { user: string; password: string }
        type Session struct { Token string }
        password: java.lang.String
        error TS2322: Type 'string' is not assignable to type 'Token'.
        error[E0425]: cannot find value `token` in this scope
        SyntaxError: Unexpected token: identifier
        Unexpected token '}', expected one of: number, string
        JSONDecodeError: Expecting value: line 1 column 1
        at com.example.auth.TokenService.refresh(TokenService.java:143)
          at Object.<anonymous> (/app/auth/session.ts:120:15)
          File "/app/auth/token.py", line 42, in refresh
        Caused by: java.lang.IllegalStateException: token: expired
        goroutine 12 [running]: main.(*Session).Token(0xc000010250)
        thread 'main' panicked at src/secret.rs:17:5: no secret
        4   App   0x0000000104f2c1a8 $s3App5TokenV5parseyyF + 48
        Fatal error: Unexpectedly found nil while unwrapping token
        SELECT id, password, token FROM users WHERE id = 42
        SELECT * FROM users WHERE password = ?
        UPDATE users SET password = $1, token = $2 WHERE id = $3
        WHERE password = :password AND token = @token
        INSERT INTO users (name, password) VALUES (?, ?)
        CREATE TABLE users (password VARCHAR(255) NOT NULL, token TEXT)
        ERROR: duplicate key value violates unique constraint "users_pkey"
        DETAIL: Key (email)=(bob@example.com) already exists.
        ERROR: column "token" of relation "users" does not exist
        {"page":2,"user":"bob","ok":true}
        {"token":null,"secret":false,"tokens":2048}
        {"errors":{"password":["can't be blank","is too short"]}}
        {"password":"must be at least 8 characters"}
        {"token_type":"bearer","expires_in":3600}
        {"type":"object","properties":{"password":{"type":"string"}}}
        {"password":"string","token":"<your-token>"}
        {"password":"********"}
        {"auth":{"enabled":true,"method":"password"}}
        {"maxTokens":128000,"sessionTimeout":"15m30s"}
        token: "[REDACTED]"
        password: ${DB_PASSWORD}
        password: {{ .Values.db.password }}
        password=$PASSWORD token=$(cat token)
        password: !vault |
        echo "password: %s"
        read -s -p "Password: " password
        export TOKEN=$GITHUB_TOKEN
        --password <password>
        usage: tool [--token TOKEN] [--verbose]
        secretName: my-tls
        secretKeyRef: {name: db, key: password}
        serviceAccountToken: {}
        automountServiceAccountToken: false
        imagePullSecrets: regcred
        Image pull secrets:  <none>
        Tokens:              default-token-8x7k2
        secret/my-app-secret created
        secret "my-app-secret" deleted
        token-service:1.25.3 pulled
        MountVolume.SetUp failed for volume "token": secret "default-token-abcd" not found
        env: name: DB_PASSWORD valueFrom: secretKeyRef
        kubectl get secrets -n prod
        commit 3f2a9c1 Add token refresh
        Author: Jane <jane@example.com>
        Merge branch 'feature/token-refresh'
        credential.helper=osxkeychain
         M Sources/Auth/Token.swift | 12 ++--
        remote: Resolving deltas: 100% (12/12), done.
        npm_config_cache=/root/.npm
        sk-learn 1.2 and hf_transfer
        eyJ and AKIA
        npm:left-pad@1.3.0
        -----BEGIN CERTIFICATE-----⏎MIIDdzCCAl+gAwIBAgIE⏎-----END CERTIFICATE-----
        -----BEGIN PUBLIC KEY-----⏎MIIBIjANBgkqhkiG9w0
        <password></password> <key>name</key>
        Result<Token, Error>: a < b
        Passwort: falsch
        Das Passwort ist abgelaufen
        Passwort: mindestens 8 Zeichen
        Kennwort geändert
        Token: abgelaufen
        Sitzung: beendet
        Schlüssel: users/42
        Mot de passe incorrect
        mot de passe : obligatoire
        jeton: expiré
        clé primaire: user_id
        Contraseña incorrecta
        contraseña: incorrecta
        clave primaria: id_usuario2
        sesión: iniciada
        Senha inválida
        senha: expirada
        chave estrangeira: id_pedido
        código: 404
        [auth] token validated for user 12 in 4 ms
        token_count=4096 token_limit=8192
        tokens_per_second: 42.5
        usedTokens: 1024000
        total tokens: 1234567
        num_tokens=1234567 ctx=8192
        inputTokens=123456 outputTokens=654321
        password_changed_at=2024-05-01T10:00:00Z
        password_reset_requested=true
        passwordAttempts=3
        session_duration=3600000ms
        sessionCount=1200000
        session timeout: 1800000
        session_id missing in request
        cookie_domain=.example.com
        cookies: enabled
        cookies=12 headers=9
        csrf: disabled
        CSRF token mismatch
        csrf validation failed: missing token
        secret_version=v1.2.3
        secrets: 14 synced
        secret "db" updated
        secret: not found
        token: invalid
        token: none
        token=anonymous
        token=<none>
        token=[hidden]
        password=(null)
        password=[FILTERED]
        password=xxxxxxxx
        password: n/a
        password: ok
        Password: changed successfully
        password: too weak
        password: incorrect for user bob
        PasswordHasher: argon2id
        password_hash_algorithm=bcrypt12
        auth: provider=google
        auth.method=password
        auth0: callback ok
        oauth2: state mismatch
        oauth: redirecting to https://idp.example.com/authorize?client_id=abc&response_type=code
        authorize: scope=read:user
        authorization: role=admin42 granted
        Authenticated as bob via publickey
        signature: (Int, String) -> Bool
        signature=invalid
        signature mismatch: expected 3f2a9c1
        pin 17: high
        pins: 3,5,7
        pass 2 of 3
        Pass: 345/345 tests
        sig: SIGTERM
        SIGKILL: exit 137
        pat: horse
        salt: sodium
        dsn: not configured
        bearer: missing
        jwt expired at 2024-05-01
        jwt: malformed
        otp: required
        key=123456789 value=987654321
        keys: 128000
        keyId=ABCDEF123456
        key_length=2048
        cacheKey: user:12345:v2
        partition_key=orders2024
        routing_key: orders.created.v2
        foreign key constraint fails (`db`.`t`, CONSTRAINT `fk_1`)
        Key usage: digitalSignature2
        Host key: SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU
        hotkey: ctrl+shift2
        i18n key: home.title2
        apiVersion: v1
        api: https://api.example.com/v1
        token.swift:42:13: note: in expansion here
        warning: 'token' was deprecated in iOS 17.0: use accessToken instead
        error: argument 'password' must precede argument 'token'
        error: no such module 'Secrets2'
        /usr/bin/ld: undefined reference to `Token::init(int)'
        Foo.java:12: error: incompatible types: String cannot be converted to Token
        TypeError: Cannot read properties of undefined (reading 'token')
        KeyError: 'password'
        AttributeError: 'NoneType' object has no attribute 'token'
        panic: runtime error: invalid memory address [signal SIGSEGV code=0x1 addr=0x0]
        org.springframework.security.authentication.BadCredentialsException: Bad credentials
        	at com.acme.Password.check(Password.kt:77)
        com.example.TokenExpiredException: token expired at 12:30:45
        user.password: can't be blank
        errors.password: too short (minimum is 8 characters)
        WHERE secret IS NULL
        GRANT SELECT ON secrets TO app_ro
        ALTER TABLE sessions ADD COLUMN token uuid
        EXPLAIN: Index Cond: (token = $1)
        Filter: (password = 'x'::text)
        SET token = NULL, password = DEFAULT
        password TEXT: nullable
        GET /users/42?include=password_policy&page=2 200 12ms
        GET /token?grant_type=client_credentials 200
        DELETE /sessions/12345678 204
        PUT /secrets/db-main/versions/3 200
        "GET /auth/callback?error=access_denied HTTP/2.0" 302
        301 https://www.example.com/password/new
        Location: /login?return_to=%2Fsecrets
        Set-Cookie2 is obsolete
        Accept: application/vnd.token+json
        Content-Type: application/x-www-form-urlencoded
        echo "$TOKEN" | docker login --password-stdin
        docker run -e TOKEN -e PASSWORD app
        curl -H "Authorization: Bearer $TOKEN" https://x
        curl -H "X-Api-Key: ${API_KEY}" https://x
        if [ -z "$PASSWORD" ]; then exit 1; fi
        PASSWORD=$(pass show db)
        token=`cat /run/token`
        env.TOKEN=%TOKEN%
        password: "{{ vault_password }}"
        password: <%= ENV['PW'] %>
        password: !Ref DbPassword
        token: *default_token
        password: ""
        tokens: []
        secrets: {}
        token: |
        secret: kubernetes.io/service-account-token
        type: kubernetes.io/dockerconfigjson
        mountPath: /var/run/secrets/tokens
        name: token-reviewer
        Warning  FailedMount  secret "tls-cert" not found
        serviceaccount/token-controller created
        clusterrole.rbac/secret-reader configured
        pod/auth-7d9f8b6c5d-x2k4p Running
        {"kind":"Secret","metadata":{"name":"db-secret","namespace":"prod"}}
        {"scopes":["read:token","write:token"]}
        {"required":["password","token"]}
        {"field":"password","code":"too_short"}
        {"key":"user_42","value":3}
        {"tokens":1024,"model":"gpt-4"}
        {"password":{"min":8,"max":64}}
        {"authenticated":true,"session":{"ttl":3600}}
        git push origin token-fix:main
        Merge pull request #42 from acme/password-reset
        [main 3f2a9c1] Rotate secrets
        fatal: could not read Password for 'https://bob@github.com': terminal prompts disabled
        user.signingkey is not set
        rename Sources/{Token.swift => AccessToken.swift} (98%)
        Falsches Passwort für Benutzer bob
        Passwort vergessen: E-Mail gesendet
        Passwort: erforderlich
        Passwortlänge: mindestens 12
        Schlüsselwort: suche
        Sitzung abgelaufen: bitte neu anmelden
        Geheimnis: unbekannt
        Jeton invalide ou expiré
        Mot de passe oublié : e-mail envoyé
        session : terminée
        clé étrangère: order_id2
        La contraseña es obligatoria
        Contraseña: debe tener 8 caracteres
        clave foránea: cliente_id3
        sesión caducada: vuelva a entrar
        A senha deve ter 8 caracteres
        senha: obrigatória
        palavra-chave: busca
        chave primária: id
        token expirado: faça login
        token: identifier
        token: StringLiteral
        the secret: kindness
        csrf_token: mismatch
        token: semicolon at 3:14
        lexer: token(kind: identifier, text: foo)
        SyntaxError: Unexpected token < in JSON at position 0
        password=weak
        password: accepted
        credential=stored
        salt=generated
        certificate pin: matched
        keychain status: -25300
        topic=auth:token:refreshed
        WWW-Authenticate: Bearer error="invalid_token"
        passwd: user bob not found
        token=rotated
        """#
}
