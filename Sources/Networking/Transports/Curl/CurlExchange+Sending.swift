#if os(Linux)
    import CAshlarCurl

    /// Connecting and sending: callbacks of libcurl on the loop's thread.
    extension CurlExchange {
        /// Opens the socket of a new connection for this exchange; returns -1 to reject it.
        func openSocket(_ address: UnsafeRawPointer) -> Int32 {
            if request.refusesPrivateAddresses, CurlAddress.isPrivate(address) {
                fail(
                    NetworkError(
                        .invalidRedirect, "the redirect leads to a private address, which the policy refuses",
                        phase: .connect))
                return -1
            }
            socket = isUpgrade ? ashlar_socket_open(address) : loop.openSocket(address)
            return socket ?? -1
        }

        /// Whether libcurl may send the request on its current connection.
        ///
        /// libcurl repeats a request when a reused connection ends without a response. The server may have processed
        /// the request, so it is repeated only if it is idempotent (RFC 9110, section 9.2.2) or nothing of it was sent.
        func maySend(from port: Int32) -> Bool {
            if isUpgrade { return true }
            sendings += 1
            localPort = port
            loop.sockets.claim(port: port)
            if measures { measureTLS() }
            if sendings == 1 || mayRepeat || number(CurlInfo.requestSize) == 0 { return true }
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

        /// Returns the field lines behind the body as libcurl's list, which libcurl frees.
        func trailerLines() -> UnsafeMutableRawPointer? {
            var list: UnsafeMutableRawPointer?
            for field in upload?.trailers ?? [:] {
                let line = "\(field.name): \(field.value)"
                let bytes = line.unicodeScalars.map { CChar(bitPattern: UInt8(truncatingIfNeeded: $0.value)) } + [0]
                list = table.pointee.slist_append(list, bytes)
            }
            return list
        }

        /// Whether a part of the body remains to be sent.
        var isSending: Bool { upload?.isSent == false }

        func rewind(to offset: Int) -> Bool { upload?.rewind(to: offset) ?? true }
    }
#endif
