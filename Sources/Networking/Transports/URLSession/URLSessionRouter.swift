#if canImport(Darwin)
    internal import AshlarCore
    import Foundation

    /// The delegate of a session: forwards each call to the exchange of its task, and follows no redirects.
    final class URLSessionRouter: NSObject, URLSessionDataDelegate, Sendable {
        private let exchanges = Mutex<[Int: URLSessionExchange]>([:])
        let identities: HostSettings<URLSessionIdentity>
        let trust: ServerTrust
        private let sockets = Mutex<[Int: (handlers: SessionSocketHandlers, url: HTTPURL)]>([:])
        /// The reasons for which servers were rejected, by the number of the task.
        private let rejections = Mutex<[Int: NetworkError]>([:])

        init(_ identities: HostSettings<URLSessionIdentity>, _ trust: ServerTrust) {
            self.identities = identities
            self.trust = trust
        }

        func add(_ exchange: URLSessionExchange, for task: URLSessionTask) {
            exchanges.withLock { $0[task.taskIdentifier] = exchange }
        }

        private func exchange(_ task: URLSessionTask) -> URLSessionExchange? {
            exchanges.withLock { $0[task.taskIdentifier] }
        }

        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
            completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
        ) {
            completionHandler(exchange(dataTask)?.received(response) == true ? .allow : .cancel)
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            exchange(dataTask)?.received(data)
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
            totalBytesExpectedToSend: Int64
        ) {
            exchange(task)?.sent(Int(totalBytesSent))
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            completionHandler(nil)
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            if let digest = exchange(task)?.digest, challenge.previousFailureCount == 0,
                challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodHTTPDigest,
                !challenge.protectionSpace.isProxy()
            {
                let credential = URLCredential(user: digest.user, password: digest.password, persistence: .none)
                return completionHandler(.useCredential, credential)
            }
            if challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodClientCertificate,
                let identity = url(of: task).flatMap({ identities[$0] })
            {
                return completionHandler(.useCredential, identity.credential)
            }
            // The server of the request, not a proxy with TLS: a session can't give a proxy other roots.
            if let server = challenge.protectionSpace.serverTrust, !challenge.protectionSpace.isProxy(),
                let url = url(of: task), trust.concerns(url)
            {
                guard let rejection = trust.rejection(of: url, server) else {
                    return completionHandler(.useCredential, URLCredential(trust: server))
                }
                rejections.withLock { $0[task.taskIdentifier] = rejection }
                return completionHandler(.cancelAuthenticationChallenge, nil)
            }
            completionHandler(.performDefaultHandling, nil)
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask,
            needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
        ) {
            completionHandler(exchange(task)?.openBody())
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
        ) {
            exchange(task)?.collected(metrics)
        }

        @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
        func urlSession(
            _ session: URLSession, task: URLSessionTask, didReceiveInformationalResponse response: HTTPURLResponse
        ) {
            exchange(task)?.touch()
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            var error = error
            // The session reports a rejected server as a cancelled task.
            if let rejection = rejections.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) {
                error = error.map { _ in rejection }
            }
            socketCompleted(task, error)
            exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.completed(error)
        }
    }

    extension URLSessionRouter: URLSessionWebSocketDelegate {
        func add(_ handlers: SessionSocketHandlers, for task: URLSessionTask, _ url: HTTPURL) {
            sockets.withLock { $0[task.taskIdentifier] = (handlers, url) }
        }

        private func url(of task: URLSessionTask) -> HTTPURL? {
            exchange(task)?.url ?? sockets.withLock { $0[task.taskIdentifier]?.url }
        }

        func urlSession(
            _ session: URLSession, webSocketTask: URLSessionWebSocketTask, didOpenWithProtocol protocol: String?
        ) {
            var head = ResponseHead(status: 101)
            if let response = webSocketTask.response as? HTTPURLResponse { head = URLSessionHead.head(of: response) }
            sockets.withLock { $0[webSocketTask.taskIdentifier]?.handlers }?.received(head)
        }

        func urlSession(
            _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
            didCloseWith closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?
        ) {
            // The framework reports a connection without a close frame with this code.
            if closeCode == .abnormalClosure { return }
            sockets.withLock { $0[webSocketTask.taskIdentifier]?.handlers }?.closed(closeCode, reason)
        }

        private func socketCompleted(_ task: URLSessionTask, _ error: (any Error)?) {
            guard let (handlers, _) = sockets.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else {
                return
            }
            if let response = task.response as? HTTPURLResponse, response.statusCode != 101 {
                handlers.received(URLSessionHead.head(of: response))
            }
            handlers.ended(error)
        }
    }
#endif
