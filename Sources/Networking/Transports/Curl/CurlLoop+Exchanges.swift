#if os(Linux)
    internal import AshlarCore
    import CAshlarCurl

    /// The life of an exchange on the loop's thread: admission, a handle, the result, and its deadlines.
    extension CurlLoop {
        /// Starts an exchange, or queues it until a connection is free.
        func admit(_ exchange: CurlExchange) {
            guard exchange.pipe.isOpen else { return exchange.end(result: nil) }
            exchange.submitted = now
            if origins.admit(exchange, configuration) { start(exchange) } else { watchDeadline(of: exchange) }
        }

        /// Starts an exchange that was admitted.
        private func start(_ exchange: CurlExchange) {
            guard exchange.pipe.isOpen else {
                exchange.end(result: nil)
                origins.leave(exchange)
                return
            }
            do throws(NetworkError) {
                let handle = try takeHandle(for: exchange)
                exchange.place = active.count
                active.append(exchange)
                begin(exchange, on: handle)
            } catch {
                exchange.fail(error)
                exchange.end(result: nil)
                origins.leave(exchange)
                notify(exchange)
            }
        }

        private static let mostSpare = 64

        private func takeHandle(for exchange: CurlExchange) throws(NetworkError) -> CurlHandle {
            let allowsHTTP2 = CurlHandle.allowsHTTP2(exchange)
            if !allowsHTTP2, let handle = spare.popLast() { return handle }
            return try CurlHandle(self, allowsHTTP2: allowsHTTP2)
        }

        private func begin(_ exchange: CurlExchange, on handle: CurlHandle) {
            exchange.begin(on: handle)
            watchDeadline(of: exchange)
            let code = library.table.pointee.multi_add_handle(multi, handle.easy)
            guard code != 0 else { return }
            exchange.fail(NetworkError(.unsupported, "libcurl refuses the request (\(code))", phase: .prepare))
            finish(exchange, result: nil)
        }

        /// Ends an exchange with libcurl's result; without a result, it is first removed from libcurl.
        func finish(_ exchange: CurlExchange, result: Int32?) {
            guard let place = exchange.place, let handle = exchange.handle else { return }
            if let result, exchange.restarts(after: result), restart(exchange, handle) { return }
            releaseConnection(of: exchange, result: result)
            exchange.place = nil
            let last = active.removeLast()
            if last !== exchange {
                active[place] = last
                last.place = place
            }
            let isUsable = result == 0 && !handle.allowsHTTP2 && exchange.leavesHandleUsable
            exchange.end(result: result)
            if isUsable, spare.count < Self.mostSpare {
                _ = library.table.pointee.multi_remove_handle(multi, handle.easy)
                handle.clear()
                spare.append(handle)
            } else {
                discard(handle, hasEnded: result != nil)
            }
            notify(exchange)
            origins.leave(exchange)
        }

        /// Sends the request of an exchange again; returns false if libcurl can't create a handle.
        private func restart(_ exchange: CurlExchange, _ handle: CurlHandle) -> Bool {
            guard let new = try? CurlHandle(self, allowsHTTP2: handle.allowsHTTP2) else { return false }
            discard(handle, hasEnded: true)
            begin(exchange, on: new)
            return true
        }

        /// Removes a handle from libcurl and destroys it; in old versions, not before its name is resolved.
        private func discard(_ handle: CurlHandle, hasEnded: Bool) {
            if !hasEnded, library.waitsForResolver, handle.isResolving {
                handle.abandon()
                abandoned.append(handle)
            } else {
                destroy(handle)
            }
        }

        func destroy(_ handle: CurlHandle) {
            _ = library.table.pointee.multi_remove_handle(multi, handle.easy)
            handle.destroy()
        }

        /// Starts queued exchanges for which a connection has become free.
        func startWaiting() {
            while origins.waiting > 0, let next = origins.next(configuration) { start(next) }
        }

        func collectFinished() {
            var left: Int32 = 0
            while let raw = library.table.pointee.multi_info_read(multi, &left) {
                let message = raw.assumingMemoryBound(to: ashlar_curl_message.self).pointee
                guard message.message == CurlValue.messageDone, let easy = message.easy,
                    let handle = CurlHandle.of(easy, library)
                else { continue }
                if let exchange = handle.exchange {
                    finish(exchange, result: message.data.result)
                } else {
                    abandoned.removeAll { $0 === handle }
                    destroy(handle)
                }
            }
        }

        // MARK: Deadlines

        /// Schedules a check for an exchange's deadline.
        func watchDeadline(of exchange: CurlExchange) {
            if let deadline = exchange.deadline { deadlineDue = min(deadlineDue ?? deadline, deadline) }
        }

        func checkDeadlines() {
            for exchange in active + origins.queued {
                if let deadline = exchange.deadline, deadline <= now, let error = exchange.overdue(at: now) {
                    exchange.fail(error)
                    if exchange.place == nil { giveUp(exchange) } else { finish(exchange, result: nil) }
                } else {
                    watchDeadline(of: exchange)
                }
            }
        }

        /// Ends a queued exchange; it remains in the queue until it is its front.
        private func giveUp(_ exchange: CurlExchange) {
            exchange.end(result: nil)
            notify(exchange)
        }
    }

    /// The time limits of an exchange.
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
            return due == .max ? nil : due
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
