#if os(Linux)
    import CAshlarCurl

    /// The life of a transfer on the loop's thread: admission, a handle, the result, and its limits.
    extension CurlLoop {
        private static let mostSpare = 64

        /// Starts a transfer, or queues it until a connection is free.
        func admit(_ transfer: CurlTransfer) {
            guard transfer.pipe.isOpen else { return transfer.end(result: nil) }
            transfer.submitted = now
            if origins.admit(transfer, configuration) { start(transfer) } else { watchDeadline(of: transfer) }
        }

        /// Starts queued transfers for which a connection has become free.
        func startWaiting() {
            while origins.waiting > 0, let next = origins.next(configuration) { start(next) }
        }

        private func start(_ transfer: CurlTransfer) {
            guard transfer.pipe.isOpen else {
                transfer.end(result: nil)
                origins.leave(transfer)
                return
            }
            transfer.place = active.count
            active.append(transfer)
            begin(transfer)
        }

        /// Gives a handle to a transfer, for the first time or to send its request again.
        private func begin(_ transfer: CurlTransfer) {
            do throws(NetworkError) {
                let allowsHTTP2 = CurlHandle.allowsHTTP2(transfer)
                let handle = try takeHandle(allowsHTTP2)
                transfer.begin(on: handle)
                watchDeadline(of: transfer)
                let code = library.table.pointee.multi_add_handle(multi, handle.easy)
                guard code == 0 else {
                    throw NetworkError(.unsupported, "libcurl refuses the request (\(code))", phase: .prepare)
                }
                hasNewHandle = true
            } catch {
                transfer.fail(error)
                finish(transfer, result: nil)
            }
        }

        private func takeHandle(_ allowsHTTP2: Bool) throws(NetworkError) -> CurlHandle {
            if !allowsHTTP2, let handle = spare.popLast() { return handle }
            return try CurlHandle(self, allowsHTTP2: allowsHTTP2)
        }

        /// Ends a transfer with libcurl's result, or sends its request again; without a result, it is first removed
        /// from libcurl.
        func finish(_ transfer: CurlTransfer, result: Int32?) {
            guard let place = transfer.place else { return }
            let handle = transfer.handle
            if let result, let handle, transfer.sendsAgain(after: result) {
                transfer.disconnect()
                discard(handle, hasEnded: true)
                return begin(transfer)
            }
            if result == 0 { storeConnection(of: transfer) }
            transfer.place = nil
            let last = active.removeLast()
            if last !== transfer {
                active[place] = last
                last.place = place
            }
            transfer.end(result: result)
            if let handle {
                let isUsable = result == 0 && transfer.leavesHandleUsable
                release(handle, isUsable: isUsable, hasEnded: result != nil)
            }
            notify(transfer)
            origins.leave(transfer)
        }

        /// Remembers the connection of a finished transfer, which the next request may use.
        private func storeConnection(of transfer: CurlTransfer) {
            guard !transfer.isMultiplexed, let handle = transfer.handle, let connection = transfer.connection else {
                return
            }
            let socket = ashlar_easy_info_socket(library.table, handle.easy, CurlInfo.activeSocket)
            if socket >= 0 { idle.add(socket, connection) }
        }

        private func release(_ handle: CurlHandle, isUsable: Bool, hasEnded: Bool) {
            guard isUsable, !handle.allowsHTTP2, spare.count < Self.mostSpare else {
                return discard(handle, hasEnded: hasEnded)
            }
            _ = library.table.pointee.multi_remove_handle(multi, handle.easy)
            handle.clear()
            spare.append(handle)
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

        func collectFinished() {
            var left: Int32 = 0
            while let raw = library.table.pointee.multi_info_read(multi, &left) {
                let message = raw.assumingMemoryBound(to: ashlar_curl_message.self).pointee
                guard message.message == CurlValue.messageDone, let easy = message.easy,
                    let handle = CurlHandle.of(easy, library)
                else { continue }
                if let transfer = handle.transfer {
                    finish(transfer, result: message.data.result)
                } else {
                    abandoned.removeAll { $0 === handle }
                    destroy(handle)
                }
            }
        }

        // MARK: Limits of time

        /// Schedules a check of a transfer's limits.
        func watchDeadline(of transfer: CurlTransfer) {
            if let deadline = transfer.deadline { deadlineDue = min(deadlineDue ?? deadline, deadline) }
        }

        func checkDeadlines() {
            deadlineDue = nil
            for transfer in active + origins.queued {
                guard let deadline = transfer.deadline, deadline <= now, let error = transfer.overdue(at: now) else {
                    watchDeadline(of: transfer)
                    continue
                }
                transfer.fail(error)
                if transfer.place == nil {
                    // It remains in the queue until it is its front.
                    transfer.end(result: nil)
                    notify(transfer)
                } else {
                    if transfer.isSilent { retireConnections(of: transfer) }
                    finish(transfer, result: nil)
                }
            }
        }

        /// Makes later requests to a transfer's origin use new connections.
        ///
        /// libcurl closes an HTTP/1 connection with its transfer, but continues to use an HTTP/2 connection, although the
        /// network may have lost it. The other transfers on it continue; the last one closes it.
        private func retireConnections(of transfer: CurlTransfer) {
            guard let origin = transfer.origin, transfer.handle?.allowsHTTP2 == true else { return }
            for other in active where other.origin === origin && other.retiring == nil { other.retire(from: origin) }
        }
    }
#endif
