import AshlarNetworking
import BenchmarkHarness
import Foundation

extension BenchmarkSuite {
    /// 1 GiB in each direction, with a reader and a writer that are slower than the connection.
    mutating func streamRows(_ server: Nginx) {
        let client = NetworkClient()
        let base = server.url
        value(
            "memory of 1 GiB received", unit: "MiB above base", bar: .below(16), note: "the reader pauses 1 ms a MiB"
        ) {
            Self.peakAboveBase {
                var request = try NetworkRequest(.get, base + "/large.bin")
                request.options.totalTimeout = nil
                let response = try await client.stream(request)
                var (received, paused) = (0, 0)
                for try await chunk in response.body {
                    received += chunk.count
                    if received >> 20 > paused {
                        paused = received >> 20
                        try await Task.sleep(for: .milliseconds(1))
                    }
                }
                return received
            }
        }
        value("memory of 1 GiB sent", unit: "MiB above base", bar: .below(16), note: "the writer pauses 1 ms a MiB") {
            Self.peakAboveBase {
                let body = RequestBody.stream(length: 1 << 30) { SlowChunks(count: 1024, size: 1 << 20) }
                var request = try NetworkRequest(.post, base + "/discard", body: body)
                request.options.totalTimeout = nil
                _ = try await client.send(request)
                return 1 << 30
            }
        }
    }

    private static func peakAboveBase(_ work: @escaping @Sendable () async throws -> Int) -> Double {
        // Writing 5 resets the peak to the current value.
        try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
        let base = peak()
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            do {
                check(try await work() == 1 << 30 ? 1 : 0, of: 1)
            } catch {
                preconditionFailure("\(error)")
            }
            done.signal()
        }
        done.wait()
        return peak() - base
    }

    /// The peak of resident memory, in MiB.
    private static func peak() -> Double {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM") }
        return (line?.split(separator: " ").compactMap { Double($0) }.first ?? .nan) / 1024
    }
}

/// Chunks with a pause between them.
private struct SlowChunks: AsyncSequence, Sendable {
    let count: Int
    let size: Int

    func makeAsyncIterator() -> Iterator { Iterator(left: count, chunk: [UInt8](repeating: 7, count: size)) }

    struct Iterator: AsyncIteratorProtocol {
        var left: Int
        let chunk: [UInt8]

        mutating func next() async throws -> [UInt8]? {
            guard left > 0 else { return nil }
            left -= 1
            try await Task.sleep(for: .milliseconds(1))
            return chunk
        }
    }
}
