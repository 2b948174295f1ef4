#if os(Linux)
    import CAshlarCurl

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// Translates libcurl's results into errors of this module, by number, because its messages differ between
    /// versions; `Hint` has the three exceptions.
    enum CurlFailure {
        static func error(_ result: Int32, of transfer: CurlTransfer) -> NetworkError {
            if transfer.isRefused {
                return NetworkError(.connectionLost, "the server refused the request repeatedly", phase: .wait)
            }
            var message = transfer.handle?.errorMessage ?? ""
            // With TLS 1.3, a server rejects a client certificate after the handshake.
            if isAlert(result, of: transfer) {
                return NetworkError(.tlsFailed, "\(message) (libcurl \(result))", phase: .tls)
            }
            let (code, fixedPhase) = code(result, of: transfer)
            let phase = fixedPhase ?? phase(of: transfer)
            if message.isEmpty { message = transfer.strerror(result) ?? "" }
            if !transfer.hasHead, transfer.number(CurlInfo.connectCode) == 407 { message = missingCredentials }
            return NetworkError(code, "\(message) (libcurl \(result))", phase: phase)
        }

        /// What only libcurl's message about a failure shows, because several failures share a number.
        private enum Hint {
            /// nghttp2 couldn't read the response, such as a head of megabytes.
            case malformedHTTP2
            /// The server ended the connection with a fatal alert of TLS.
            case alert
            /// OpenSSL doesn't know why a certificate is invalid.
            case unexplainedCertificate

            init?(_ message: String) {
                if message.contains("nghttp2") {
                    self = .malformedHTTP2
                } else if message.contains(" alert ") {
                    self = .alert
                } else if message == "SSL certificate verification failed" {
                    self = .unexplainedCertificate
                } else {
                    return nil
                }
            }
        }

        private static func hint(of transfer: CurlTransfer) -> Hint? {
            transfer.handle.flatMap { Hint($0.errorMessage) }
        }

        /// Whether the server ended the connection with a fatal alert of TLS.
        ///
        /// With TLS 1.3 a server rejects a client certificate after the handshake. If the connection ends before libcurl has
        /// read the alert, it is the end of a new connection that presented a certificate.
        static func isAlert(_ result: Int32, of transfer: CurlTransfer) -> Bool {
            guard [55, 56].contains(result), !transfer.hasHead, transfer.request.url.scheme == .https else {
                return false
            }
            if hint(of: transfer) == .alert { return true }
            let isNew = transfer.number(CurlInfo.newConnections) > 0
            return isNew && transfer.loop.certificates[transfer.request.url] != nil
        }

        /// Results if a connection ends before the head, which 16 and 18 report only of HTTP/2.
        static let lostConnections: Set<Int32> = [16, 18, 52, 55, 56]

        static let missingCredentials = "the proxy responded with 407: it requires other credentials"

        private static func code(_ result: Int32, of transfer: CurlTransfer) -> (NetworkError.Code, NetworkPhase?) {
            switch result {
            case 56 where !transfer.hasHead && hint(of: transfer) == .malformedHTTP2: (.badResponse, .receive)
            // If CONNECT has a status, the proxy refused.
            case _ where !transfer.hasHead && transfer.number(CurlInfo.connectCode) >= 300: (.proxyFailed, .connect)
            case 7 where transfer.proxy != nil, 5, 97: (.proxyFailed, .connect)
            // New versions report an unusable key of a client certificate as a wrong argument.
            case 43 where transfer.identifiesClient: (.tlsFailed, .tls)
            // With TLS 1.2, the server's alert that the client's certificate has expired is reported as if the server's own
            // were invalid; the message is then without a reason.
            case 60 where transfer.identifiesClient && hint(of: transfer) == .unexplainedCertificate:
                (.tlsFailed, .tls)
            case _ where tunnelFailures.contains(result) && transfer.asksProxyForTunnel: (.proxyFailed, .connect)
            // The head reader and the chunk reader reject malformed responses before libcurl does, except for a folded
            // first line (43, 8), a line that is longer than libcurl's own limit (27, 100), and lines before the status
            // line.
            case 1, 8, 27, 43, 100: (transfer.hasHead ? .corrupted : .badResponse, .receive)
            case 56 where !transfer.hasHead && transfer.headBytes > headLimit: (.badResponse, .receive)
            case 3: (.invalidURL, .prepare)
            case 6: (.hostNotFound, .resolve)
            case 7: (.cannotConnect, .connect)
            case 18: transfer.hasHead ? (.truncated, .receive) : (.connectionLost, .wait)
            case 28: (.timedOut, nil)
            case 65: (.bodyNotReplayable, .send)
            case 35, 53, 54, 58, 59, 66, 80, 98: (.tlsFailed, .tls)
            case 60, 77, 83, 90, 91: (.certificateUntrusted, .tls)
            case 23, 61: (.corrupted, .receive)
            case 16, 52, 55, 56, 92: (transfer.hasHead ? .truncated : .connectionLost, nil)
            default: (.unknown, nil)
            }
        }

        /// Results of a malformed head, and of a connection that ends.
        private static let tunnelFailures: Set<Int32> = [1, 8, 16, 27, 43, 52, 55, 56, 92, 100]

        /// libcurl reports heads of more than 300 KiB as failed connections.
        private static let headLimit = 256 << 10

        /// The phase that libcurl reached.
        static func phase(of transfer: CurlTransfer) -> NetworkPhase {
            if transfer.hasHead { return .receive }
            let isSecure = transfer.request.url.scheme == .https
            if transfer.offset(CurlInfo.preTransferTime) > 0 { return transfer.isSending ? .send : .wait }
            if transfer.offset(CurlInfo.connectTime) > 0 { return isSecure ? .tls : .send }
            // Only the handshake is missing once the socket is connected.
            if isSecure, let socket = transfer.socket, isConnected(socket) { return .tls }
            return transfer.offset(CurlInfo.nameLookupTime) > 0 ? .connect : .resolve
        }

        /// Whether the peer has accepted a connection.
        private static func isConnected(_ socket: Int32) -> Bool {
            var address = sockaddr_storage()
            var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
            return withUnsafeMutableBytes(of: &address) { bytes in
                getpeername(socket, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size) == 0
            }
        }
    }

    extension CurlTransfer {
        /// Whether a proxy hasn't opened a tunnel yet; failures of TLS within the tunnel have results of their own.
        ///
        /// Only a new connection needs a tunnel, and libcurl reports the time of the TLS handshake after it is
        /// complete. The start of the transfer isn't a criterion, because newer versions report it before CONNECT.
        var asksProxyForTunnel: Bool {
            proxy != nil && request.url.scheme == .https && socket != nil && offset(CurlInfo.appConnectTime) <= 0
        }

        /// Whether the handshake of a new connection with a client certificate isn't complete.
        var identifiesClient: Bool {
            socket != nil && loop.certificates[request.url] != nil && request.url.scheme == .https
                && offset(CurlInfo.appConnectTime) <= 0
        }

        func strerror(_ result: Int32) -> String? { table.pointee.easy_strerror(result).map { String(cString: $0) } }
    }
#endif
