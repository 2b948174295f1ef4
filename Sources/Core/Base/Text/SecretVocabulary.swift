/// The list of names, singular and lowercase.
extension SecretNames {
    fileprivate static func list(_ text: String) -> Set<String> {
        Set(text.split(whereSeparator: { $0.isWhitespace }).map(String.init))
    }

    static let clear: Set<String> = list(
        """
        password passwd passphrase passcode pwd dbpwd userpwd pw pword pswd passwdhash psk htpasswd pgpass
        passwordhash secret token credential cred connstr connstring connectionstring csrf xsrf ssn socialsecurity
        iban aspxauth sshpass secretkeybase sessid sessionid sessiontoken jwttoken totpseed otpseed walletseed
        recoveryseed masterseed seedphrase recoveryphrase mnemonicphrase recoverycode backupcode securitycode
        securityanswer verificationcode logincode mfacode smscode 2facode tfacode otpcode pincode onetimecode
        codeverifier oauthverifier cardnumber databaseurl dburl databaseuri dburi mongouri mongourl redisurl clientcert
        clientcertificate privkey privatepem rsaprivate dsaprivate ecprivate sshprivate gpgprivate pgpprivate
        sastoken basicauth bearertoken pgppassphrase userpass dbpass smtppass ftppass mysqlpass

        passwort kennwort geheimni geheimwort zugangscode zugangsdaten anmeldedaten sitzungsid einmalcode
        apischlüssel zugangsschlüssel geheimschlüssel privatschlüssel sicherheitsschlüssel zugriffsschlüssel
        lizenzschlüssel motdepasse motpasse mdp jeton cléapi clédapi cleapi cledapi clésecrète clesecrete cléprivée
        cleprivee clédaccès phrasesecrète identifiantsecret codesecret contraseña contrasena contrasenya claveapi
        clavedeapi clavesecreta claveprivada clavedeacceso secreto frasesecreta credencial credenciale codigosecreto
        códigosecreto senha segredo chaveapi chavedeapi chavedaapi chavesecreta chaveprivada chavedeacesso
        palavrapasse palavrasecreta fichasecreta códigodeacesso codigodeacesso
        """
    ).union(owners.map { $0 + "key" })

    /// Words that form the name of a secret with `key`.
    static let owners = list(
        """
        access account activation admin adyen aes age airtable algolia amplitude anthropic api app application auth aws
        azure bitbucket braintree bugsnag chacha claude client cloudflare cohere consumer crypto datadog decryption
        deepl deploy digitalocean dropbox ec encryption fernet firebase function functions gcp gemini github gitlab
        google gpg groq heroku hmac hubspot intercom jwt launchdarkly license licence linear mailchimp mailgun mapbox
        maps master mistral mixpanel mollie newrelic notion okta openai pagerduty paypal pgp plaid posthog postmark
        private product pusher recaptcha rollbar rsa s3 secret segment sendgrid sentry server session shared shopify signing
        slack square ssh ssl statsig stripe subscription supabase symmetric telegram tls twilio twitter vault vapid
        vonage webhook wifi wireguard wpa write yubi zendesk
        """)

    static let vague = list(
        """
        auth authorization authentication proxyauthorization bearer cookie setcookie jwt otp totp pin dsn salt hmac
        pat sid pass session sess signature sig cvv cvc mnemonic oauth clave sitzung sesión sesion sessão sessao
        """)

    /// The beginnings and ends of the names of secrets that people choose.
    static let chosen = list(
        """
        pass passw password passwd pwd pw psk phrase wort motdepasse motpasse mdp contraseña contrasena clave senha
        """)

    /// Words after a vague name that leave it secret: `pinCode`, `authHeader`, `sessionKey`.
    static let carriers = list("code key value header id hash string base64 hex")

    /// Words after a name that describe the secret without revealing it.
    static let after = list(
        """
        age algo algorithm arn attempt audience backend bucket budget button cache change changed class client color
        colour column cost count counter created disabled enabled encoding endpoint engine error exception expiration
        expired expire expiry factory failure field file filename flow form format generator group handler hashing
        hasher helper hint hour icon index input interval invalid is issued issuer item kind label language last leak
        left length level lifetime limit link list loader manager max message method middleware min minute mismatch
        missing mode model module ms name namespace needed node offset operator page path pattern per percent
        placeholder plugin policy position prefix provider range rate ratio reader ref reference regex region
        remaining removed renewed required requirement reset resolver retrie retry rotated rotation round rule
        scanner scope screen second sec service setting side size spec stage state status store strategy stream
        strength style suffix table template time timeout timestamp title total ttl type unit update updated uri url
        usage used valid validation validator validity version view visible window ablauf länge anzahl typ gültig
        expiración expiracion longitud tipo tamanho validade longueur durée duree caducidad
        """)

    /// Words before a name that make it a question or a number of things: `hasToken`, `maxPasswords`.
    static let before = list(
        "has is needs requires can should did uses no max maximum min minimum num number total count remaining used")

    /// Words before `token` that make it a position in a list or a text, or the handle of a task: `nextPageToken`.
    static let beforeToken = list(
        """
        next page pagination cursor continuation cancel cancellation sync resume change unexpected expected syntax
        unknown cached completion input output prompt
        """)

    /// Words of a sentence after a name: "contraseña nueva", "the password is".
    static let modifiers = list(
        """
        admin administrateur utilisateur usuario usuário nueva nuevo nova novo nouveau nouvelle actual atual neu alt is ist
        est es é
        """)

    /// Words between a name and its owner: "token de acceso", "password for bob".
    static let prepositions = list("de do da del d for für of para pour")
}

/// Words that stand in place of a secret, in lowercase.
extension SecretValue {
    private static func list(_ text: String) -> Set<String> { SecretNames.list(text) }

    /// Words of languages, types and states, in lowercase.
    static let words = list(
        """
        nil null none undefined true false void optional string substring nsstring integer number double boolean
        object array dictionary unknown varchar nvarchar secretstr bytearray bytebuffer unicode charsequence redacted
        filtered private hidden masked secret public default empty absent present missing invalid valid correct
        incorrect wrong success failure error errors denied bearer basic token tokens password passwords kerberos
        header headers cookie session anonymous unauthorized authentication authorization authenticated challenge
        scheme realm credential credentials required optional mandatory available unavailable readable unreadable
        writable obsolete forbidden forgotten broken stolen written okay system custom manual automatic internal
        external inline static const inout async await return throws falsch richtig unverändert fehlend ungültig gültig unbekannt
        abgelaufen erforderlich geändert notwendig leer erneuert gesperrt zurückgesetzt vergessen benötigt akzeptiert
        abgelehnt incorrecte incorrect invalide valide expiré expirée requis requise manquant manquante obligatoire
        inconnu inconnue oublié modifié changé révoqué refusé vide incorrecta incorrecto inválida inválido válida
        válido vacía vacío obligatoria obligatorio olvidada ausente incorreta incorreto obrigatória obrigatório
        esquecida vazia vazio
        """)

    /// Words for the state of a secret, which is written in its place: `password=changed`.
    static let states = list(
        """
        accepted activated added allowed applied approved archived assigned authorized blocked bypassed cached cancelled
        canceled changed changing checked checking cleared cleaned closed completed compromised configured confirmed
        consumed created creating declined decoded decrypted defined delegated deleted deleting denied deprecated
        derived detected disabled discarded disconnected dropped duplicated embedded enabled encoded encrypted enforced
        exceeded exchanged exchanging excluded exhausted existing expected expired expiring exported exposed failed
        failing fetched fetching filled filtered finished forced forwarded found generated generating granted handled
        hashed hashing ignored imported included incoming inherited initialized injected inserted invalidated issued
        leaked limited linked loaded loading locked logged malformed managed masked matched matching migrated mismatched
        missing modified needed normalized obfuscated obtained omitted opened outdated overridden parsed passed passing
        pending permitted preserved processed processing prompted protected provided provisioned queued received
        recorded recreated recycled refreshed refreshing refused registered rejected released reloaded removed
        removing renamed renewed renewing replaced requested requesting resolved restored restricted retrieved returned
        reused revoked rolled rotated rotating sanitized saved scheduled scrubbed sealed selected sending shared signed
        skipped specified started stopped stored storing stripped submitted succeeded supplied supported suspended
        terminated truncated trusted typed unchanged unchecked unconfigured undefined unencrypted unexpected unlocked
        unmatched unmodified unprotected unregistered unsigned unspecified unsupported untrusted unused unverified
        updated updating used validated validating verified verifying waiting wanted whitelisted wrapped
        """)

    /// The ends of such words in Spanish and Portuguese.
    static let stateEndings = ["ado", "ada", "ido", "ida"]

    static let algorithms = [
        "sha1", "sha2", "sha3", "sha5", "sha-", "md5", "hmac", "aes", "rsa-", "rsa2", "rsa4", "ecdsa", "ed25519",
        "oauth", "bcrypt",
        "argon2", "scrypt", "pbkdf2", "hs256", "rs256", "es256", "x25519", "utf-8",
    ]

    /// The last words of usual names of types.
    static let typeEndings = list(
        """
        token key session provider store service manager type config configuration error exception handler request
        response client credential credentials cookie value ref info data options string source storage cache policy
        kind view model controller factory builder protocol delegate id code state result encoder decoder hasher
        generator validator
        """)

    /// Values in a query that aren't secrets.
    static let nothing = list("nil null none undefined true false")

    /// The schemes of the field `Authorization` whose credentials have several words, in lowercase.
    static let schemes = list("basic bearer digest token negotiate ntlm apikey hawk aws4-hmac-sha256 oauth")
}

extension SecretText {
    /// The starts of tokens that tell which provider issued them, of JSON web tokens and of keys, for each first byte.
    static let prefixes: [[[UInt8]]] = {
        let all = SecretNames.list(
            """
            ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- gldt- glrt- glptt- sk_live_ sk_test_ rk_live_ rk_test_ whsec_ sk- xoxb-
            xoxp- xoxa- xoxr- xoxs- xapp- AIza AKIA ASIA SG. npm_ pypi- dckr_pat_ dop_v1_ shpat_ shpss_ hf_ hvs. ya29. glsa_
            NRAK- lin_api_ gsk_ sq0atp- sq0csp- sntrys_ PMAK- ATATT3 AGE-SECRET-KEY- eyJ -----BEGIN
            """
        ).map { Array($0.utf8) }
        return (0...UInt8.max).map { first in all.filter { $0[0] == first } }
    }()
}
