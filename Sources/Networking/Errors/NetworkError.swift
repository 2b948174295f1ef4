/// Why a request, a response, a host map, a JSON document or a model operation failed: the one error of this module.
///
/// `code` says what happened, `phase` how far the request had come, and the other properties give the
/// particulars that apply; those that do not apply are nil or empty. Secrets never appear: `request` is
/// redacted, and no property holds a header value or query value that `NetworkRedaction.standard` hides.
///
/// ```swift
/// func explain(_ error: NetworkError) -> String? {
///     if error.isCancellation { return nil }
///     if error.code == .unacceptableStatus, error.status == 404 { return "There is no such note." }
///     return error.userMessage
/// }
/// ```
public struct NetworkError: Error, Sendable {
    /// What went wrong, without the particulars.
    public let code: Code
    /// The particulars in words, such as what was expected and what was found.
    public var message: String
    /// How far the request had come, if one was under way.
    public var phase: NetworkPhase?
    /// The request as it was sent, with its secrets hidden.
    public var request: RedactedRequest?
    /// The status of the answer, if one arrived.
    public var status: Int?
    /// The fields of the answer, secrets hidden, if one arrived.
    public var headers: HTTPHeaders?
    /// The first bytes of the answer's body, at most ``bodyPrefixLimit``.
    public var bodyPrefix: [UInt8] = [] {
        didSet {
            if bodyPrefix.count > Self.bodyPrefixLimit { bodyPrefix = Array(bodyPrefix.prefix(Self.bodyPrefixLimit)) }
        }
    }
    /// How often the request was sent, retries and replays included; 0 if it never was.
    public var attempts: Int = 0
    /// The redirects that were followed before the failure, oldest first, as redacted URLs.
    public var history: [String] = []
    /// The header field, environment key or attribute that is concerned.
    public var key: String?
    /// The JSON path of the place that is concerned, such as `$.users[3].name`.
    public var path: String?
    /// The file that is concerned.
    public var file: String?
    /// The byte offset of the place that is concerned, counted from 0.
    public var offset: Int?
    /// The line of the place that is concerned, counted from 1.
    public var line: Int?
    /// The column of the place that is concerned, in bytes, counted from 1.
    public var column: Int?
    /// The limit that was exceeded, in the unit that `message` names.
    public var limit: Int?
    /// The answer's own messages about the fields it refuses (422), in order.
    public var messages: [String] = []
    /// The error underneath, if there is one.
    public var underlying: (any Error)?

    /// The most bytes of a body that an error keeps: 4 KiB.
    public static let bodyPrefixLimit: Int = 4096

    /// Creates an error from its code and a sentence of particulars.
    public init(_ code: Code, _ message: String = "", phase: NetworkPhase? = nil, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.phase = phase
        self.underlying = underlying
    }

    /// Wraps any error: a `NetworkError` stays itself, a `CancellationError` becomes `.cancelled`.
    public init(wrapping error: any Error, as code: Code = .unknown, phase: NetworkPhase? = nil) {
        if let error = error as? NetworkError {
            self = error
        } else if error is CancellationError {
            self.init(.cancelled, "the task was cancelled", phase: phase)
        } else {
            self.init(code, String(describing: error), phase: phase, underlying: error)
        }
    }

    /// Whether the caller gave the request up; such an error is not worth a message.
    public var isCancellation: Bool { code == .cancelled }

    /// Whether the same request may well succeed a little later.
    ///
    /// True for lost, refused and timed-out connections, for a name that did not resolve, for a truncated
    /// answer, and for the statuses 408, 425, 429, 500, 502, 503 and 504. It says nothing about whether the
    /// request may safely be sent twice; see ``HTTPMethod/isIdempotent``.
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

/// How far a request had come when something happened.
public struct NetworkPhase: Hashable, Sendable, CustomStringConvertible {
    /// The phase's name, as it is printed.
    public let description: String

    private init(_ name: String) { description = name }

    /// Building and checking the request; nothing has been sent.
    public static let prepare = NetworkPhase("prepare")
    /// Looking the host's name up.
    public static let resolve = NetworkPhase("resolve")
    /// Opening the connection.
    public static let connect = NetworkPhase("connect")
    /// Agreeing on encryption and checking the certificate.
    public static let tls = NetworkPhase("tls")
    /// Sending the head and the body.
    public static let send = NetworkPhase("send")
    /// Waiting for the first byte of the answer.
    public static let wait = NetworkPhase("wait")
    /// Receiving the head or the body of the answer.
    public static let receive = NetworkPhase("receive")
    /// Turning the answer into the endpoint's output.
    public static let decode = NetworkPhase("decode")
}
