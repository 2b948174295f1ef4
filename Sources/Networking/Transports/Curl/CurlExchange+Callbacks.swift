#if os(Linux)
    import CAshlarCurl

    /// Connecting, sending and receiving: callbacks of libcurl on the loop's thread.
    extension CurlExchange {
        /// Opens the socket of a new connection for this exchange; returns -1 on failure.
        func openSocket(_ address: UnsafeRawPointer) -> Int32 {
            socket = isUpgrade ? ashlar_socket_open(address) : loop.openSocket(address)
            return socket ?? -1
        }

        /// Whether libcurl may send the request on its current connection.
        ///
        /// libcurl repeats a request whose stream a server has refused, and without `repeatsOnlyRefused` also when a
        /// reused connection ends without a response. The server may have processed the request then, so it is repeated
        /// only if it is idempotent (RFC 9110, section 9.2.2) or nothing of it was sent.
        func maySend(on connection: CurlConnection) -> Bool {
            if isUpgrade { return true }
            sendings += 1
            loop.sockets.release(by: self)
            self.connection = connection
            descriptor = loop.sockets.claim(connection, by: self)
            usesHTTP2 = handle.map { $0.allowsHTTP2 && ashlar_easy_is_http2(table, $0.easy) == 1 } == true
            if measures { measureTLS() }
            if sendings == 1 { return true }
            sendingPaused = false
            if dropChallenge() { return true }
            if loop.library.repeatsOnlyRefused {
                // libcurl gives up after five repetitions; a connection of its own can't be full.
                isRefusedRepeatedly = sendings == 5
                return !isRefusedRepeatedly
            }
            if mayRepeat || number(CurlInfo.requestSize) == 0 { return true }
            var error = NetworkError(
                .connectionLost, "the connection ended without a response; \(request.method) is not repeated",
                phase: .wait)
            error.requestState = isSending ? .partlySent : .sent
            fail(error)
            return false
        }

        var mayRepeat: Bool { request.method.isIdempotent || request.headers.contains("Idempotency-Key") }

        func send(into space: UnsafeMutableRawBufferPointer) -> Int {
            lastActivity = loop.now
            guard let upload else { return 0 }
            switch upload.take(into: space) {
            case .bytes(let count):
                if let progress { progress(currentProgress) }
                return count
            case .end: return 0
            case .wait:
                sendingPaused = true
                return CurlValue.readPause
            case .failed(let error):
                fail(error)
                return CurlValue.readAbort
            }
        }

        /// Whether a part of the body remains to be sent.
        var isSending: Bool { upload?.isSent == false }

        func rewind(to offset: Int) -> Bool { upload?.rewind(to: offset) ?? true }

        // MARK: Receiving

        func receivedHeader(_ line: UnsafeRawBufferPointer, _ reader: CurlHeadReader) -> Int {
            lastActivity = loop.now
            if failure != nil { return 0 }
            if hasHead { return line.count }  // a field behind the body
            _ = dropChallenge()  // versions before 7.80 don't report that they send the answer
            do throws(NetworkError) {
                guard let head = try reader.read(line, limits: limits) else { return line.count }
                if refusesExpect(head) { return 0 }
                if head.version == "2", let handle, ashlar_easy_is_http2(table, handle.easy) == 0 {
                    throw NetworkError(.badResponse, "unexpected version HTTP/2 as text", phase: .receive)
                }
                if head.status == 407, request.url.scheme == .http, proxy?.hasPrefix("socks") == false {
                    throw NetworkError(.proxyFailed, CurlFailure.missingCredentials, phase: .receive)
                }
                if reader.framing.isAmbiguous || mayOmitBody { retireConnection() }
                if head.status == 401, request.digest != nil {
                    challenge = head
                } else {
                    try deliver(head, reader.framing)
                }
                return line.count
            } catch {
                fail(error)
                return 0
            }
        }

        private func deliver(_ head: ResponseHead, _ framing: CurlHeadReader.Framing) throws(NetworkError) {
            let hasBody = request.method != .head && head.status != 204 && head.status != 304
            contentLength = framing.contentLength
            if hasBody, let limit = limits.bodyBytes, let contentLength, contentLength > limit {
                throw ResponseBody.tooLarge(limit, "the response announces \(contentLength) bytes")
            }
            if hasBody, framing.isChunked { chunks = ChunkedReader(limits) }
            if hasBody, inflates { decoder = try ContentDecoder.make(head.headers) }
            hasHead = true
            isMultiplexed = head.version == "2"
            if handle?.allowsHTTP2 == true { origin?.received(isMultiplexed: isMultiplexed) }
            if measures {
                version = head.version
                measureTLS()
            }
            pipe.write(head: head)
            loop.notify(self)
        }

        /// Delivers the head of a challenge that libcurl doesn't answer, which its body or its end shows.
        func deliverChallenge() {
            guard let head = challenge.take(), let handle else { return }
            do throws(NetworkError) { try deliver(head, handle.head.framing) } catch { fail(error) }
        }

        /// Discards the head of a challenge that libcurl answers; returns whether there was one.
        private func dropChallenge() -> Bool {
            guard challenge.take() != nil else { return false }
            handle?.resetHead(request)
            return true
        }

        func receivedBody(_ bytes: UnsafeRawBufferPointer) -> Int {
            lastActivity = loop.now
            do throws(NetworkError) {
                if chunks == nil, decoder == nil {
                    try count(bytes.count)
                    guard pipe.write(bytes) else {
                        received -= bytes.count
                        return pauseReceiving()
                    }
                } else {
                    // libcurl delivers the bytes again after a pause, and those that have been read are skipped.
                    let known = min(reread, bytes.count)
                    if known < bytes.count {
                        guard pipe.hasRoom() else { return pauseReceiving() }
                        let new = bytes.part(known...)
                        framed += new.count
                        if chunks == nil {
                            try decode(new)
                        } else if try chunks?.read(new, emit: decode) == true {
                            retireConnection()
                        }
                    }
                    guard try inflate() else {
                        reread = max(reread, bytes.count)
                        loop.notify(self)
                        return pauseReceiving()
                    }
                    reread -= known
                }
            } catch {
                fail(error)
                return 0
            }
            loop.notify(self)
            if let progress { progress(currentProgress) }
            return bytes.count
        }

        /// Whether libcurl may not send the rest of the body after the head of the response, because the request has an
        /// `Expect`; the server would read the next request of the connection as the body.
        private var mayOmitBody: Bool {
            guard bodyKind == .memory || bodyKind == .upload, request.headers.contains("Expect") else { return false }
            return offset(CurlInfo.sizeUpload) < Int64(request.body.length ?? .max)
        }

        /// Makes libcurl close the connection after the exchange, because its next bytes may belong to this response.
        private func retireConnection() {
            if let handle { _ = ashlar_easy_long(table, handle.easy, CurlOption.forbidReuse, 1) }
        }

        private func decode(_ bytes: UnsafeRawBufferPointer) throws(NetworkError) {
            guard let decoder else {
                try count(bytes.count)
                _ = pipe.write(bytes, limited: false)
                return
            }
            raw += bytes.count
            decoder.add(bytes)
        }

        /// Inflates as much as the reader has room for; returns whether nothing is left.
        private func inflate() throws(NetworkError) -> Bool {
            guard let decoder else { return true }
            while pipe.hasRoom() {
                guard let piece = try decoder.next() else { return true }
                try count(piece.count)
                _ = pipe.write(piece, limited: false)
            }
            return false
        }

        private func pauseReceiving() -> Int {
            receivingPaused = true
            return CurlValue.writePause
        }

        /// Counts bytes of the inflated body against the limits.
        private func count(_ bytes: Int) throws(NetworkError) {
            received += bytes
            if let limit = limits.bodyBytes, received > limit {
                throw ResponseBody.tooLarge(limit, "the response is longer than allowed")
            }
            guard let ratio = limits.inflationRatio, decoder != nil, received > 64 << 20, received > raw &* ratio else {
                return
            }
            var error = NetworkError(
                .decompressionLimit, "\(raw) bytes received inflate to more than \(ratio) times as much",
                phase: .receive)
            error.limit = ratio
            throw error
        }

        var currentProgress: TransferProgress {
            TransferProgress(
                sent: upload?.taken ?? request.body.length ?? 0, toSend: uploadLength, received: received,
                toReceive: contentLength)
        }
    }
#endif
