#if os(Linux)
    import CAshlarCurl

    /// A reusable easy handle of libcurl, for one request at a time; used on the loop's thread only.
    ///
    /// Options that never change are set once, others only if they differ from those of the previous request. This
    /// saves 30 allocations and 2 to 3 µs of processor time per request (`processor time of GET ×16`).
    ///
    /// The state that libcurl stores in a handle between requests is dangerous. A handle is therefore reused only after
    /// an exchange without failure and repetition; see `CurlLibrary.reusesHandles` for the versions whose handles are
    /// never reused.
    final class CurlHandle {
        private(set) var easy: UnsafeMutableRawPointer
        private unowned let loop: CurlLoop
        private var table: UnsafePointer<ashlar_curl> { loop.library.table }
        private let errorText: UnsafeMutablePointer<CChar>
        private(set) var exchange: CurlExchange? {
            didSet { unretained = exchange.map(Unmanaged.passUnretained) }
        }
        private var unretained: Unmanaged<CurlExchange>?
        /// Reads the head of the response to the current request.
        let head = CurlHeadReader()

        private var url: HTTPURL?
        private var allowsHTTP2: Bool?
        private var isFresh = false
        private var hasLongConnect = false
        private var bufferSize = CurlOrigins.Origin.largeBuffer
        private var method: HTTPMethod?
        private var kind = Kind.none
        private var fields: [HTTPField]?
        private var list: UnsafeMutableRawPointer?
        private var decompresses = false
        private var hasBody = false
        private var hasTrailers = false
        private var announcement: String?
        private var pin: String?
        private var certificate: ClientCertificate?
        private var proxy: String?

        /// The way in which a request's body is sent.
        enum Kind: Equatable {
            case none
            case head
            case memory
            case upload
        }

        /// Whether its connections belong to the loop.
        private let isShared: Bool

        init(_ loop: CurlLoop, isShared: Bool = true) throws(NetworkError) {
            (self.loop, self.isShared) = (loop, isShared)
            guard let easy = loop.library.table.pointee.easy_init() else { throw Self.noHandle }
            self.easy = easy
            errorText = .allocate(capacity: 512)
            errorText.initialize(repeating: 0, count: 512)
            do throws(NetworkError) { try configure() } catch {
                destroy()
                throw error
            }
        }

        private static let noHandle = NetworkError(.unsupported, "libcurl cannot create a handle", phase: .prepare)

        /// Replaces libcurl's handle with a new one, without state of earlier requests.
        func renew() throws(NetworkError) {
            guard let new = table.pointee.easy_init() else { throw Self.noHandle }
            table.pointee.easy_cleanup(easy)
            easy = new
            (url, allowsHTTP2, isFresh, hasLongConnect) = (nil, nil, false, false)
            (bufferSize, hasTrailers) = (CurlOrigins.Origin.largeBuffer, false)
            (method, kind, pin, certificate, proxy) = (nil, .none, nil, nil, nil)
            try configure()
            if let list { _ = ashlar_easy_pointer(table, easy, CurlOption.httpHeader, list) }
        }

        func destroy() {
            table.pointee.easy_cleanup(easy)
            if let list { table.pointee.slist_free_all(list) }
            errorText.deallocate()
        }

        static func of(_ easy: UnsafeMutableRawPointer, _ library: CurlLibrary) -> CurlHandle? {
            ashlar_easy_info_pointer(library.table, easy, CurlInfo.privateData).map {
                Unmanaged<CurlHandle>.fromOpaque($0).takeUnretainedValue()
            }
        }

        /// libcurl's message about the last failure.
        var errorMessage: String { String(cString: errorText) }

        private func configure() throws(NetworkError) {
            let configuration = loop.configuration
            long(CurlOption.noSignal, 1)
            long(CurlOption.followLocation, 0)
            long(CurlOption.pipeWait, 1)
            long(CurlOption.pathAsIs, 1)
            long(CurlOption.protocols, CurlValue.httpAndHTTPS)
            long(CurlOption.http09Allowed, 0)
            long(CurlOption.transferDecoding, 0)  // `ChunkedReader` reads the chunks
            long(CurlOption.suppressConnectHeaders, 1)
            long(CurlOption.bufferSize, bufferSize)
            long(CurlOption.uploadBufferSize, 64 << 10)
            let age = configuration.connectionIdleTime.seconds.rounded(.up)
            long(CurlOption.maximumConnectionAge, Int(min(max(age, 1), 1e9)))  // 0 would be no limit
            // The environment is read once, by `ProxyRules`.
            text(CurlOption.proxy, "")
            text(CurlOption.noProxy, loop.proxies == nil ? "*" : "")
            if let roots = configuration.trustRoots {
                guard text(CurlOption.caInfo, roots) else { throw Self.unsupported("trustRoots") }
                text(CurlOption.proxyCAInfo, roots)
            }
            if !loop.pins.isEmpty, !text(CurlOption.pinnedPublicKey, "sha256//") {
                throw Self.unsupported("pinnedKeys")
            }
            text(CurlOption.pinnedPublicKey, nil)
            _ = ashlar_easy_pointer(table, easy, CurlOption.errorBuffer, errorText)
            setCallbacks()
            if isShared { loop.watchConnections(of: self) }
        }

        static func unsupported(_ setting: String, _ name: String? = nil) -> NetworkError {
            var error = NetworkError(
                .invalidConfiguration, "the TLS library of libcurl does not support \(name ?? setting)",
                phase: .prepare)
            error.key = setting
            return error
        }

        private func setCallbacks() {
            let context = Unmanaged.passUnretained(self).toOpaque()
            for option in [
                CurlOption.writeData, CurlOption.headerData, CurlOption.readData, CurlOption.seekData,
                CurlOption.privateData, CurlOption.openSocketData, CurlOption.prerequestData, CurlOption.trailerData,
            ] {
                _ = ashlar_easy_pointer(table, easy, option, context)
            }
            _ = ashlar_easy_data(table, easy, CurlOption.headerFunction) { bytes, size, count, context in
                let bytes = UnsafeRawBufferPointer(start: bytes, count: size * count)
                let taken = CurlHandle.with(context) { $0.receivedHeader(bytes, $1.head) }
                return taken == true ? bytes.count : 0
            }
            _ = ashlar_easy_data(table, easy, CurlOption.writeFunction) { bytes, size, count, context in
                let bytes = UnsafeRawBufferPointer(start: bytes, count: size * count)
                return CurlHandle.with(context) { exchange, _ in exchange.receivedBody(bytes) } ?? 0
            }
            _ = ashlar_easy_data(table, easy, CurlOption.readFunction) { bytes, size, count, context in
                let space = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
                return CurlHandle.with(context) { exchange, _ in exchange.send(into: space) } ?? CurlValue.readAbort
            }
            _ = ashlar_easy_open(table, easy, CurlOption.openSocketFunction) { context, _, address in
                guard let address else { return -1 }
                return CurlHandle.with(context) { exchange, _ in exchange.openSocket(address) } ?? -1
            }
            _ = ashlar_easy_prereq(table, easy, CurlOption.prerequestFunction) { context, _, _, _, port in
                CurlHandle.with(context) { exchange, _ in exchange.maySend(from: port) } == true ? 0 : 1
            }
            _ = ashlar_easy_seek(table, easy, CurlOption.seekFunction) { context, offset, origin in
                CurlHandle.with(context) { exchange, _ in exchange.rewind(to: Int(offset)) } == true && origin == 0
                    ? 0 : 2
            }
        }

        /// Calls `body` with the exchange and the handle of a callback; returns nil if there is no exchange.
        ///
        /// The loop owns the handle, and the handle owns the exchange, so neither is retained for each line of a head.
        @inline(__always)
        private static func with<Result>(
            _ context: UnsafeMutableRawPointer?, _ body: (CurlExchange, CurlHandle) -> Result
        ) -> Result? {
            context.flatMap { context in
                Unmanaged<CurlHandle>.fromOpaque(context)._withUnsafeGuaranteedRef { handle in
                    handle.unretained?._withUnsafeGuaranteedRef { body($0, handle) }
                }
            }
        }

        // MARK: One request

        func prepare(_ exchange: CurlExchange) {
            self.exchange = exchange
            let request = exchange.request
            head.reset(
                .init(
                    isSecure: request.url.scheme == .https, allowsUpgrade: request.headers.contains("Upgrade"),
                    reportsInterims: request.reportsInterims))
            errorText[0] = 0
            if request.url != url {
                text(CurlOption.url, request.url.requestText)
                url = request.url
            }
            // If HTTP/2 isn't ruled out, a status line "HTTP/2.0" without TLS makes libcurl send several requests at once on
            // an HTTP/1 connection and mix up their responses. libcurl sends trailers with HTTP/1.1 only.
            let allowsHTTP2 =
                request.url.scheme == .https && request.body.trailers == nil && !exchange.isUpgrade
            if allowsHTTP2 != self.allowsHTTP2 {
                self.allowsHTTP2 = allowsHTTP2
                long(CurlOption.httpVersion, allowsHTTP2 ? CurlValue.http2OverTLS : CurlValue.http11)
            }
            if exchange.needsFreshConnection != isFresh {
                isFresh.toggle()
                long(CurlOption.freshConnect, isFresh ? 1 : 0)
            }
            if exchange.mayConnectLong != hasLongConnect {
                hasLongConnect.toggle()
                long(CurlOption.connectTimeout, hasLongConnect ? Int(Int32.max) : 0)
            }
            if let size = exchange.origin?.bufferSize, size != bufferSize {
                bufferSize = size
                long(CurlOption.bufferSize, size)
            }
            if exchange.isUpgrade {
                long(CurlOption.connectOnly, 1)
                long(CurlOption.proxyTunnel, 1)
            }
            setBody(exchange)
            setFields(exchange)
            if exchange.proxy != proxy {
                proxy = exchange.proxy
                text(CurlOption.proxy, proxy ?? "")
            }
            let pin = loop.pins[request.url]
            if pin != self.pin { text(CurlOption.pinnedPublicKey, pin) }
            self.pin = pin
            let certificate = loop.certificates[request.url]
            if certificate != self.certificate { identify(with: certificate) }
            self.certificate = certificate
        }

        /// Sets the client certificate; libcurl reuses a connection only for requests with the same one.
        private func identify(with certificate: ClientCertificate?) {
            text(CurlOption.certificateType, certificate?.format.rawValue)
            text(CurlOption.certificate, certificate?.file)
            text(CurlOption.keyType, certificate?.format.rawValue)
            text(CurlOption.key, certificate?.keyFile)
            text(CurlOption.keyPassword, certificate?.password)
        }

        func release() {
            exchange = nil
            if kind == .memory { _ = ashlar_easy_pointer(table, easy, CurlOption.postFields, nil) }
        }

        private func setBody(_ exchange: CurlExchange) {
            let request = exchange.request
            let kind = exchange.bodyKind
            if kind != self.kind || kind != .none || request.method != method {
                if self.kind != .none { long(CurlOption.httpGet, 1) }
                text(CurlOption.customRequest, kind == .none && request.method == .get ? nil : request.method.rawValue)
                switch kind {
                case .none: break
                case .head:
                    long(CurlOption.noBody, 1)
                    text(CurlOption.customRequest, nil)
                case .memory:
                    long(CurlOption.post, 1)
                    let bytes = request.body.inMemory ?? []
                    _ = ashlar_easy_off(table, easy, CurlOption.postFieldSize, Int64(bytes.count))
                    // libcurl copies the bytes; without an address it would call the read function.
                    _ = (bytes.isEmpty ? [0] : bytes).withUnsafeBytes {
                        ashlar_easy_pointer(table, easy, CurlOption.copyPostFields, $0.baseAddress)
                    }
                case .upload:
                    long(CurlOption.upload, 1)
                    _ = ashlar_easy_off(table, easy, CurlOption.inFileSize, Int64(exchange.uploadLength ?? -1))
                    setTrailers(request.body.trailers != nil)
                }
                (self.kind, method) = (kind, request.method)
            }
        }

        private func setTrailers(_ wanted: Bool) {
            guard wanted != hasTrailers else { return }
            hasTrailers = wanted
            guard wanted else {
                _ = ashlar_easy_trailer(table, easy, CurlOption.trailerFunction, nil)
                return
            }
            _ = ashlar_easy_trailer(table, easy, CurlOption.trailerFunction) { list, context in
                list?.pointee = CurlHandle.with(context) { exchange, _ in exchange.trailerLines() } ?? nil
                return 0
            }
        }

        private func setFields(_ exchange: CurlExchange) {
            let fields = exchange.request.headers.fields
            let decompresses = exchange.asksForCompression
            let hasBody = exchange.bodyKind == .memory || exchange.bodyKind == .upload
            let announcement = exchange.request.body.trailers?.announcement
            if hasBody == self.hasBody, decompresses == self.decompresses, announcement == self.announcement,
                fields == self.fields
            {
                return
            }
            (self.fields, self.decompresses, self.hasBody) = (fields, decompresses, hasBody)
            self.announcement = announcement
            let old = list
            list = nil
            for field in fields { append(field.value.isEmpty ? field.name + ";" : "\(field.name): \(field.value)") }
            if decompresses { append("Accept-Encoding: " + ContentDecoder.acceptEncoding) }
            if let announcement { append("Trailer: " + announcement) }
            // libcurl adds these fields itself; an empty one removes them.
            for name in hasBody ? ["Accept", "Content-Type", "Expect"] : ["Accept"]
            where !exchange.request.headers.contains(name) { append(name + ":") }
            _ = ashlar_easy_pointer(table, easy, CurlOption.httpHeader, list)
            if let old { table.pointee.slist_free_all(old) }
        }

        private func append(_ line: String) {
            if line.utf8.allSatisfy({ $0 < 0x80 }) {
                list = table.pointee.slist_append(list, line)
            } else {
                let bytes = line.unicodeScalars.map { CChar(bitPattern: UInt8(truncatingIfNeeded: $0.value)) } + [0]
                list = table.pointee.slist_append(list, bytes)
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
