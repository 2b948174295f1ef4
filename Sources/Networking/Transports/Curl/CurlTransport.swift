#if os(Linux)

    /// A transport over the system's libcurl, which is opened at run time: the default on Linux.
    ///
    /// One thread of its own serves all exchanges of the transport; requests to one host share and reuse connections,
    /// over TLS also by HTTP/2. The code behind `await` goes on on that thread as long as it is quick, which saves a change of
    /// threads; code that belongs to an actor or another executor goes there as ever. Should code stay for more than a few
    /// milliseconds, another thread takes the exchanges over, and what comes next goes on on Swift's shared threads. A body that nobody reads stops being received after 256 KiB. TLS trusts the system's roots
    /// (or the configured ones) and cannot be told not to verify.
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
        /// The version of the library that was found, such as `7.88.1`.
        public let version: String
        private let loop: CurlLoop
        /// The client's own fields if they may be sent; checked once.
        private let ownHeaders: HTTPHeaders

        /// Opens libcurl and starts the transport's thread.
        ///
        /// - Parameters:
        ///   - configuration: Connection limits, trust and proxies.
        ///   - library: The library's file name.
        /// - Throws: `.unsupported` if the library is missing, damaged or older than 7.68.
        public init(
            _ configuration: TransportConfiguration = .init(), library: String = "libcurl.so.4"
        ) throws(NetworkError) {
            let library = try CurlLibrary.open(library)
            version = library.version
            loop = try CurlLoop(library, configuration)
            ownHeaders = configuration.validHeaders
        }

        deinit { loop.stopWhenIdle() }

        /// Runs tasks on the transport's own thread, for programs that send very many small requests.
        ///
        /// Such a task begins and stays there, and not only between an answer and the next request. As long as it computes,
        /// the exchanges of the transport stand still until another thread takes them over.
        ///
        /// ```swift
        /// func ping(_ client: NetworkClient, _ transport: CurlTransport) async throws {
        ///     try await withTaskExecutorPreference(transport.executor) {
        ///         for _ in 0..<1000 { _ = try await client.get("http://127.0.0.1:8080/") }
        ///     }
        /// }
        /// ```
        public var executor: any TaskExecutor { loop.executor }

        /// Sends a request and returns as soon as the head of the answer is there.
        public func send(_ request: NetworkRequest) async throws(NetworkError) -> StreamedResponse {
            if !request.headers.isSame(as: ownHeaders) { try request.headers.validate() }
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
