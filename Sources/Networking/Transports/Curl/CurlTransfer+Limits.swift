#if os(Linux)
    /// The time limits of a transfer.
    extension CurlTransfer {
        /// The time of the next check of the limits.
        ///
        /// libcurl's own timeouts aren't used: its connect timer can fire a fraction of a millisecond early, and only
        /// once. The idle time is suspended while the transfer waits for its own reader or body.
        var deadline: UInt64? {
            var due: UInt64 = .max
            guard handle != nil else { return totalLimit.map { submitted &+ $0 } }
            if let idleLimit, !receivingPaused, !sendingPaused { due = lastActivity &+ idleLimit }
            if let totalLimit { due = min(due, submitted &+ totalLimit) }
            if let connectLimit, !isConnected { due = min(due, started &+ connectLimit) }
            return due == .max ? nil : due
        }

        /// Whether connecting may take longer than libcurl's default limit of 300 s.
        var mayConnectLong: Bool { connectLimit.map { $0 >= 300_000_000_000 } ?? true }

        /// Whether no byte of the response has arrived, although the request was sent.
        var isSilent: Bool { phase == .sending || phase == .waiting }

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

        private func timedOut(_ message: String) -> NetworkError {
            NetworkError(.timedOut, message, phase: CurlFailure.phase(of: self))
        }

        static func nanoseconds(_ limit: Duration?) -> UInt64? {
            guard let time = limit.map({ $0.attoseconds / 1_000_000_000 }), time < 4_000_000_000_000_000_000 else {
                return nil
            }
            return UInt64(max(time, 0))
        }
    }
#endif
