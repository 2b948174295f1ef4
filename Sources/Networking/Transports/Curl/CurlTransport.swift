#if os(Linux)

    /// A transport with the system's libcurl, which is opened at run time: the default on Linux, where alone it exists.
    ///
    /// One thread performs all transfers of the transport. Requests to one host share and reuse connections, over TLS
    /// also with HTTP/2 if libcurl is 8.5 or later.
    ///
    /// A response must follow RFC 9112: HTTP/1.0 or 1.1 (over TLS also HTTP/2); `chunked` as the only transfer coding,
    /// and only with HTTP/1.1; one length; no `101` unless the request asks for an upgrade. Lines of the head may end
    /// with a bare LF, and fields may be folded.
    ///
    /// Bytes that a server sends before a request are never used as the response: an idle connection on which they arrive
    /// is closed before its next request. An idempotent request whose connection ends without a response is repeated on another one.
    ///
    /// At most 256 KiB of a body are received before it is read. TLS trusts the system's or the configured roots;
    /// verification can't be disabled.
    package final class CurlTransport: NetworkTransport {
        /// The version of the library, such as `7.88.1`.
        package let version: String
        /// Whether requests may use HTTP/2.
        package var offersHTTP2: Bool { loop.library.offersHTTP2 }
        private let loop: CurlLoop

        /// Opens libcurl and starts the transport's thread.
        ///
        /// - Parameters:
        ///   - configuration: Connection limits, trust and proxies.
        ///   - library: The library's file name.
        /// - Throws: `.unsupported` if the library is missing, damaged or older than 7.68; `.invalidConfiguration` for
        ///   a pin whose host no URL can have, a malformed pin, a setting that the TLS library doesn't support, or a
        ///   restriction of networks.
        package convenience init(
            _ configuration: TransportConfiguration = .init(), library: String = "libcurl.so.4"
        ) throws(NetworkError) {
            try self.init(configuration, CurlLibrary.open(library))
        }

        init(_ configuration: TransportConfiguration, _ library: CurlLibrary) throws(NetworkError) {
            guard configuration.allowsCellular else { throw .unsupportedSetting("allowsCellular", by: "libcurl") }
            guard configuration.allowsLowDataMode else { throw .unsupportedSetting("allowsLowDataMode", by: "libcurl") }
            version = library.version
            loop = try CurlLoop(library, configuration)
        }

        deinit { loop.stopWhenIdle() }

        /// Sends a request and returns when the head of the response has arrived.
        package func send(_ request: NetworkRequest) async throws(NetworkError) -> StreamedResponse {
            try request.headers.validate()
            if request.upgrade != nil { return try await upgrade(request) }
            let transfer = try CurlTransfer(request, loop: loop)
            let pipe = transfer.pipe
            pipe.attach(transfer)
            loop.post(.start(transfer))
            let head = try await pipe.head()
            return StreamedResponse(head: head, source: pipe, url: request.url)
        }

        /// Opens a connection for another protocol, or returns the head of the response of a server that refuses.
        private func upgrade(_ request: NetworkRequest) async throws(NetworkError) -> StreamedResponse {
            let duplex = try CurlDuplex(request, loop: loop)
            let pipe = duplex.pipe
            try duplex.start()
            let head = try await pipe.head()
            var response = StreamedResponse(head: head, body: ResponseBody(), url: request.url)
            if head.status == 101 { response.upgraded = duplex }
            return response
        }
    }
#endif
