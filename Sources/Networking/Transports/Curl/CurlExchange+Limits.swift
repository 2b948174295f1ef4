#if os(Linux)
    import CAshlarCurl

    /// The time limits of an exchange, and the cases in which it doesn't wait for them.
    extension CurlExchange {
        /// The time of the next check of the exchange's limits.
        ///
        /// libcurl's own timeouts aren't used: its connect timer can fire a fraction of a millisecond early, and only
        /// once. The idle time is suspended while the exchange waits for its own reader or body.
        var deadline: UInt64? {
            var due: UInt64 = .max
            guard handle != nil else { return totalLimit.map { submitted &+ $0 } }
            if let idleLimit, !receivingPaused, !sendingPaused { due = lastActivity &+ idleLimit }
            if let totalLimit { due = min(due, submitted &+ totalLimit) }
            if let connectLimit, !isConnected { due = min(due, started &+ connectLimit) }
            if let lastSent { due = min(due, lastSent.time &+ Self.stallLimit) }
            if mayWait { due = min(due, started &+ patience) }
            return due == .max ? nil : due
        }

        /// Whether it may be waiting for a connection that another request opens, because both could use HTTP/2.
        private var mayWait: Bool { handle?.allowsHTTP2 == true && !hasWaited && !isConnected && socket == nil }

        /// The nanoseconds for which it waits for the connection of another request: half of its own limit.
        private var patience: UInt64 { (connectLimit ?? 10_000_000_000) / 2 }

        /// Prepares the request for a connection of its own if it has waited too long for that of another one.
        ///
        /// The other connection may never be established. In rare cases, libcurl 7.88 also forgets to wake a request that
        /// waits. Nothing was sent, so every method can begin again.
        func leavesQueue(at now: UInt64) -> Bool {
            guard mayWait, now >= started &+ patience else { return false }
            hasWaited = true
            isConnected = hasHead || offset(CurlInfo.preTransferTime) > 0
            return !isConnected && prepareRestart()
        }

        /// Whether connecting may take longer than libcurl's default limit of 300 s.
        var mayConnectLong: Bool { connectLimit.map { $0 >= 300_000_000_000 } ?? true }

        /// Returns the error for an expired limit, or nil if there is none.
        func overdue(at now: UInt64) -> NetworkError? {
            if let totalLimit, now >= submitted &+ totalLimit {
                guard handle != nil else {
                    return NetworkError(
                        .timedOut, "the total time passed before a connection became free", phase: .connect)
                }
                return timedOut("the total time passed")
            }
            guard handle != nil else { return nil }
            if let connectLimit, !isConnected, now >= started &+ connectLimit {
                isConnected = hasHead || offset(CurlInfo.preTransferTime) > 0
                if !isConnected { return timedOut("no connection within \(request.options.connectLimit)") }
            }
            guard let idleLimit, !receivingPaused, !sendingPaused, now >= lastActivity &+ idleLimit else { return nil }
            return timedOut("nothing was sent or received for \(request.options.idleTimeout ?? .zero)")
        }

        /// The nanoseconds without progress after which the rest of the body isn't needed.
        private static let stallLimit: UInt64 = 200_000_000

        /// Begins to watch the body's progress if a response over HTTP/2 is complete before the body is sent.
        ///
        /// libcurl stops reading then. It notices neither that the server resets the stream, because it doesn't need the
        /// body (RFC 9113, section 8.1), nor that it accepts more bytes, and would wait until the idle time has passed.
        func watchBody(received: Int, of length: Int?) {
            let hasBody = bodyKind == .memory || bodyKind == .upload
            guard isMultiplexed, hasBody, lastSent == nil, received == length else { return }
            let sent = offset(CurlInfo.sizeUpload)
            guard sent < Int64(uploadLength ?? .max) else { return }
            lastSent = (sent, loop.now)
            loop.watchDeadline(of: self)
        }

        /// Whether the response is complete, and the body makes no progress.
        func isStalled(at now: UInt64) -> Bool {
            guard let last = lastSent, now >= last.time &+ Self.stallLimit else { return false }
            let sent = offset(CurlInfo.sizeUpload)
            lastSent = (sent, now)
            return sent == last.bytes && !sendingPaused
        }

        private func timedOut(_ message: String) -> NetworkError {
            NetworkError(.timedOut, message, phase: CurlFailure.phase(of: self, hasHead: hasHead))
        }

        static func nanoseconds(_ limit: Duration?) -> UInt64? {
            guard let time = limit.map({ $0.attoseconds / 1_000_000_000 }), time < 4_000_000_000_000_000_000 else {
                return nil
            }
            return UInt64(max(time, 0))
        }
    }
#endif
