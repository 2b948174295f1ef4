#if canImport(Darwin)
    import Foundation
    import Network
    import Security

    /// A client certificate in the form that a session expects.
    struct URLSessionIdentity: Sendable {
        let credential: URLCredential

        /// Reads the certificates of a configuration.
        ///
        /// - Throws: `.invalidConfiguration` for certificates that a session can't use, an invalid host, an unreadable file or a
        ///   wrong password.
        static func table(
            _ configured: [String: ClientCertificate]
        ) throws(NetworkError) -> HostSettings<URLSessionIdentity> {
            guard configured.values.allSatisfy({ $0.format == .pkcs12 }) else {
                throw .unsupportedSetting(ClientCertificate.setting, by: "URLSession")
            }
            _ = try ClientCertificate.table(configured)
            var identities: [String: URLSessionIdentity] = [:]
            for (host, certificate) in configured { identities[host] = try identity(certificate, of: host) }
            return try HostSettings(identities, ClientCertificate.setting)
        }

        private static func identity(
            _ certificate: ClientCertificate, of host: String
        ) throws(NetworkError) -> URLSessionIdentity {
            var options: [(key: CFString, value: Any)] = [
                (kSecImportExportPassphrase, certificate.password ?? "")
            ]
            #if os(macOS)
                // Otherwise the key would be added to the user's keychain.
                options.append((kSecImportToMemoryOnly, true))
            #endif
            let dictionary = NSDictionary(
                objects: options.map(\.value), forKeys: options.map { $0.key as NSString })
            var items: CFArray?
            guard let data = NSData(contentsOfFile: certificate.file),
                SecPKCS12Import(data as CFData, dictionary as CFDictionary, &items) == errSecSuccess,
                let first = (items as NSArray?)?.firstObject as? NSDictionary,
                let identity = first.object(forKey: kSecImportItemIdentity as NSString).map({ $0 as CFTypeRef }),
                CFGetTypeID(identity) == SecIdentityGetTypeID()
            else {
                throw HostSettings<ClientCertificate>.invalid(
                    "the client certificate can't be imported; the password may be wrong", host,
                    ClientCertificate.setting)
            }
            let chain = first.object(forKey: kSecImportItemCertChain as NSString) as? [Any]
            return URLSessionIdentity(
                credential: URLCredential(
                    // The type was checked above; Core Foundation's types have no conditional cast.
                    identity: unsafeDowncast(identity, to: SecIdentity.self), certificates: chain,
                    persistence: .forSession))
        }
    }

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
