#if canImport(Darwin)
    import Foundation
    import Security

    /// Translates the measurements of a session, which follows no redirects, so that a task has one transaction.
    enum URLSessionMetrics {
        static func metrics(of collected: URLSessionTaskMetrics) -> ExchangeMetrics {
            var metrics = ExchangeMetrics()
            guard let measured = collected.transactionMetrics.last else { return metrics }
            metrics.remoteAddress = address(measured.remoteAddress, measured.remotePort)
            metrics.localAddress = address(measured.localAddress, measured.localPort)
            metrics.protocolName = measured.networkProtocolName
            if let version = measured.negotiatedTLSProtocolVersion?.rawValue, version >= 0x0301 {
                metrics.tlsVersion = "1.\(version - 0x0301)"
            }
            metrics.sentHeadBytes = Int(measured.countOfRequestHeaderBytesSent)
            metrics.sentBodyBytes = Int(measured.countOfRequestBodyBytesSent)
            metrics.receivedHeadBytes = Int(measured.countOfResponseHeaderBytesReceived)
            metrics.receivedBodyBytes = Int(measured.countOfResponseBodyBytesReceived)
            metrics.timings = timings(measured)
            metrics.duration = time(measured, measured.responseEndDate) ?? .zero
            return metrics
        }

        private static func timings(_ measured: URLSessionTaskTransactionMetrics) -> TransportTimings {
            var timings = TransportTimings()
            timings.firstByte = time(measured, measured.responseStartDate)
            timings.reusedConnection = measured.isReusedConnection
            guard !measured.isReusedConnection else { return timings }
            timings.resolved = time(measured, measured.domainLookupEndDate)
            timings.connected = time(measured, measured.secureConnectionEndDate ?? measured.connectEndDate)
            timings.secured = time(measured, measured.secureConnectionEndDate)
            return timings
        }

        private static func time(_ measured: URLSessionTaskTransactionMetrics, _ date: Date?) -> Duration? {
            guard let date, let start = measured.fetchStartDate else { return nil }
            return .seconds(max(date.timeIntervalSince(start), 0))
        }

        private static func address(_ host: String?, _ port: Int?) -> NetworkAddress? {
            guard let host, let port else { return nil }
            return NetworkAddress(host: host, port: port)
        }
    }
#endif
