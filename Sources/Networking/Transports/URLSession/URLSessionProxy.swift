#if canImport(Darwin)
    import Foundation
    import Network

    /// Translates a proxy for a session.
    enum URLSessionProxy {
        /// Makes all requests of a session, those for http URLs included, use a tunnel.
        static func set(_ proxy: NetworkProxy, in settings: URLSessionConfiguration) throws(NetworkError) {
            let (host, port) = proxy.hostAndPort
            guard let number = UInt16(exactly: port), let port = NWEndpoint.Port(rawValue: number) else {
                throw NetworkProxy.invalid("the port \(port) is not possible")
            }
            let endpoint = NWEndpoint.hostPort(host: NWEndpoint.Host(host), port: port)
            var result =
                proxy.isSOCKS
                ? ProxyConfiguration(socksv5Proxy: endpoint)
                : ProxyConfiguration(
                    httpCONNECTProxy: endpoint, tlsOptions: proxy.isSecure ? NWProtocolTLS.Options() : nil)
            // A proxy that fails must not be replaced by a direct connection.
            result.allowFailover = false
            if let credentials = proxy.credentials {
                result.applyCredential(username: credentials.user, password: credentials.password)
            }
            settings.proxyConfigurations = [result]
        }

        /// Whether an error, or one underneath, is CFNetwork's for a proxy that fails or refuses (306 to 311).
        static func isFailure(_ error: any Error) -> Bool {
            var next: NSError? = error as NSError
            while let error = next {
                if error.domain == "kCFErrorDomainCFNetwork", (306...311).contains(error.code) { return true }
                next = error.userInfo[NSUnderlyingErrorKey] as? NSError
            }
            return false
        }
    }
#endif
