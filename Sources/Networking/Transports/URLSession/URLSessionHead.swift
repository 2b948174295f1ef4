import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Translates what a session says into this module's terms.
enum URLSessionHead {
    /// The head; Foundation loses the order and joins repeats with commas, so fields are sorted by name.
    static func head(of response: HTTPURLResponse) -> ResponseHead {
        let fields = response.allHeaderFields.map { HTTPField(String(describing: $0), String(describing: $1)) }
        return ResponseHead(status: response.statusCode, headers: HTTPHeaders(fields.sorted { $0.name < $1.name }))
    }

    static func defect(of head: ResponseHead, limits: ResponseLimits) -> NetworkError? {
        if head.headers.count > limits.headerFields {
            return bad("the head has more than \(limits.headerFields) fields", limits.headerFields)
        }
        let size = head.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        return size > limits.headBytes
            ? bad("the head is longer than \(limits.headBytes) bytes", limits.headBytes) : nil
    }

    private static func bad(_ message: String, _ limit: Int) -> NetworkError {
        var error = NetworkError(.badResponse, message, phase: .receive)
        error.limit = limit
        return error
    }

    static func error(_ error: any Error, hasHead: Bool) -> NetworkError {
        let code: NetworkError.Code
        var phase: NetworkPhase = hasHead ? .receive : .wait
        switch (error as? URLError)?.code {
        case .cancelled: code = .cancelled
        case .timedOut: code = .timedOut
        case .notConnectedToInternet: (code, phase) = (.notConnected, .connect)
        case .cannotFindHost, .dnsLookupFailed: (code, phase) = (.hostNotFound, .resolve)
        case .cannotConnectToHost: (code, phase) = (.cannotConnect, .connect)
        case .networkConnectionLost: code = hasHead ? .truncated : .connectionLost
        case .badServerResponse, .cannotParseResponse: code = .badResponse
        case .cannotDecodeContentData, .cannotDecodeRawData: code = .corrupted
        case .secureConnectionFailed: (code, phase) = (.tlsFailed, .tls)
        case .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot,
            .serverCertificateNotYetValid:
            (code, phase) = (.certificateUntrusted, .tls)
        default: code = hasHead ? .truncated : .connectionLost
        }
        return NetworkError(code, error.localizedDescription, phase: phase, underlying: error)
    }
}
