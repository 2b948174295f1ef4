#if os(Linux)
    import CAshlarCurl

    /// Times and other measurements, on the loop's thread.
    extension CurlExchange {
        /// Returns the times of the stages that the exchange has reached.
        func timings() -> TransportTimings {
            guard let handle else { return TransportTimings() }
            func time(_ info: Int32) -> Duration? {
                let microseconds = ashlar_easy_info_off(table, handle.easy, info)
                return microseconds > 0 ? .microseconds(microseconds) : nil
            }
            var timings = TransportTimings()
            timings.firstByte = time(CurlInfo.startTransferTime)
            let opened = ashlar_easy_info_long(table, handle.easy, CurlInfo.newConnections)
            timings.reusedConnection = opened == 0
            guard opened != 0 else { return timings }
            timings.resolved = time(CurlInfo.nameLookupTime)
            timings.connected = time(CurlInfo.connectTime)
            timings.secured = time(CurlInfo.appConnectTime)
            return timings
        }

        /// Stores the version of TLS, which libcurl reports only during the transfer.
        func measureTLS() {
            if tlsVersion == 0, let handle, request.url.scheme == .https {
                tlsVersion = ashlar_easy_tls_version(table, handle.easy)
            }
        }

        /// Ends the exchange for its reader, with its measurements.
        func finishMeasured(_ error: NetworkError?) {
            let metrics = metrics()
            let end = exchangeEnd(error, metrics)
            guard let hooks = request.hooks else { return pipe.finish(error, end) }
            pipe.finish(error, end) { hooks.measured(metrics) }
        }

        private func metrics() -> ExchangeMetrics {
            var metrics = ExchangeMetrics()
            let now = CurlLoop.clock()
            guard let handle else {
                if submitted > 0 { metrics.queued = .nanoseconds(now - submitted) }
                return metrics
            }
            metrics.queued = .nanoseconds(started - submitted)
            metrics.duration = .nanoseconds(now - started)
            metrics.timings = timings()
            (metrics.sentHeadBytes, metrics.sentBodyBytes) = sentBytes
            metrics.receivedHeadBytes = headBytes
            metrics.receivedBodyBytes = chunks == nil && decoder == nil ? received : framed
            guard sendings > 0 || hasHead || offset(CurlInfo.connectTime) > 0 else {
                metrics.timings.reusedConnection = nil
                return metrics
            }
            metrics.remoteAddress = address(handle, CurlInfo.remoteAddress, CurlInfo.remotePort)
            metrics.localAddress = address(handle, CurlInfo.localAddress, CurlInfo.localPort)
            metrics.protocolName = version.map { $0 == "2" ? "h2" : "http/\($0)" }
            if tlsVersion >= 0x0301 { metrics.tlsVersion = "1.\(tlsVersion - 0x0301)" }
            return metrics
        }

        /// The bytes of the request's head and body that libcurl has sent.
        ///
        /// The size of the request includes the body since 8.7.0; in earlier versions, only a body that libcurl sends
        /// together with the head. Tests compare it with the server's bytes for 7.88.1 and 8.23.0.
        private var sentBytes: (head: Int, body: Int) {
            let (size, body) = (max(Int(number(CurlInfo.requestSize)), 0), max(Int(offset(CurlInfo.sizeUpload)), 0))
            let isSentWithHead = bodyKind == .memory && request.body.length ?? 0 < 64 << 10
            let includesBody = isSentWithHead || table.pointee.version_num >= 0x08_07_00
            return (includesBody ? max(size - body, 0) : size, body)
        }

        private func address(_ handle: CurlHandle, _ host: Int32, _ port: Int32) -> NetworkAddress? {
            guard let text = ashlar_easy_info_text(table, handle.easy, host), text[0] != 0 else { return nil }
            return NetworkAddress(host: String(cString: text), port: Int(number(port)))
        }
    }
#endif
