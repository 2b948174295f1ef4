#if os(Linux)
    import CAshlarCurl

    /// The measurements of a transfer.
    extension CurlTransfer {
        /// Stores the version of TLS, which libcurl reports only during the transfer.
        func measureTLS() {
            if tlsVersion == 0, let handle, request.url.scheme == .https {
                tlsVersion = ashlar_easy_tls_version(table, handle.easy)
            }
        }

        /// Ends the transfer for its reader, with its measurements.
        func finishMeasured(_ error: NetworkError?) {
            let metrics = metrics()
            let end = ExchangeEnd(metrics)
            guard let measured = request.measured else { return pipe.finish(error, end) }
            pipe.finish(error, end) { measured(metrics) }
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
            measureTimes(in: &metrics)
            metrics.sentBodyBytes = max(Int(offset(CurlInfo.sizeUpload)), 0)
            metrics.receivedBodyBytes = body.transferred
            guard connection != nil || hasHead || offset(CurlInfo.connectTime) > 0 else {
                metrics.reusedConnection = nil
                return metrics
            }
            if let text = ashlar_easy_info_text(table, handle.easy, CurlInfo.remoteAddress), text[0] != 0 {
                metrics.remoteAddress = ExchangeMetrics.address(
                    String(cString: text), Int(number(CurlInfo.remotePort)))
            }
            metrics.protocolName = version.map { $0 == "2" ? "h2" : "http/\($0)" }
            if tlsVersion >= 0x0301 { metrics.tlsVersion = "1.\(tlsVersion - 0x0301)" }
            return metrics
        }

        /// Stores the times of the stages that the transfer has reached.
        private func measureTimes(in metrics: inout ExchangeMetrics) {
            func time(_ info: Int32) -> Duration? {
                let microseconds = offset(info)
                return microseconds > 0 ? .microseconds(microseconds) : nil
            }
            metrics.firstByte = time(CurlInfo.startTransferTime)
            metrics.reusedConnection = number(CurlInfo.newConnections) == 0
            guard metrics.reusedConnection == false else { return }
            metrics.resolved = time(CurlInfo.nameLookupTime)
            metrics.connected = time(CurlInfo.connectTime)
            metrics.secured = time(CurlInfo.appConnectTime)
        }
    }
#endif
