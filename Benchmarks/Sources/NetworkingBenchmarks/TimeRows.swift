import AshlarNetworking
import BenchmarkHarness
import Foundation

#if canImport(Glibc)
    import Glibc
#endif

extension BenchmarkSuite {
    /// The time until the first response of a new client, and the accuracy of each timeout.
    mutating func timeRows(_ server: Nginx) {
        let url = server.url
        value("first request of a new client", unit: "ms", bar: .below(20), note: "the slowest of 5") {
            let times = (0..<5).map { _ in
                Self.milliseconds {
                    let client = NetworkClient()
                    _ = try? await client.send(Hello(host: .url(url)))
                }
            }
            return times.max() ?? .nan
        }
        #if os(Linux)
            guard let silent = SilentListener() else { return }
            value("timeouts of 0.05, 0.5 and 5 s", unit: "ms off", bar: .below(20), note: "connect, idle, total") {
                let limits = [50, 500, 5000]
                let client = NetworkClient()
                return [
                    silent.worst(client, limits, \.connectTimeout, "https"),
                    silent.worst(client, limits, \.idleTimeout, "http"),
                    silent.worst(client, limits, \.totalTimeout, "http"),
                ].max() ?? .nan
            }
        #endif
    }

    fileprivate static func milliseconds(_ work: @escaping @Sendable () async -> Void) -> Double {
        let done = DispatchSemaphore(value: 0)
        let start = ContinuousClock.now
        Task.detached {
            await work()
            done.signal()
        }
        done.wait()
        return (ContinuousClock.now - start) / .milliseconds(1)
    }
}

#if os(Linux)
    /// A socket on 127.0.0.1 that accepts connections and sends nothing.
    private final class SilentListener {
        let descriptor: Int32
        let port: Int

        init?() {
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let listener = descriptor
            let ready = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    bind(listener, address, size) == 0 && listen(listener, 64) == 0
                        && getsockname(listener, address, &size) == 0
                }
            }
            guard ready else { return nil }
            port = Int(UInt16(bigEndian: address.sin_port))
        }

        deinit { close(descriptor) }

        /// The greatest deviation of a request from its limit, in milliseconds.
        func worst(
            _ client: NetworkClient, _ limits: [Int], _ option: WritableKeyPath<RequestOptions, Duration?> & Sendable,
            _ scheme: String
        ) -> Double {
            let url = "\(scheme)://127.0.0.1:\(port)/"
            let offs = limits.map { limit in
                let passed = BenchmarkSuite.milliseconds {
                    guard var request = try? NetworkRequest(.get, url) else { return }
                    request.options[keyPath: option] = .milliseconds(limit)
                    _ = try? await client.send(request)
                }
                return abs(passed - Double(limit))
            }
            return offs.max() ?? .nan
        }
    }
#endif
