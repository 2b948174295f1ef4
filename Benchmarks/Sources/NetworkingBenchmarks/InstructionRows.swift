import AshlarNetworking
import BenchmarkHarness
import Dispatch

#if CURL
    import CCurlPeer
#endif

/// The requests whose instructions are counted, in a process of their own: `--requests NAME COUNT URL`.
enum CountedRequests: String, CaseIterable {
    /// The client without a transport: the endpoint, the chain, the response and its decoding.
    case client
    /// One at a time.
    case one
    /// 64 at a time.
    case many
    /// C libcurl, 64 at a time.
    case peer

    var width: Int { self == .many || self == .peer ? 64 : 1 }

    /// Performs the requests if the program's arguments name them.
    ///
    /// - Returns: Whether they do.
    static func runIfNamed(_ arguments: [String] = CommandLine.arguments) -> Bool {
        guard arguments.count == 5, arguments[1] == "--requests", let kind = Self(rawValue: arguments[2]),
            let count = Int(arguments[3])
        else { return false }
        kind.run(count, arguments[4])
        return true
    }

    private func run(_ count: Int, _ url: String) {
        let size = Nginx.body.utf8.count
        guard self != .peer else {
            #if CURL
                check(Int(ccurl_multi_gets(url + "/hello.json", Int32(count), Int32(width), size)), of: count)
            #endif
            return
        }
        var configuration = ClientConfiguration()
        configuration.transport.connectionsPerHost = width
        let client = NetworkClient(configuration, transport: self == .client ? Immediate(headers: [:]) : nil)
        let expected = self == .client ? 0 : size
        let endpoint = Hello(host: .url(url))
        let done = DispatchSemaphore(value: 0)
        Task.detached { [width] in
            let good = await concurrently(count, width: width) { (try? await client.send(endpoint))?.count == expected }
            check(good, of: count)
            done.signal()
        }
        done.wait()
    }
}

extension BenchmarkSuite {
    /// Instructions per request, of all threads of the client.
    mutating func instructionRows(_ server: Nginx) {
        func arguments(_ kind: CountedRequests) -> (Int) -> [String] {
            { ["--requests", kind.rawValue, "\($0)", server.url] }
        }
        instructions("instructions of a GET without a transport", bar: .below(25_000), arguments(.client))
        instructions("instructions of a GET ×1", bar: .below(110_000), arguments(.one))
        instructions("instructions of a GET ×64", bar: .below(110_000), arguments(.many))
        #if CURL
            instructions("instructions of a GET ×64 with C libcurl", arguments(.peer))
        #endif
    }
}
