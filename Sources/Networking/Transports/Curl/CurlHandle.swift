#if os(Linux)
    import CAshlarCurl

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// An easy handle of libcurl for one request at a time; used on the loop's thread only.
    ///
    /// A handle is used again only with HTTP/1.1, after a transfer without an upload that was neither repeated nor ended
    /// with an error, because the state that libcurl stores in it between requests is dangerous. From 7.83.0 to 8.0.1,
    /// libcurl retains a pointer to the last header of its previous response after freeing that header, and would append
    /// the first field line of the next response to it if that line is folded. These versions write heads as if they were
    /// bodies, before they store them, so that such a line ends the transfer.
    final class CurlHandle {
        let easy: UnsafeMutableRawPointer
        private unowned let loop: CurlLoop
        private let table: UnsafePointer<ashlar_curl>
        private let errorText: UnsafeMutablePointer<CChar>
        private(set) var transfer: CurlTransfer?
        /// Reads the head of the response.
        var head = CurlHeadReader()
        /// Whether it may use HTTP/2.
        let allowsHTTP2: Bool
        /// The field lines of the request, which libcurl doesn't copy.
        private var fields = CurlTextList()
        /// The address to connect to, if it is configured.
        private var target = CurlTextList()

        /// Creates a handle.
        ///
        /// - Parameters:
        ///   - loop: The loop, whose configuration applies.
        ///   - allowsHTTP2: Whether it may use HTTP/2; see ``allowsHTTP2(_:)``.
        ///   - isShared: Whether its connections belong to the loop.
        /// - Throws: `.invalidConfiguration` for a setting that libcurl doesn't support.
        init(_ loop: CurlLoop, allowsHTTP2: Bool = false, isShared: Bool = true) throws(NetworkError) {
            self.loop = loop
            self.allowsHTTP2 = allowsHTTP2
            table = loop.library.table
            guard let easy = loop.library.table.pointee.easy_init() else {
                throw NetworkError(.unsupported, "libcurl can't create a handle", phase: .prepare)
            }
            self.easy = easy
            errorText = .allocate(capacity: 512)
            errorText.initialize(to: 0)
            do throws(NetworkError) { try configure() } catch {
                destroy()
                throw error
            }
            setCallbacks()
            if isShared { reportClosedSockets() }
        }

        func destroy() {
            transfer = nil
            table.pointee.easy_cleanup(easy)
            fields.deallocate()
            target.deallocate()
            errorText.deallocate()
        }

        /// Forgets a request, so that the handle can perform another one.
        func clear() {
            transfer = nil
            errorText.initialize(to: 0)
            _ = ashlar_easy_pointer(table, easy, CurlOption.copyPostFields, nil)
        }

        /// Ends the use by a transfer while libcurl still performs its request, which can't send anything any longer.
        func abandon() { transfer = nil }

        /// Whether the name of a request that hasn't ended may not be resolved yet.
        var isResolving: Bool { ashlar_easy_info_off(table, easy, CurlInfo.nameLookupTime) <= 0 }

        /// Makes libcurl close the connection of the request after its end.
        func closesConnection() { long(CurlOption.forbidReuse, 1) }

        /// Makes libcurl open a connection for a request that hasn't one yet.
        func usesNewConnection() { long(CurlOption.freshConnect, 1) }

        static func of(_ easy: UnsafeMutableRawPointer, _ library: CurlLibrary) -> CurlHandle? {
            ashlar_easy_info_pointer(library.table, easy, CurlInfo.privateData).map {
                Unmanaged<CurlHandle>.fromOpaque($0).takeUnretainedValue()
            }
        }

        /// libcurl's message about the last failure.
        var errorMessage: String { String(cString: errorText) }

        /// Whether libcurl delivers heads as if they were bodies; see the type.
        private var writesHeads: Bool { !allowsHTTP2 && loop.library.retainsFreedHeader }

        private func configure() throws(NetworkError) {
            let configuration = loop.configuration
            long(CurlOption.noSignal, 1)
            // Otherwise, the end of a request whose name isn't resolved yet would block the thread until it is.
            if !loop.library.waitsForResolver { long(CurlOption.quickExit, 1) }
            long(CurlOption.followLocation, 0)
            // libcurl would also repeat a POST if its connection ends.
            if loop.library.repeatsOnlyRefused { long(CurlOption.rtspRequest, CurlValue.rtspReceive) }
            long(CurlOption.pipeWait, 1)
            long(CurlOption.pathAsIs, 1)
            long(CurlOption.tlsVersion, CurlValue.tls12)
            long(CurlOption.proxyTLSVersion, CurlValue.tls12)
            long(CurlOption.protocols, CurlValue.httpAndHTTPS)
            long(CurlOption.http09Allowed, 0)
            long(CurlOption.transferDecoding, 0)  // `ChunkedReader` reads the chunks
            long(CurlOption.suppressConnectHeaders, 1)
            long(CurlOption.bufferSize, 16 << 10)
            long(CurlOption.httpVersion, allowsHTTP2 ? CurlValue.http2OverTLS : CurlValue.http11)
            if writesHeads { long(CurlOption.header, 1) }
            long(CurlOption.uploadBufferSize, 64 << 10)
            long(CurlOption.maximumConnectionAge, loop.connectionAge)
            if let roots = configuration.trustRoots {
                guard text(CurlOption.caInfo, roots) else { throw Self.unsupported("trustRoots") }
                text(CurlOption.proxyCAInfo, roots)
            }
            if !loop.pins.isEmpty, !text(CurlOption.pinnedPublicKey, "sha256//") {
                throw Self.unsupported("pinnedKeys")
            }
            // The environment is read once, by `ProxyRules`, and not by libcurl.
            text(CurlOption.noProxy, loop.proxies == nil ? "*" : "")
            _ = ashlar_easy_pointer(table, easy, CurlOption.errorBuffer, errorText)
        }

        static func unsupported(_ setting: String, _ name: String? = nil) -> NetworkError {
            var error = NetworkError(
                .invalidConfiguration, "the TLS library of libcurl does not support \(name ?? setting)",
                phase: .prepare)
            error.key = setting
            return error
        }

        // MARK: Callbacks

        private func setCallbacks() {
            let context = Unmanaged.passUnretained(self).toOpaque()
            for option in [
                CurlOption.writeData, CurlOption.readData, CurlOption.seekData,
                CurlOption.privateData, CurlOption.openSocketData, CurlOption.prerequestData,
            ] {
                _ = ashlar_easy_pointer(table, easy, option, context)
            }
            if !writesHeads {
                _ = ashlar_easy_pointer(table, easy, CurlOption.headerData, context)
                _ = ashlar_easy_data(table, easy, CurlOption.headerFunction) { bytes, size, count, context in
                    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
                    return CurlHandle.with(context) { $0.receivedHeader(line) } ?? 0
                }
            }
            _ = ashlar_easy_data(table, easy, CurlOption.writeFunction) { bytes, size, count, context in
                let bytes = UnsafeRawBufferPointer(start: bytes, count: size * count)
                return CurlHandle.with(context) { transfer in
                    transfer.deliverChallenge()
                    return transfer.hasHead ? transfer.receivedBody(bytes) : transfer.receivedHeader(bytes)
                } ?? 0
            }
            _ = ashlar_easy_data(table, easy, CurlOption.readFunction) { bytes, size, count, context in
                let space = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
                return CurlHandle.with(context) { $0.send(into: space) } ?? CurlValue.readAbort
            }
            _ = ashlar_easy_open(table, easy, CurlOption.openSocketFunction) { context, _, address in
                guard let address else { return -1 }
                return CurlHandle.with(context) { transfer in
                    let socket = CurlHandle.openSocket(address)
                    transfer.socket = socket
                    return socket
                } ?? -1
            }
            _ = ashlar_easy_prereq(table, easy, CurlOption.prerequestFunction) {
                context, remote, local, remotePort, localPort in
                guard let remote, let local else { return 1 }
                let connection = CurlConnection(
                    localPort: localPort, remotePort: remotePort, localAddress: String(cString: local),
                    remoteAddress: String(cString: remote))
                return CurlHandle.with(context) { $0.maySend(on: connection) } == true ? 0 : 1
            }
            _ = ashlar_easy_seek(table, easy, CurlOption.seekFunction) { context, offset, origin in
                CurlHandle.with(context) { $0.rewind(to: Int(offset)) } == true && origin == 0 ? 0 : 2
            }
        }

        /// Removes the sockets that libcurl closes from the loop's idle connections.
        private func reportClosedSockets() {
            let context = Unmanaged.passUnretained(loop).toOpaque()
            _ = ashlar_easy_pointer(table, easy, CurlOption.closeSocketData, context)
            _ = ashlar_easy_close(table, easy, CurlOption.closeSocketFunction) { context, socket in
                guard let context else { return close(socket) }
                Unmanaged<CurlLoop>.fromOpaque(context).takeUnretainedValue().idle.close(socket)
                return close(socket)
            }
        }

        /// Opens a socket, which child processes don't inherit; returns -1 on failure.
        private static func openSocket(_ address: UnsafeRawPointer) -> Int32 {
            // struct curl_sockaddr: the family, the type and the protocol. SOCK_CLOEXEC is O_CLOEXEC.
            let fields = address.assumingMemoryBound(to: Int32.self)
            return socket(fields[0], fields[1] | O_CLOEXEC, fields[2])
        }

        /// Calls `body` with the transfer of a callback; returns nil if there is none.
        private static func with<Result>(
            _ context: UnsafeMutableRawPointer?, _ body: (CurlTransfer) -> Result
        ) -> Result? {
            guard let context else { return nil }
            return Unmanaged<CurlHandle>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.transfer.map(body) }
        }

        // MARK: The request

        /// Whether a request may use HTTP/2.
        ///
        /// If HTTP/2 isn't ruled out, a status line "HTTP/2.0" without TLS makes libcurl send several requests at once on an
        /// HTTP/1 connection and mix up their responses.
        static func allowsHTTP2(_ transfer: CurlTransfer) -> Bool {
            transfer.request.url.scheme == .https && !transfer.isUpgrade && transfer.request.digest == nil
                && transfer.loop.library.offersHTTP2
        }

        /// Sets everything that depends on the request.
        func prepare(_ transfer: CurlTransfer) {
            self.transfer = transfer
            let url = transfer.request.url
            resetHead(transfer.request)
            text(CurlOption.url, url.requestText)
            // Otherwise, libcurl also repeats what may not be repeated.
            long(CurlOption.forbidReuse, loop.library.repeatsOnlyRefused ? 0 : 1)
            long(CurlOption.freshConnect, transfer.needsFreshConnection ? 1 : 0)
            long(CurlOption.connectTimeout, transfer.mayConnectLong ? Int(Int32.max) : 0)
            if transfer.isUpgrade {
                long(CurlOption.connectOnly, 1)
                long(CurlOption.proxyTunnel, 1)
            }
            if loop.proxies != nil { text(CurlOption.proxy, transfer.proxy ?? "") }
            if !loop.addresses.isEmpty {
                // For every host and port, and with the URL's port.
                target.removeAll()
                if let address = loop.addresses[url] { target.append("::\(address):") }
                _ = ashlar_easy_pointer(table, easy, CurlOption.connectTo, target.makeList())
            }
            if !loop.pins.isEmpty { text(CurlOption.pinnedPublicKey, loop.pins[url]) }
            if !loop.certificates.isEmpty { identify(with: loop.certificates[url]) }
            if let credentials = transfer.request.digest {
                long(CurlOption.authentication, CurlValue.digestOnly)
                text(CurlOption.userName, credentials.user)
                text(CurlOption.password, credentials.password)
            }
            setBody(transfer)
            _ = ashlar_easy_pointer(table, easy, CurlOption.httpHeader, fields.makeFields(of: transfer))
        }

        /// Prepares for the head of the next response to a request.
        func resetHead(_ request: NetworkRequest) {
            head.reset(.init(allowsHTTP2: allowsHTTP2, allowsUpgrade: request.headers.contains("Upgrade")))
        }

        /// Sets the client certificate; libcurl reuses a connection only for requests with the same one.
        private func identify(with certificate: ClientCertificate?) {
            text(CurlOption.certificateType, certificate?.format.rawValue)
            text(CurlOption.certificate, certificate?.file)
            text(CurlOption.keyType, certificate?.format.rawValue)
            text(CurlOption.key, certificate?.keyFile)
            // Without a password, OpenSSL would read that of an encrypted key from the terminal, on the loop's thread.
            text(CurlOption.keyPassword, certificate.map { $0.password ?? "" })
            // A resumed TLS session identifies the client by the certificate with which it began, not by a renewed one.
            long(CurlOption.sessionCache, certificate == nil ? 1 : 0)
        }

        private func setBody(_ transfer: CurlTransfer) {
            let method = transfer.request.method
            long(CurlOption.get, 1)
            let isImplied = transfer.bodyKind == .head || transfer.bodyKind == .none && method == .get
            text(CurlOption.customRequest, isImplied ? nil : method.rawValue)
            switch transfer.bodyKind {
            case .none: break
            case .head: long(CurlOption.noBody, 1)
            case .memory:
                long(CurlOption.post, 1)
                let bytes = transfer.request.body.inMemory ?? []
                _ = ashlar_easy_off(table, easy, CurlOption.postFieldSize, Int64(bytes.count))
                // libcurl copies the bytes; without an address it would call the read function.
                _ = (bytes.isEmpty ? [0] : bytes).withUnsafeBytes {
                    ashlar_easy_pointer(table, easy, CurlOption.copyPostFields, $0.baseAddress)
                }
            case .upload:
                long(CurlOption.upload, 1)
                _ = ashlar_easy_off(table, easy, CurlOption.inFileSize, Int64(transfer.uploadLength ?? -1))
            }
        }

        private func long(_ option: Int32, _ value: Int) { _ = ashlar_easy_long(table, easy, option, value) }

        @discardableResult
        private func text(_ option: Int32, _ value: String?) -> Bool {
            guard let value else { return ashlar_easy_pointer(table, easy, option, nil) == 0 }
            return value.withCString { ashlar_easy_pointer(table, easy, option, $0) } == 0
        }
    }
#endif
