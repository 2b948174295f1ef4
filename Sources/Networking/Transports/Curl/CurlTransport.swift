#if os(Linux)

    /// A transport over the system's libcurl, which is opened at run time: the default on Linux.
    ///
    /// One thread carries out all exchanges of the transport. Requests to one host share and reuse connections, over TLS also
    /// by HTTP/2. At high rates, code behind `await` resumes on that thread while it is quick, which saves a switch of threads
    /// (see ``TransportConfiguration/resumesOnNetworkThread``); code of an actor or of another executor resumes there.
    ///
    /// A response must follow RFC 9112: HTTP/1.0 or 1.1 (over TLS also HTTP/2), `chunked` as the only transfer coding and only
    /// with HTTP/1.1, one length, no `101` without a request to upgrade. Lines of the head may end with a bare LF and fields
    /// may be folded.
    ///
    /// A server never answers a request with bytes that it sent before: an idle connection that becomes readable is closed. An
    /// idempotent request whose connection ends without a response is repeated on another one.
    ///
    /// A body that isn't read is received up to 256 KiB. TLS trusts the system's or the configured roots; verification can't be
    /// disabled.
    ///
    /// ```swift
    /// do {
    ///     let transport = try CurlTransport()
    ///     print("libcurl \(transport.version)")
    /// } catch {
    ///     print(error.message)  // why libcurl cannot be used
    /// }
    /// ```
    public final class CurlTransport: NetworkTransport {
        /// The version of the library, such as `7.88.1`.
        public let version: String
        private let loop: CurlLoop

        /// Opens libcurl and starts the transport's thread.
        ///
        /// - Parameters:
        ///   - configuration: Connection limits, trust and proxies.
        ///   - library: The library's file name.
        /// - Throws: `.unsupported` if the library is missing, damaged or older than 7.68; `.invalidConfiguration` for a pin
        ///   whose host no URL can have, a malformed pin, and what the TLS library doesn't support.
        public init(
            _ configuration: TransportConfiguration = .init(), library: String = "libcurl.so.4"
        ) throws(NetworkError) {
            let library = try CurlLibrary.open(library)
            version = library.version
            loop = try CurlLoop(library, configuration)
        }

        deinit { loop.stopWhenIdle() }

        /// Sends a request and returns as soon as the head of the response has arrived.
        public func send(_ request: NetworkRequest) async throws(NetworkError) -> StreamedResponse {
            try request.headers.validate()
            let exchange = try CurlExchange(request, loop: loop)
            let pipe = exchange.pipe
            pipe.attach(exchange)
            loop.post(.start(exchange))
            let body = ResponseBody(pipe)
            let (head, timings) = try await pipe.head()
            var response = StreamedResponse(head: head, body: body, url: request.url)
            response.timings = timings
            return response
        }
    }
#endif
