/// The error of this module, for requests, responses, host maps, JSON documents and models.
///
/// Properties that don't apply are nil or empty. Secrets never appear: `request` is redacted, and no property holds a
/// header or query value that `NetworkRedaction.standard` hides.
///
/// ```swift
/// func explain(_ error: NetworkError) -> String? {
///     if error.code == .cancelled { return nil }
///     if error.code == .unacceptableStatus, error.status == 404 { return "There is no such note." }
///     return error.userMessage
/// }
/// ```
public struct NetworkError: Error, Sendable {
    /// The kind of the failure.
    public let code: Code
    /// The details, such as what was expected and what was found.
    public var message: String
    /// The phase of the request in which the failure occurred, if a request was in progress.
    public var phase: NetworkPhase?
    /// How much of the request the server may have received, if it is known.
    public var requestState: RequestState?
    /// The request as sent, redacted.
    public var request: RedactedRequest?
    /// The status of the response, if one arrived.
    public var status: Int?
    /// The header fields of the response, redacted, if one arrived.
    public var headers: HTTPHeaders?
    /// The first bytes of the response's body, at most 4 KiB.
    public var bodyPrefix: [UInt8] = [] {
        didSet {
            if bodyPrefix.count > Self.bodyPrefixLimit { bodyPrefix = Array(bodyPrefix.prefix(Self.bodyPrefixLimit)) }
        }
    }
    /// The number of times the request was sent, including retries and redirects.
    public var attempts: Int = 0
    /// The redirects followed before the failure, oldest first, as redacted URLs.
    package var history: [String] = []
    /// The affected header field, environment key or attribute.
    public var key: String?
    /// The affected JSON path, such as `$.users[3].name`.
    public var path: String?
    /// The affected file.
    public var file: String?
    /// The byte offset of the error, from 0.
    public var offset: Int?
    /// The line of the error, from 1.
    public var line: Int?
    /// The column of the error in bytes, from 1.
    public var column: Int?
    /// The exceeded limit, in the unit that `message` names.
    package var limit: Int?
    /// The server's messages about rejected fields (422), in order.
    public var messages: [String] = []
    /// The underlying error, if there is one.
    public var underlying: (any Error)?

    /// The maximum length of `bodyPrefix`: 4 KiB.
    package static let bodyPrefixLimit: Int = 4096

    /// Creates an error.
    public init(_ code: Code, _ message: String = "", phase: NetworkPhase? = nil, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.phase = phase
        self.underlying = underlying
    }

    /// Creates an error about a field, setting, JSON value, file or limit.
    package init(
        _ code: Code, _ message: String, phase: NetworkPhase? = nil, key: String? = nil, path: String? = nil,
        file: String? = nil, line: Int? = nil, limit: Int? = nil, underlying: (any Error)? = nil
    ) {
        self.init(code, message, phase: phase, underlying: underlying)
        self.key = key
        self.path = path
        self.file = file
        self.line = line
        self.limit = limit
    }

    /// Wraps an error: a `NetworkError` is unchanged, a `CancellationError` becomes `.cancelled`.
    package init(wrapping error: any Error, as code: Code = .unknown, phase: NetworkPhase? = nil) {
        if let error = error as? NetworkError {
            self = error
        } else if error is CancellationError {
            self.init(.cancelled, "the task was cancelled", phase: phase)
        } else {
            self.init(code, String(describing: error), phase: phase, underlying: error)
        }
    }

    /// Whether the same request may succeed if it is repeated shortly afterward.
    ///
    /// True for lost, refused and timed-out connections, unresolved host names, truncated responses, and the statuses
    /// 408, 425, 429, 500, 502, 503 and 504. It doesn't mean that the request can safely be sent twice.
    public var isTransient: Bool {
        if code == .unacceptableStatus, let status {
            return [408, 425, 429, 500, 502, 503, 504].contains(status)
        }
        return Self.transientCodes.contains(code)
    }

    private static let transientCodes: Set<Code> = [
        .timedOut, .notConnected, .hostNotFound, .cannotConnect, .connectionLost, .truncated,
    ]
}

/// How much of a request the server may have received when it failed.
public enum RequestState: Hashable, Sendable {
    /// Nothing was sent, so the server has not processed the request.
    case notSent
    /// A part was sent; the server may have started to process it.
    case partlySent
    /// All of it was sent; the server may have processed it.
    case sent
    /// The server sent at least the start of a response.
    case answered
}

/// A phase of a request.
public enum NetworkPhase: Hashable, Sendable {
    /// Building and checking the request; nothing is sent yet.
    case prepare
    /// Resolving the host name.
    case resolve
    /// Opening the connection.
    case connect
    /// Negotiating TLS and checking the certificate.
    case tls
    /// Sending the head and the body.
    case send
    /// Waiting for the first byte of the response.
    case wait
    /// Receiving the head or body of the response.
    case receive
    /// Decoding the response.
    case decode
}

extension NetworkError: CustomStringConvertible {
    /// The code, the details and the redacted request in one line.
    public var description: String {
        var text = code.rawValue
        if !message.isEmpty { text += ": " + message }
        if let status { text += " (status \(status))" }
        if let key { text += " [\(key)]" }
        if let path { text += " at \(path)" }
        if let file { text += " in \(file)" }
        if let line { text += column.map { " line \(line), column \($0)" } ?? " line \(line)" }
        if let offset { text += " at byte \(offset)" }
        if !messages.isEmpty { text += " (" + messages.joined(separator: "; ") + ")" }
        if let phase { text += " while in phase \(phase)" }
        if let request { text += " — \(request)" }
        if attempts > 1 { text += " after \(attempts) attempts" }
        if !history.isEmpty { text += " via " + history.joined(separator: " → ") }
        return text
    }

    /// A sentence in English for the app's user, without technical details.
    ///
    /// The sentence depends only on `code`; to translate it, switch over `code`. If the server sent `messages` (422),
    /// they are returned instead.
    public var userMessage: String {
        if !messages.isEmpty { return messages.joined(separator: "\n") }
        switch code {
        case .cancelled: return "The request was cancelled."
        case .timedOut: return "The server took too long to answer."
        case .notConnected: return "There is no network connection."
        case .hostNotFound, .cannotConnect: return "The server can't be reached."
        case .connectionLost, .truncated: return "The connection to the server was lost."
        case .tlsFailed, .certificateUntrusted, .insecureRedirect:
            return "A secure connection to the server can't be made."
        case .unacceptableStatus:
            switch status ?? 0 {
            case 401, 403: return "You are not allowed to do that."
            case 404, 410: return "What you asked for does not exist."
            case 408, 429, 503: return "The server is busy; try again later."
            case 500...599: return "The server has a problem; try again later."
            default: return "The server refused the request."
            }
        case .fileFailed: return "A file could not be read or written."
        default:
            return code.userMessage
                ?? (phase == .prepare ? "The request can't be sent." : "The server's response can't be used.")
        }
    }
}
