import Ashlar
import Testing

/// Each test runs in its own process, because a process has one log.
@Suite struct RequestLogTests {
    #if os(Linux) || os(macOS)
        @Test("A success, a failure and a redirect write one line each, with secrets hidden")
        func lines() async {
            await #expect(processExitsWith: .success) {
                var log = LogConfiguration(threshold: .debug, sinks: [])
                log.format = .myLogger
                LogSystem.start(log)
                var configuration = ClientConfiguration()
                configuration.observers.append(.lines(to: Log("network")))
                let client = NetworkClient(
                    configuration,
                    transport: StubTransport([
                        "GET /a": .text("four"), "GET /b": .status(503),
                        "GET /c": .status(302, headers: ["Location": "/a?token=s3cret"]),
                    ]))
                for path in ["a", "b", "c"] {
                    let url = try HTTPURL("https://api.example.com/\(path)?token=s3cret")
                    _ = try? await client.send(NetworkRequest(.get, url))
                }
                let text = LogSystem.liveLog
                let lines = text.split(separator: "\n")
                try #require(lines.count == 4)
                #expect(
                    lines[0].hasPrefix("[DEBUG] network - GET https://api.example.com/a?token=<redacted>: 200, 4 bytes")
                )
                #expect(lines[1].hasPrefix("[WARNING] network - GET https://api.example.com/b?token=<redacted>: "))
                #expect(lines[2].contains("/c?token=<redacted> → "))
                #expect(
                    lines[3].hasPrefix("[DEBUG] network - GET https://api.example.com/c?token=<redacted>: 200, 4 bytes")
                )
                #expect(lines.dropFirst(3).allSatisfy { $0.contains("took=") })
                #expect(!text.contains("s3cret"))
            }
        }

        @Test("Successes below the threshold are not written, failures are")
        func threshold() async {
            await #expect(processExitsWith: .success) {
                LogSystem.start(LogConfiguration(threshold: .warning, sinks: []))
                var configuration = ClientConfiguration()
                configuration.observers.append(.lines(to: Log("network"), at: .verbose))
                let client = NetworkClient(configuration, transport: StubTransport(["GET /a": .text("four")]))
                _ = try await client.send(NetworkRequest(.get, HTTPURL("https://api.example.com/a")))
                #expect(LogSystem.liveLog == "")
                _ = try? await client.send(NetworkRequest(.get, HTTPURL("https://api.example.com/absent")))
                #expect(LogSystem.liveLog.contains("[WARNING] network - GET https://api.example.com/absent"))
            }
        }
    #endif
}
