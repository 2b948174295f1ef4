/// The outcome of an endpoint in the seven cases of SquidKit's `ResponseStatus`.
public enum EndpointStatus: Sendable, CustomStringConvertible {
    /// The response was accepted and decoded.
    case ok
    /// The status isn't 2xx; the message is the value of the `Error` or `Status` field, if there is one.
    case httpError(code: Int, message: String?)
    /// This machine has no network connection.
    case notConnected
    /// The host can't be resolved or reached.
    case hostConnection
    /// The resource isn't available.
    case resourceUnavailable
    /// The response isn't JSON, or not an object or array.
    case responseFormat
    /// All other failures: timeouts, TLS, cancellation.
    case unknown(NetworkError)

    /// The name of the case, with the code and message of an HTTP error.
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
