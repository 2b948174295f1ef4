#if os(Linux)
    internal import AshlarCore
    import CAshlarCurl

    /// The system's libcurl, opened once per process and name.
    struct CurlLibrary: Sendable {
        /// The table of functions, which exists as long as the process.
        nonisolated(unsafe) let table: UnsafePointer<ashlar_curl>  // Safe because nothing changes it once it is filled.

        /// Whether the removal of a request waits until the system has resolved its name; since 7.87, an option prevents it.
        var waitsForResolver: Bool

        /// Whether libcurl repeats only requests that a server refused without processing them.
        ///
        /// By default, libcurl also repeats a request when its connection ends, with any method, and doesn't report the
        /// reason. As a side effect, an option for another protocol, RTSP, switches this off; nothing else does. Without
        /// RTSP, no connection is used twice, and only HTTP/1.1.
        let repeatsOnlyRefused: Bool

        private init(table: UnsafePointer<ashlar_curl>) {
            self.table = table
            let easy = table.pointee.easy_init()
            repeatsOnlyRefused =
                easy.map { ashlar_easy_long(table, $0, CurlOption.rtspRequest, CurlValue.rtspReceive) == 0 } ?? false
            table.pointee.easy_cleanup(easy)
            waitsForResolver = table.pointee.version_num < 0x07_57_00
        }

        private static let opened = Mutex<[String: CurlLibrary]>([:])

        static func open(_ name: String) throws(NetworkError) -> CurlLibrary {
            if let library = opened.withLock({ $0[name] }) { return library }
            var reason = [CChar](repeating: 0, count: 512)
            guard let table = ashlar_curl_open(name, &reason, reason.count) else {
                let text = String(decoding: reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                throw NetworkError(
                    .unsupported,
                    "libcurl can't be used: \(text); install libcurl 7.68 or later, such as the package libcurl4 of "
                        + "Debian and Ubuntu or libcurl of Fedora and Alpine", phase: .prepare)
            }
            let library = CurlLibrary(table: table)
            return opened.withLock { opened in
                opened[name] = opened[name] ?? library
                return opened[name]!
            }
        }

        /// Whether the connection to a proxy can use TLS (`CURL_VERSION_HTTPS_PROXY`).
        var supportsSecureProxies: Bool { table.pointee.features & (1 << 21) != 0 }

        /// Whether a handle retains a pointer to the last header of a response after freeing it; see ``CurlHandle``.
        var retainsFreedHeader: Bool { (0x07_53_00..<0x08_01_00).contains(table.pointee.version_num) }

        /// Whether requests may use HTTP/2, in which older versions lose responses and don't report refusals.
        var offersHTTP2: Bool { table.pointee.version_num >= 0x08_05_00 && repeatsOnlyRefused }

        var version: String { String(cString: table.pointee.version) }
    }

    // The numbers of libcurl that the transport uses, from curl/curl.h and curl/multi.h.

    /// Options of an easy handle.
    enum CurlOption {
        static let writeData: Int32 = 10001
        static let url: Int32 = 10002
        static let proxy: Int32 = 10004
        static let readData: Int32 = 10009
        static let errorBuffer: Int32 = 10010
        static let writeFunction: Int32 = 20011
        static let readFunction: Int32 = 20012
        static let copyPostFields: Int32 = 10165
        static let httpHeader: Int32 = 10023
        static let certificate: Int32 = 10025
        static let keyPassword: Int32 = 10026
        static let headerData: Int32 = 10029
        static let customRequest: Int32 = 10036
        static let authentication: Int32 = 107
        static let userName: Int32 = 10173
        static let password: Int32 = 10174
        static let tlsVersion: Int32 = 32
        static let sessionCache: Int32 = 150
        static let proxyTLSVersion: Int32 = 250
        static let header: Int32 = 42
        static let noBody: Int32 = 44
        static let upload: Int32 = 46
        static let post: Int32 = 47
        static let followLocation: Int32 = 52
        static let caInfo: Int32 = 10065
        static let proxyCAInfo: Int32 = 10246
        static let headerFunction: Int32 = 20079
        static let certificateType: Int32 = 10086
        static let key: Int32 = 10087
        static let keyType: Int32 = 10088
        static let get: Int32 = 80
        static let httpVersion: Int32 = 84
        static let bufferSize: Int32 = 98
        static let noSignal: Int32 = 99
        static let privateData: Int32 = 10103
        static let inFileSize: Int32 = 30115
        static let postFieldSize: Int32 = 30120
        static let connectTimeout: Int32 = 156
        static let seekFunction: Int32 = 20167
        static let seekData: Int32 = 10168
        static let noProxy: Int32 = 10177
        static let freshConnect: Int32 = 74
        static let forbidReuse: Int32 = 75
        static let openSocketFunction: Int32 = 20163
        static let openSocketData: Int32 = 10164
        static let closeSocketFunction: Int32 = 20208
        static let closeSocketData: Int32 = 10209
        static let connectOnly: Int32 = 141
        static let proxyTunnel: Int32 = 61
        static let transferDecoding: Int32 = 157
        static let protocols: Int32 = 181
        static let pinnedPublicKey: Int32 = 10230
        static let pathAsIs: Int32 = 234
        static let connectTo: Int32 = 10243
        static let pipeWait: Int32 = 237
        static let suppressConnectHeaders: Int32 = 265
        static let uploadBufferSize: Int32 = 280
        static let rtspRequest: Int32 = 189
        static let http09Allowed: Int32 = 285
        static let maximumConnectionAge: Int32 = 288
        static let quickExit: Int32 = 322  // since 7.87
        static let prerequestFunction: Int32 = 20312  // since 7.80; older versions ignore it
        static let prerequestData: Int32 = 10313
    }

    /// Options of a multi handle.
    enum CurlMultiOption {
        static let maximumConnects: Int32 = 6
        static let maximumTotalConnections: Int32 = 13
    }

    /// Information about a transfer.
    enum CurlInfo {
        static let requestSize: Int32 = 0x20_000C
        static let connectCode: Int32 = 0x20_0016
        static let sizeUpload: Int32 = 0x60_0007
        static let remoteAddress: Int32 = 0x10_0020
        static let remotePort: Int32 = 0x20_0028
        static let activeSocket: Int32 = 0x50_002C
        static let privateData: Int32 = 0x10_0015
        static let newConnections: Int32 = 0x20_001A
        static let nameLookupTime: Int32 = 0x60_0033
        static let connectTime: Int32 = 0x60_0034
        static let preTransferTime: Int32 = 0x60_0035
        static let startTransferTime: Int32 = 0x60_0036
        static let appConnectTime: Int32 = 0x60_0038
    }

    /// Values of options, events and callbacks.
    enum CurlValue {
        static let http11 = 2
        static let tls12 = 6
        static let rtspReceive = 11
        static let digestOnly = ashlar_digest_only()
        static let http2OverTLS = 4
        static let httpAndHTTPS = 3
        static let writePause = 0x1000_0001
        static let readAbort = 0x1000_0000
        static let readPause = 0x1000_0001
        static let pauseNothing: Int32 = 0
        static let messageDone: Int32 = 1
        static let again: Int32 = 81
        static let waitToRead: Int16 = 1
        static let waitToWrite: Int16 = 4
    }
#endif
