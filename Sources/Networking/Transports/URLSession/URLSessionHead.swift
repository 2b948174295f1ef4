import Foundation

#if canImport(Darwin)
    import Security
#endif

/// Translates responses and errors of a session.
package enum URLSessionHead {
    /// Returns the head; Foundation loses the order of fields and joins repeated ones, so they are sorted by name.
    static func head(_ status: Int, _ allFields: [AnyHashable: Any]) -> ResponseHead {
        let fields = allFields.flatMap { key, value in
            let (name, value) = (String(describing: key), String(describing: value))
            let isCookie = name.equalsIgnoringASCIICase("Set-Cookie")
            return (isCookie ? cookies(value) : [value]).map { HTTPField(name, $0) }
        }
        return ResponseHead(status: status, headers: HTTPHeaders(fields.sorted { $0.name < $1.name }))
    }

    /// Splits cookies that were joined by commas; unlike a comma in a date, such a comma precedes a name and `=`.
    static func cookies(_ text: String) -> [String] {
        var cookies: [String] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let begin = part.drop { $0 == " " || $0 == "\t" }
            let name = begin.prefix { $0 != "=" && $0 != ";" }
            let isNew =
                name.endIndex < begin.endIndex && begin[name.endIndex] == "=" && HTTPSyntax.isToken(String(name))
            if isNew || cookies.isEmpty {
                cookies.append(String(begin))
            } else {
                cookies[cookies.count - 1] += "," + part
            }
        }
        return cookies
    }

    static func defect(of head: ResponseHead) -> NetworkError? {
        if head.headers.count > ResponseHead.mostFields {
            return bad("the head has more than \(ResponseHead.mostFields) fields", ResponseHead.mostFields)
        }
        let size = head.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        return size > ResponseHead.mostBytes
            ? bad("the head is longer than \(ResponseHead.mostBytes) bytes", ResponseHead.mostBytes) : nil
    }

    private static func bad(_ message: String, _ limit: Int) -> NetworkError {
        NetworkError(.badResponse, message, phase: .receive, limit: limit)
    }

    package static func error(_ error: any Error, hasHead: Bool) -> NetworkError {
        if let error = error as? NetworkError { return error }
        var code: NetworkError.Code
        var phase: NetworkPhase = hasHead ? .receive : .wait
        switch (error as? URLError)?.code {
        case .cancelled: code = .cancelled
        case .timedOut: code = .timedOut
        case .notConnectedToInternet, .internationalRoamingOff, .callIsActive, .dataNotAllowed:
            (code, phase) = (.notConnected, .connect)
        case .badURL, .unsupportedURL: (code, phase) = (.invalidURL, .prepare)
        case .appTransportSecurityRequiresSecureConnection: (code, phase) = (.unsupported, .prepare)
        case .clientCertificateRejected, .clientCertificateRequired: (code, phase) = (.tlsFailed, .tls)
        case .dataLengthExceedsMaximum where !hasHead: (code, phase) = (.unsupported, .prepare)
        case .dataLengthExceedsMaximum: code = .bodyTooLarge
        case .cannotFindHost, .dnsLookupFailed: (code, phase) = (.hostNotFound, .resolve)
        case .cannotConnectToHost: (code, phase) = (.cannotConnect, .connect)
        case .networkConnectionLost: code = hasHead ? .truncated : .connectionLost
        case .badServerResponse, .cannotParseResponse: code = .badResponse
        case .cannotDecodeContentData, .cannotDecodeRawData: code = .corrupted
        case .secureConnectionFailed: (code, phase) = (.tlsFailed, .tls)
        case .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot,
            .serverCertificateNotYetValid:
            code = .certificateUntrusted
            phase = .tls
        case .unknown, nil: code = hasHead ? .truncated : .connectionLost
        // What isn't known to be transient must not be repeated or queued for ever.
        default: code = .unknown
        }
        #if canImport(Darwin)
            if URLSessionProxy.isFailure(error) { (code, phase) = (.proxyFailed, .connect) }
        #endif
        // Foundation's error contains the whole URL, including secrets.
        let underlying = (error as? URLError).map { URLError($0.code) as any Error } ?? error
        return NetworkError(code, error.localizedDescription, phase: phase, underlying: underlying)
    }
}

#if canImport(Darwin)
    extension URLSessionHead {
        static func head(of response: HTTPURLResponse) -> ResponseHead {
            head(response.statusCode, response.allHeaderFields)
        }
    }

    /// Translates the measurements of a session, which follows no redirects, so that a task has one transaction.
    enum URLSessionMetrics {
        static func metrics(of collected: URLSessionTaskMetrics) -> ExchangeMetrics {
            var metrics = ExchangeMetrics()
            guard let measured = collected.transactionMetrics.last else { return metrics }
            if let host = measured.remoteAddress, let port = measured.remotePort {
                metrics.remoteAddress = ExchangeMetrics.address(host, port)
            }
            metrics.protocolName = measured.networkProtocolName
            if let version = measured.negotiatedTLSProtocolVersion?.rawValue, version >= 0x0301 {
                metrics.tlsVersion = "1.\(version - 0x0301)"
            }
            metrics.sentBodyBytes = Int(measured.countOfRequestBodyBytesSent)
            metrics.receivedBodyBytes = Int(measured.countOfResponseBodyBytesReceived)
            metrics.duration = time(measured, measured.responseEndDate) ?? .zero
            metrics.firstByte = time(measured, measured.responseStartDate)
            metrics.reusedConnection = measured.isReusedConnection
            guard !measured.isReusedConnection else { return metrics }
            metrics.resolved = time(measured, measured.domainLookupEndDate)
            metrics.connected = time(measured, measured.secureConnectionEndDate ?? measured.connectEndDate)
            metrics.secured = time(measured, measured.secureConnectionEndDate)
            return metrics
        }

        private static func time(_ measured: URLSessionTaskTransactionMetrics, _ date: Date?) -> Duration? {
            guard let date, let start = measured.fetchStartDate else { return nil }
            return .seconds(max(date.timeIntervalSince(start), 0))
        }
    }
#endif
