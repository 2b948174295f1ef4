#if os(Linux)
    import CAshlarCurl

    /// Translates libcurl's results into this module's error.
    enum CurlFailure {
        static func error(_ result: Int32, of exchange: CurlExchange, hasHead: Bool) -> NetworkError {
            let text = exchange.handle?.errorMessage ?? ""
            let phase = phase(of: exchange, hasHead: hasHead)
            let (code, fixedPhase) = code(result, text: text, hasHead: hasHead)
            var message = text
            if message.isEmpty, let plain = exchange.strerror(result) { message = plain }
            return NetworkError(code, "\(message) (libcurl \(result))", phase: fixedPhase ?? phase)
        }

        private static func code(
            _ result: Int32, text: String, hasHead: Bool
        ) -> (NetworkError.Code, NetworkPhase?) {
            switch result {
            case 1, 8: (.badResponse, .receive)
            case 3: (.invalidURL, .prepare)
            case 5, 97: (.proxyFailed, .connect)
            case 6: (.hostNotFound, .resolve)
            case 7: (.cannotConnect, .connect)
            case 18: (.truncated, .receive)
            case 28: (.timedOut, nil)
            case 35, 53, 54, 58, 59, 66, 80, 98: (.tlsFailed, .tls)
            case 60, 77, 83, 90, 91: (.certificateUntrusted, .tls)
            case 23, 61: (.corrupted, .receive)
            case 52, 65: (.connectionLost, nil)
            case 56 where text.contains("hunk"): (.corrupted, .receive)
            case 56 where text.contains("eader") || text.contains("Nul byte"): (.badResponse, .receive)
            case 16, 55, 56, 92: (hasHead ? .truncated : .connectionLost, nil)
            case 27: (.unknown, nil)
            default: (.unknown, nil)
            }
        }

        /// How far libcurl had come.
        static func phase(of exchange: CurlExchange, hasHead: Bool) -> NetworkPhase {
            if hasHead { return .receive }
            func time(_ info: Int32) -> Int64 { exchange.information(info) }
            if time(CurlInfo.preTransferTime) > 0 { return exchange.isSending ? .send : .wait }
            if time(CurlInfo.connectTime) > 0 { return exchange.request.url.scheme == .https ? .tls : .send }
            // Only the handshake is missing once the socket is connected.
            if exchange.request.url.scheme == .https, let socket = exchange.socket,
                ashlar_socket_is_connected(socket) != 0
            {
                return .tls
            }
            return time(CurlInfo.nameLookupTime) > 0 ? .connect : .resolve
        }
    }

    extension CurlExchange {
        func information(_ info: Int32) -> Int64 {
            guard let handle else { return 0 }
            return ashlar_easy_info_off(table, handle.easy, info)
        }

        func strerror(_ result: Int32) -> String? { table.pointee.easy_strerror(result).map { String(cString: $0) } }
    }
#endif
