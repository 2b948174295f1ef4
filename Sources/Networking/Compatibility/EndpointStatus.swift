/// The outcome of an endpoint in the seven cases of SquidKit's `ResponseStatus`.
public enum EndpointStatus: Sendable, CustomStringConvertible {
    /// The answer was accepted and read.
    case ok
    /// The server answered with another status than 2xx; the message is its `Error` or `Status` field, if any.
    case httpError(code: Int, message: String?)
    /// This machine has no network.
    case notConnected
    /// The host cannot be found or reached.
    case hostConnection
    /// The resource is not available.
    case resourceUnavailable
    /// The answer is not JSON, or not an object or array.
    case responseFormat
    /// Everything else: timeouts, TLS, cancellation.
    case unknown(NetworkError)

    /// The case's name, with code and message of an HTTP error.
    public var description: String {
        switch self {
        case .ok: "ok"
        case .httpError(let code, let message): "httpError(\(code)\(message.map { ", " + $0 } ?? ""))"
        case .notConnected: "notConnected"
        case .hostConnection: "hostConnection"
        case .resourceUnavailable: "resourceUnavailable"
        case .responseFormat: "responseFormat"
        case .unknown(let error): "unknown(\(error.code))"
        }
    }
}

extension NetworkError {
    /// The error as one of SquidKit's seven cases.
    public var responseStatus: EndpointStatus {
        switch code {
        case .unacceptableStatus: .httpError(code: status ?? 0, message: headers?["Error"] ?? headers?["Status"])
        case .notConnected: .notConnected
        case .hostNotFound, .cannotConnect: .hostConnection
        case .fileFailed: .resourceUnavailable
        case .invalidJSON, .jsonLimit, .decodingFailed, .invalidText: .responseFormat
        default: .unknown(self)
        }
    }
}
