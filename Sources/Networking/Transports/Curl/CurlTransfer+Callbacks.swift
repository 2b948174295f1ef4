#if os(Linux)
    import CAshlarCurl

    /// Connecting, sending and receiving: callbacks of libcurl on the loop's thread.
    extension CurlTransfer {
        /// Whether libcurl may send the request on a connection.
        func maySend(on connection: CurlConnection) -> Bool {
            if isUpgrade { return true }
            self.connection = connection
            lastActivity = loop.now
            let isStale = loop.idle.take(connection)
            if measures { measureTLS() }
            if dropChallenge() { return true }
            sendingPaused = false
            if proceeds(after: .connected(isStale: isStale, hasBody: isSending)) { return true }
            handle?.closesConnection()
            return false
        }

        func send(into space: UnsafeMutableRawBufferPointer) -> Int {
            lastActivity = loop.now
            guard let upload else { return 0 }
            switch upload.take(into: space) {
            case .bytes(let count):
                reportProgress()
                return count
            case .end:
                _ = proceeds(after: .sentBody)
                return 0
            case .wait:
                sendingPaused = true
                return CurlValue.readPause
            case .failed(let error):
                fail(error)
                return CurlValue.readAbort
            }
        }

        func rewind(to offset: Int) -> Bool { upload?.rewind(to: offset) ?? true }

        // MARK: Receiving

        /// Reads a line of the head, or a field behind the body, which is ignored.
        func receivedHeader(_ line: UnsafeRawBufferPointer) -> Int {
            lastActivity = loop.now
            guard failure == nil, let handle else { return 0 }
            if hasHead { return line.count }
            _ = dropChallenge()  // versions before 7.80 don't report that they send the answer
            do throws(NetworkError) {
                guard let head = try handle.head.read(line) else { return line.count }
                if head.status == 407, request.url.scheme == .http, proxy?.hasPrefix("socks") == false {
                    throw NetworkError(.proxyFailed, CurlFailure.missingCredentials, phase: .receive)
                }
                if handle.head.framing.isAmbiguous { handle.closesConnection() }
                if head.status == 401, request.digest != nil { challenge = head } else { try deliver(head) }
                return line.count
            } catch {
                fail(error)
                return 0
            }
        }

        private func deliver(_ head: ResponseHead) throws(NetworkError) {
            guard let handle else { return }
            // A part of an encoded body can't be inflated.
            let inflates = request.inflates && head.status != 206
            body = try TransferBody(head, handle.head.framing, of: request, inflates: inflates)
            _ = proceeds(after: .receivedHead)
            isMultiplexed = head.version == "2"
            if handle.allowsHTTP2 { origin?.received(isMultiplexed: isMultiplexed) }
            if measures {
                version = head.version
                measureTLS()
            }
            pipe.write(head: head)
            loop.notify(self)
        }

        /// Delivers the head of a challenge that libcurl doesn't answer, which its body or its end shows.
        func deliverChallenge() {
            guard let head = challenge else { return }
            challenge = nil
            do throws(NetworkError) { try deliver(head) } catch { fail(error) }
        }

        /// Discards the head of a challenge that libcurl answers; returns whether there was one.
        private func dropChallenge() -> Bool {
            if challenge == nil { return false }
            challenge = nil
            handle?.resetHead(request)
            return true
        }

        func receivedBody(_ bytes: UnsafeRawBufferPointer) -> Int {
            lastActivity = loop.now
            guard failure == nil else { return 0 }
            do throws(NetworkError) {
                let outcome = try body.read(bytes, into: pipe)
                loop.notify(self)
                switch outcome {
                case .full:
                    receivingPaused = true
                    return CurlValue.writePause
                case .surplus: handle?.closesConnection()
                case .read: break
                }
                reportProgress()
                return bytes.count
            } catch {
                fail(error)
                return 0
            }
        }

        private func reportProgress() {
            guard let progress = request.options.progress else { return }
            progress(
                TransferProgress(
                    sent: upload?.taken ?? request.body.length ?? 0, toSend: uploadLength, received: body.received,
                    toReceive: body.length))
        }
    }
#endif
