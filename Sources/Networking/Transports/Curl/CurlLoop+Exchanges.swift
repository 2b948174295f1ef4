#if os(Linux)
    import CAshlarCurl

    extension CurlLoop {
        /// Starts an exchange, or has it wait for a connection.
        func admit(_ exchange: CurlExchange) {
            guard exchange.pipe.isOpen else { return }
            exchange.submitted = now
            if origins.admit(exchange, configuration) { start(exchange) } else { watchDeadline(of: exchange) }
        }

        /// Starts an exchange whose place is taken.
        private func start(_ exchange: CurlExchange) {
            guard exchange.pipe.isOpen else {
                origins.leave(exchange)
                return
            }
            guard let handle = pool.popLast() ?? CurlHandle(self) else {
                exchange.fail(NetworkError(.unsupported, "libcurl has no handle left", phase: .prepare))
                exchange.end(result: nil)
                origins.leave(exchange)
                hasNews(exchange)
                return
            }
            exchange.place = active.count
            active.append(exchange)
            exchange.begin(on: handle)
            watchDeadline(of: exchange)
            let code = library.table.pointee.multi_add_handle(multi, handle.easy)
            if code != 0 {
                exchange.fail(
                    NetworkError(.unsupported, "libcurl does not take the request (\(code))", phase: .prepare))
                finish(exchange, result: nil)
            }
        }

        /// Ends an exchange; the result is libcurl's, or nil if the exchange is taken away from it.
        func finish(_ exchange: CurlExchange, result: Int32?) {
            guard let place = exchange.place, let handle = exchange.handle else { return }
            exchange.place = nil
            let last = active.removeLast()
            if last !== exchange {
                active[place] = last
                last.place = place
            }
            exchange.end(result: result)
            _ = library.table.pointee.multi_remove_handle(multi, handle.easy)
            handle.release()
            if pool.count < 64 { pool.append(handle) } else { handle.destroy() }
            hasNews(exchange)
            origins.leave(exchange)
        }

        /// Starts those who waited for what has become free.
        func startWaiting() {
            while origins.waiting > 0, let next = origins.next(configuration) { start(next) }
        }

        func collectFinished() {
            var left: Int32 = 0
            while let raw = library.table.pointee.multi_info_read(multi, &left) {
                let message = raw.assumingMemoryBound(to: ashlar_curl_message.self).pointee
                guard message.message == CurlValue.messageDone, let easy = message.easy,
                    let handle = CurlHandle.of(easy, library), let exchange = handle.exchange
                else { continue }
                finish(exchange, result: message.data.result)
            }
        }

        // MARK: Deadlines

        /// Notes that an exchange has a deadline.
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

        /// Ends an exchange that waits for a connection; it leaves the queue when its turn comes.
        private func giveUp(_ exchange: CurlExchange) {
            exchange.end(result: nil)
            hasNews(exchange)
        }
    }
#endif
