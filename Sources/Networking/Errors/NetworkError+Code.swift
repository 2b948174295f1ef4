extension NetworkError {
    /// What went wrong, without the particulars.
    ///
    /// Codes may be added, so a `switch` needs a `default`. A code is open: an own transport or middleware may create further ones from a name.
    public struct Code: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
        /// The code's name, such as `timedOut`.
        public let rawValue: String
        /// Creates a code from its name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The code's name.
        public var description: String { rawValue }
    }
}

extension NetworkError.Code {
    private init(_ name: String) { self.init(rawValue: name) }

    // Before anything is sent.

    /// The URL is not one that may be requested: no host, not http(s), control characters, user-info, bad port or escape.
    public static let invalidURL = Self("invalidURL")
    /// A header field's name or value may not be sent; `key` names the field.
    public static let invalidHeader = Self("invalidHeader")
    /// The request's body cannot be built, such as a multipart form with a bad boundary.
    public static let invalidBody = Self("invalidBody")
    /// A value could not be encoded as JSON or as a form.
    public static let encodingFailed = Self("encodingFailed")
    /// A file could not be read, written or measured; `file` names it.
    public static let fileFailed = Self("fileFailed")
    /// The transport cannot do what the request asks.
    public static let unsupported = Self("unsupported")

    // On the way.

    /// The caller gave the request up.
    public static let cancelled = Self("cancelled")
    /// The connect, idle or total time ran out; `phase` says while doing what.
    public static let timedOut = Self("timedOut")
    /// This machine has no network.
    public static let notConnected = Self("notConnected")
    /// The host's name does not resolve.
    public static let hostNotFound = Self("hostNotFound")
    /// The host refused the connection or cannot be reached.
    public static let cannotConnect = Self("cannotConnect")
    /// Encryption could not be agreed on.
    public static let tlsFailed = Self("tlsFailed")
    /// The server's certificate is not trusted: unknown issuer, expired, or for another host.
    public static let certificateUntrusted = Self("certificateUntrusted")
    /// The connection broke before the answer began.
    public static let connectionLost = Self("connectionLost")
    /// The proxy could not be reached or refused.
    public static let proxyFailed = Self("proxyFailed")

    // The answer.

    /// The answer is not HTTP, or its head breaks a limit.
    public static let badResponse = Self("badResponse")
    /// The answer ended before its announced or framed end.
    public static let truncated = Self("truncated")
    /// The answer's chunks or compression are damaged.
    public static let corrupted = Self("corrupted")
    /// The body is longer than the request allows; `limit` is in bytes.
    public static let bodyTooLarge = Self("bodyTooLarge")
    /// The body inflates beyond what the request allows; `limit` is the ratio.
    public static let decompressionLimit = Self("decompressionLimit")
    /// The status is not one the request accepts; `status` gives it.
    public static let unacceptableStatus = Self("unacceptableStatus")

    // Redirects.

    /// The answer's Location is missing, broken or not http(s).
    public static let invalidRedirect = Self("invalidRedirect")
    /// The answer leads from https to http, which is refused unless allowed.
    public static let insecureRedirect = Self("insecureRedirect")
    /// The answer leads on more often than allowed, or in a circle; `history` shows the way.
    public static let tooManyRedirects = Self("tooManyRedirects")
    /// The body can be sent only once but would have to be sent again.
    public static let bodyNotReplayable = Self("bodyNotReplayable")

    // Reading the answer.

    /// The answer cannot be turned into the endpoint's output; `path` gives the JSON path.
    public static let decodingFailed = Self("decodingFailed")
    /// The text is not valid in its encoding; `offset` gives the first bad byte.
    public static let invalidText = Self("invalidText")
    /// The bytes are not JSON; `offset`, `line` and `column` give the place.
    public static let invalidJSON = Self("invalidJSON")
    /// The JSON is deeper or larger than allowed.
    public static let jsonLimit = Self("jsonLimit")

    // Host environments.

    /// The host map is not readable; `path`, `line` and `column` give the place.
    public static let invalidHostMap = Self("invalidHostMap")
    /// The host map has no such canonical host.
    public static let unknownHost = Self("unknownHost")
    /// The host map has no such environment for the host; `key` names it.
    public static let unknownEnvironment = Self("unknownEnvironment")
    /// The typed host is not one; nothing is changed.
    public static let invalidUserHost = Self("invalidUserHost")

    // Models.

    /// Another operation of another kind runs on the model.
    public static let busy = Self("busy")
    /// The server holds a newer version of the model (412).
    public static let conflict = Self("conflict")
    /// A model's attributes were refused, here or by the server (422); `messages` say why.
    public static let validationFailed = Self("validationFailed")
    /// A model has no place to be fetched from or saved to.
    public static let missingLocation = Self("missingLocation")

    // Archives.

    /// No recorded exchange answers the request; the message shows the nearest one.
    public static let notRecorded = Self("notRecorded")
    /// The archive is not readable as HAR 1.2.
    public static let invalidArchive = Self("invalidArchive")

    /// None of the others.
    public static let unknown = Self("unknown")
}
