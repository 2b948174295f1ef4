extension NetworkError {
    /// The kind of a failure.
    ///
    /// Codes may be added, so a `switch` needs a `default`. A custom transport or middleware may create further codes.
    public struct Code: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
        // As for every `RawRepresentable` type, codes with equal names are equal.

        /// The code's name, such as `timedOut`.
        public let rawValue: String
        /// The sentence of `userMessage` for a code of another library.
        package private(set) var userMessage: String?
        /// Creates a code from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        package init(_ name: String, userMessage: String) {
            rawValue = name
            self.userMessage = userMessage
        }

        /// The code's name.
        public var description: String { rawValue }
    }
}

extension NetworkError.Code {
    private init(_ name: String) { self.init(rawValue: name) }

    // Before anything is sent.

    /// The URL can't be requested: no host, not http(s), control characters, user information, or a bad port or escape.
    public static let invalidURL = Self("invalidURL")
    /// A header field's name or value is invalid; `key` is the field's name.
    public static let invalidHeader = Self("invalidHeader")
    /// The request's body can't be built, such as a multipart form with a control character in a content type.
    public static let invalidBody = Self("invalidBody")
    /// A value can't be encoded as JSON or as a form.
    public static let encodingFailed = Self("encodingFailed")
    /// A file can't be read, written or measured; `file` is its path.
    public static let fileFailed = Self("fileFailed")
    /// A setting of the transport is malformed, or the transport can't honor it; `key` names the setting.
    public static let invalidConfiguration = Self("invalidConfiguration")
    /// The credentials can't be renewed, or the request can't be signed; `underlying` is the reason.
    public static let authenticationFailed = Self("authenticationFailed")
    /// The transport doesn't support a feature of the request.
    public static let unsupported = Self("unsupported")

    // During the exchange.

    /// The caller cancelled the request.
    public static let cancelled = Self("cancelled")
    /// The connect, idle or total timeout expired; `phase` is the phase that was interrupted.
    public static let timedOut = Self("timedOut")
    /// This machine has no network connection.
    public static let notConnected = Self("notConnected")
    /// The host name doesn't resolve.
    public static let hostNotFound = Self("hostNotFound")
    /// The host refused the connection or is unreachable.
    public static let cannotConnect = Self("cannotConnect")
    /// The TLS handshake failed.
    public static let tlsFailed = Self("tlsFailed")
    /// The server's certificate isn't trusted: unknown issuer, expired, or issued for another host.
    public static let certificateUntrusted = Self("certificateUntrusted")
    /// The connection closed before the response began.
    public static let connectionLost = Self("connectionLost")
    /// The proxy is unreachable or refused the request.
    public static let proxyFailed = Self("proxyFailed")

    // In the response.

    /// The response isn't HTTP, or its head exceeds a limit.
    public static let badResponse = Self("badResponse")
    /// The response ended before its announced or framed end.
    public static let truncated = Self("truncated")
    /// The response's chunks or compression are damaged.
    public static let corrupted = Self("corrupted")
    /// The body exceeds the request's limit.
    public static let bodyTooLarge = Self("bodyTooLarge")
    /// The decompressed body exceeds ``RequestOptions/maximumDecompressionRatio``.
    public static let decompressionLimit = Self("decompressionLimit")
    /// The request doesn't accept the response's status; `status` is its number.
    public static let unacceptableStatus = Self("unacceptableStatus")

    // Redirects.

    /// The response's `Location` is missing, malformed or not http(s).
    public static let invalidRedirect = Self("invalidRedirect")
    /// The response redirects from https to http.
    public static let insecureRedirect = Self("insecureRedirect")
    /// The request has the client's credentials and would be sent to another machine over plain HTTP.
    public static let insecureCredentials = Self("insecureCredentials")
    /// The response redirects more often than allowed, or in a loop.
    public static let tooManyRedirects = Self("tooManyRedirects")
    /// A redirect or retry must send the body again, but it can be sent only once.
    public static let bodyNotReplayable = Self("bodyNotReplayable")

    // Reading the response.

    /// The response can't be decoded; `path` is the JSON path.
    public static let decodingFailed = Self("decodingFailed")
    /// The text is invalid in its encoding; `offset` is the first invalid byte.
    public static let invalidText = Self("invalidText")
    /// The bytes aren't JSON; `offset`, `line` and `column` are the position.
    public static let invalidJSON = Self("invalidJSON")
    /// The JSON exceeds a limit of depth or size.
    public static let jsonLimit = Self("jsonLimit")

    // Host environments.

    /// The host map can't be read; `path`, `line` and `column` are the position.
    public static let invalidHostMap = Self("invalidHostMap")
    /// The host map doesn't contain the canonical host.
    public static let unknownHost = Self("unknownHost")
    /// The host map doesn't contain the environment for the host; `key` is its key.
    public static let unknownEnvironment = Self("unknownEnvironment")
    /// The typed host is invalid; the selection is unchanged.
    public static let invalidUserHost = Self("invalidUserHost")

    /// A transport that responds from memory, such as a ``StubTransport``, has no response to the request.
    public static let notRecorded = Self("notRecorded")
    /// A failure of another kind.
    public static let unknown = Self("unknown")
}
