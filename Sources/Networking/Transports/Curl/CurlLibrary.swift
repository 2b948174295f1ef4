#if os(Linux)
    import CAshlarCurl
    internal import AshlarCore

    /// The system's libcurl, opened once per process and name.
    struct CurlLibrary: Sendable {
        /// The table of functions; lives as long as the process.
        nonisolated(unsafe) let table: UnsafePointer<ashlar_curl>  // Safe because it is filled once and never changed.

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

        var version: String { String(cString: table.pointee.version) }
    }
#endif
