#if os(Linux)
    import CAshlarCurl

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
                let handle = if let pooled = pool.popLast() { pooled } else { try CurlHandle(self) }
                exchange.place = active.count
                active.append(exchange)
                begin(exchange, on: handle)
            } catch {
                exchange.fail(error)
                exchange.end(result: nil)
                origins.leave(exchange)
                hasNews(exchange)
            }
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
            if let result, result != 0, exchange.restarts(after: result), restart(exchange, handle) { return }
            if result == 0 { releaseConnection(of: exchange) }
            let isClean = result == 0 && exchange.sendings <= 1 && !exchange.retiresConnection
            exchange.place = nil
            let last = active.removeLast()
            if last !== exchange {
                active[place] = last
                last.place = place
            }
            exchange.end(result: result)
            _ = library.table.pointee.multi_remove_handle(multi, handle.easy)
            handle.release()
            recycle(handle, isClean: isClean)
            hasNews(exchange)
            origins.leave(exchange)
        }

        /// Sends the request of a failed exchange again; returns false if libcurl has no handle left.
        private func restart(_ exchange: CurlExchange, _ handle: CurlHandle) -> Bool {
            _ = library.table.pointee.multi_remove_handle(multi, handle.easy)
            handle.release()
            guard (try? handle.renew()) != nil else { return false }
            begin(exchange, on: handle)
            return true
        }

        /// Stores a handle for another request, without libcurl's state of this one unless that is harmless.
        private func recycle(_ handle: CurlHandle, isClean: Bool) {
            guard pool.count < 64, isClean && library.reusesHandles || (try? handle.renew()) != nil else {
                handle.destroy()
                return
            }
            pool.append(handle)
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
                    let handle = CurlHandle.of(easy, library), let exchange = handle.exchange
                else { continue }
                finish(exchange, result: message.data.result)
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

        /// Ends a queued exchange; it remains in the queue until its turn.
        private func giveUp(_ exchange: CurlExchange) {
            exchange.end(result: nil)
            hasNews(exchange)
        }
    }
#endif
