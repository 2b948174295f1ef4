import AshlarLogging
import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarTelemetry

/// An ``OTLPSink`` and a collector over HTTP that doesn't work for a minute (`ASHLAR_SOAK=1`), or for half a second.
@Suite struct OutageTests {
    enum Outage: String, CaseIterable {
        case status503, noListener
    }

    /// A collector over HTTP.
    private final class Service: Sendable {
        private let received = Guarded<[String]>([])
        let isUnavailable = Guarded(false)

        /// The lines in the order in which they first arrived; a line can arrive again if its response was lost.
        var lines: [String] {
            var known: Set<String> = []
            return received.withLock { $0 }.filter { known.insert($0).inserted }
        }

        func listen(on port: Int = 0) throws -> FaultServer {
            try FaultServer(port: port) { [self] connection in
                while let request = connection.request() {
                    let isUnavailable = isUnavailable.withLock { $0 }
                    let lines = isUnavailable ? [] : (try? Collector.messages(request.body)) ?? ["malformed"]
                    received.withLock { $0 += lines }
                    let status = isUnavailable ? "503 Service Unavailable" : "200 OK"
                    connection.write(Array("HTTP/1.1 \(status)\r\nContent-Length: 2\r\n\r\n{}".utf8))
                }
            }
        }
    }

    @Test(
        "A collector that fails for a while loses no line, and lines stay in order", .timeLimit(.minutes(10)),
        arguments: Outage.allCases)
    func outage(_ outage: Outage) async throws {
        let service = Service()
        var server: FaultServer? = try service.listen()
        let port = try #require(server).port
        let collector = OTLPCollector(
            url: try HTTPURL("http://127.0.0.1:\(port)/v1/logs"), headers: [:], client: NetworkClient())
        let longestPause: Duration = isSoak ? .seconds(60) : .milliseconds(20)
        let sink = OTLPSink(
            OTLPDelivery(
                resource: [:], interval: min(.seconds(1), longestPause), batchLines: 512, maximumBytes: 64 << 20,
                send: { await collector.send($0) }, sleep: { try await Task.sleep(for: min($0, longestPause)) },
                note: { _ in }))
        var count = 0
        func log(_ lines: Int) {
            Collector.log(count..<count + lines, to: sink)
            count += lines
        }
        log(1000)
        try await until("the first lines arrive") { service.lines.count == count }
        switch outage {
        case .status503: service.isUnavailable.withLock { $0 = true }
        case .noListener: server?.stop()
        }
        // 200 lines a second, or more in the short form.
        for _ in 0..<(isSoak ? 600 : 50) {
            log(20)
            try await Task.sleep(for: .milliseconds(isSoak ? 100 : 10))
        }
        #expect(service.lines.count == 1000)
        switch outage {
        case .status503: service.isUnavailable.withLock { $0 = false }
        case .noListener: server = try service.listen(on: port)
        }
        log(1000)
        try await until("all lines arrive") { service.lines.count == count }
        #expect(service.lines == (0..<count).map { "line \($0)" })
        #expect(sink.lostLines == 0)
        server?.stop()
    }
}
