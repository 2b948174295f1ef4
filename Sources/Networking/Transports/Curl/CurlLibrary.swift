#if os(Linux)
    internal import AshlarCore
    import CAshlarCurl

    /// The system's libcurl, opened once per process and name.
    struct CurlLibrary: Sendable {
        /// The table of functions, which exists as long as the process.
        nonisolated(unsafe) let table: UnsafePointer<ashlar_curl>  // Safe because nothing changes it once it is filled.

        private static let opened = Mutex<[String: CurlLibrary]>([:])

        static func open(_ name: String) throws(NetworkError) -> CurlLibrary {
            if let library = opened.withLock({ $0[name] }) { return library }
            var reason = [CChar](repeating: 0, count: 512)
            guard let table = ashlar_curl_open(name, &reason, reason.count) else {
                let text = String(decoding: reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                throw NetworkError(.unsupported, "libcurl cannot be used: \(text)", phase: .prepare)
            }
            let library = CurlLibrary(table: table)
            return opened.withLock { opened in
                opened[name] = opened[name] ?? library
                return opened[name]!
            }
        }

        /// Whether the connection to a proxy can use TLS (`CURL_VERSION_HTTPS_PROXY`).
        var supportsSecureProxies: Bool { table.pointee.features & (1 << 21) != 0 }

        var version: String { String(cString: table.pointee.version) }

        /// Whether a handle may serve another request.
        ///
        /// From 7.83.0 to 8.0.1, a handle retains a pointer to the last header of its previous response after freeing
        /// that header. If the first field line of the next response is folded, it is appended to freed memory, which
        /// can crash the process. A test confirms this for 7.88.1 and excludes it for 8.23.0; the other versions follow
        /// from curl's pull request 11103, which clears the pointer in 8.1.0.
        ///
        /// libcurl stores a header before it calls any callback, so such a response can't be rejected in time; not
        /// using libcurl's header API doesn't help either. A new handle for each request costs 2 to 3 of 17 to 21 µs of
        /// processor time in C, and raises the ratio of `GET ×16` to C from 1.6 to 1.9.
        var reusesHandles: Bool { !(0x07_53_00..<0x08_01_00).contains(table.pointee.version_num) }
    }
#endif
