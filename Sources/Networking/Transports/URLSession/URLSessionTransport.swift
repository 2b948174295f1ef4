#if canImport(Darwin)
    internal import AshlarCore
    package import Foundation
    import Security

    /// A transport with Foundation's `URLSession`: the default on Apple systems, where alone it exists.
    ///
    /// The session stores no cookies, cache or credentials, and follows no redirects; the client does this.
    /// See <doc:TransportDifferences>.
    package final class URLSessionTransport: NetworkTransport {
        /// A session and its delegate.
        struct Route: Sendable {
            let session: URLSession
            let router: URLSessionRouter

            init(
                _ settings: URLSessionConfiguration, _ identities: HostSettings<URLSessionIdentity>,
                _ trust: ServerTrust
            ) {
                router = URLSessionRouter(identities, trust)
                session = URLSession(configuration: settings, delegate: router, delegateQueue: nil)
            }
        }

        private let direct: Route
        /// The session of the hosts that are reached through the configured proxy.
        private let proxied: (route: Route, rules: ProxyRules)?
        /// The sessions of hosts with pins or a client certificate, by host.
        ///
        /// A session may use an HTTP/2 connection for each host that its certificate names (RFC 9113, section 9.1.1), but asks
        /// for trust and a client certificate only when it opens one.
        private let apart = Mutex<[String: Route]>([:])

        /// Creates a transport with its own sessions.
        ///
        /// - Throws: `.invalidConfiguration` for settings that a session can't honor: `addresses`, `usesEnvironmentProxies`,
        ///   and `clientCertificates` that aren't PKCS#12.
        package init(_ configuration: TransportConfiguration = .init()) throws(NetworkError) {
            try Self.check(configuration)
            let identities = try URLSessionIdentity.table(configuration.clientCertificates)
            let trust = try ServerTrust(configuration)
            let settings = Self.settings(configuration)
            if let proxy = configuration.proxy {
                let proxiedSettings = Self.settings(configuration)
                try URLSessionProxy.set(proxy, in: proxiedSettings)
                proxied = (Route(proxiedSettings, identities, trust), ProxyRules(proxy))
                // Otherwise the system's proxies would apply to the excluded hosts.
                settings.connectionProxyDictionary = [:]
            } else {
                proxied = nil
            }
            direct = Route(settings, identities, trust)
        }

        private static func settings(_ configuration: TransportConfiguration) -> URLSessionConfiguration {
            let settings = URLSessionConfiguration.ephemeral
            settings.httpMaximumConnectionsPerHost = configuration.connectionsPerHost
            settings.httpShouldSetCookies = false
            settings.httpCookieAcceptPolicy = .never
            settings.httpCookieStorage = nil
            settings.urlCache = nil
            settings.urlCredentialStorage = nil
            settings.requestCachePolicy = .reloadIgnoringLocalCacheData
            // The exchange has its own timers; the session's must be longer.
            settings.timeoutIntervalForRequest = 86_400
            settings.timeoutIntervalForResource = 86_400
            // As CurlTransport; an app's exceptions of App Transport Security would allow older versions.
            settings.tlsMinimumSupportedProtocolVersion = .TLSv12
            settings.allowsCellularAccess = configuration.allowsCellular
            settings.allowsConstrainedNetworkAccess = configuration.allowsLowDataMode
            return settings
        }

        private static func check(_ configuration: TransportConfiguration) throws(NetworkError) {
            if !configuration.addresses.isEmpty { throw .unsupportedSetting("addresses", by: "URLSession") }
            if configuration.usesEnvironmentProxies {
                throw .unsupportedSetting("usesEnvironmentProxies", by: "URLSession")
            }
        }

        deinit {
            let routes = [direct, proxied?.route].compactMap(\.self) + apart.withLock { $0.values }
            for route in routes { route.session.finishTasksAndInvalidate() }
        }

        /// Returns the session for a URL, with or without a proxy.
        func route(for url: HTTPURL) -> Route {
            var route = direct
            if let proxied, proxied.rules.proxy(for: url) != nil { route = proxied.route }
            let router = route.router
            guard router.trust.isPinned(url) || router.identities[url] != nil else { return route }
            return apart.withLock { apart in
                let own = apart[url.host] ?? Route(route.session.configuration, router.identities, router.trust)
                apart[url.host] = own
                return own
            }
        }

        /// Sends a request and returns when the head of the response has arrived.
        ///
        /// - Throws: `.invalidConfiguration` for a `connectTimeout` that is shorter than the idle timeout, because a session
        ///   doesn't report when it has connected; the idle timeout includes the time for it.
        package func send(_ request: NetworkRequest) async throws(NetworkError) -> StreamedResponse {
            let pipe = ResponsePipe()
            try request.headers.validate()
            let options = request.options
            if let limit = options.connectTimeout, options.idleTimeout.map({ limit < $0 }) ?? true {
                throw .unsupportedSetting("connectTimeout", by: "URLSession")
            }
            if let upgrade = request.upgrade {
                if let upgrade = upgrade as? any SessionUpgrade { return try await upgrade.open(request, over: self) }
                throw NetworkError(.unsupported, "the session can't upgrade to \(type(of: upgrade))", phase: .prepare)
            }
            let route = route(for: request.url)
            let (task, length) = try Self.task(for: request, of: route.session)
            let exchange = URLSessionExchange(request, bodyLength: length, pipe: pipe)
            pipe.attach(exchange)
            exchange.start(task, router: route.router)
            let head = try await pipe.head()
            return StreamedResponse(head: head, source: pipe, url: request.url)
        }

        /// Creates the task of a request, and returns it with the length of the body, if that is known.
        private static func task(
            for request: NetworkRequest, of session: URLSession
        ) throws(NetworkError) -> (URLSessionDataTask, length: Int?) {
            var urlRequest = try urlRequest(for: request)
            let length = try request.body.measuredLength()
            if request.body.isEmpty { return (session.dataTask(with: urlRequest), 0) }
            if case .file(let path) = request.body.content {
                return (session.uploadTask(with: urlRequest, fromFile: URL(fileURLWithPath: path)), length)
            }
            if let bytes = request.body.inMemory {
                urlRequest.httpBody = Data(bytes)
                return (session.dataTask(with: urlRequest), bytes.count)
            }
            if let length { urlRequest.setValue(String(length), forHTTPHeaderField: "Content-Length") }
            // The session asks the delegate for the stream.
            return (session.uploadTask(withStreamedRequest: urlRequest), length)
        }

        private static func urlRequest(for request: NetworkRequest) throws(NetworkError) -> URLRequest {
            guard let url = URL(string: request.url.requestText) else {
                throw NetworkError(.invalidURL, "not a URL for Foundation", phase: .prepare)
            }
            var result = URLRequest(url: url)
            result.httpMethod = request.method.rawValue
            result.httpShouldHandleCookies = false
            result.timeoutInterval = 86_400
            for field in request.headers { result.addValue(field.value, forHTTPHeaderField: field.name) }
            if !request.options.decompresses, !request.headers.contains("Accept-Encoding") {
                result.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
            }
            return result
        }
    }

    /// An upgrade that a session performs with a task of its own.
    package protocol SessionUpgrade: ConnectionUpgrade {
        /// Sends the request, and returns a response with status 101 and a connection, or that of a server that refuses.
        func open(
            _ request: NetworkRequest, over transport: URLSessionTransport
        ) async throws(NetworkError) -> StreamedResponse
    }

    /// The handlers of what a session reports about a WebSocket task.
    package struct SessionSocketHandlers: Sendable {
        let received: @Sendable (ResponseHead) -> Void
        let closed: @Sendable (URLSessionWebSocketTask.CloseCode, Data?) -> Void
        let ended: @Sendable ((any Error)?) -> Void

        /// Creates handlers of the response, of the server's close frame, and of the end of the task.
        package init(
            received: @escaping @Sendable (ResponseHead) -> Void,
            closed: @escaping @Sendable (URLSessionWebSocketTask.CloseCode, Data?) -> Void,
            ended: @escaping @Sendable ((any Error)?) -> Void
        ) {
            self.received = received
            self.closed = closed
            self.ended = ended
        }
    }

    extension URLSessionTransport {
        /// Creates a WebSocket task for a URL with the scheme ws or wss, which connects as requests for `url` do.
        package func webSocketTask(with request: URLRequest, for url: HTTPURL) -> URLSessionWebSocketTask {
            route(for: url).session.webSocketTask(with: request)
        }

        /// Starts a WebSocket task.
        package func start(_ task: URLSessionWebSocketTask, for url: HTTPURL, _ handlers: SessionSocketHandlers) {
            route(for: url).router.add(handlers, for: task, url)
            task.resume()
        }
    }
#endif
