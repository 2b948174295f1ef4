import AshlarLogging
import AshlarNetworking
import AshlarTelemetry

let transport = StubTransport(["POST /v1/logs": .status(200)])
let sink = OTLPSink(
    to: try HTTPURL("http://localhost:4318/v1/logs"), client: NetworkClient(transport: transport),
    interval: .seconds(1000))
LogSystem.start(LogConfiguration(threshold: .debug, sinks: [sink]))
Log("Consumer").debug("one line")
await sink.send()
precondition(transport.requests.count == 1 && sink.lostLines == 0)
precondition(LogReader(folder: "/nonexistent").lines().isEmpty)
print("AshlarTelemetry alone: \(transport.requests.count) request")
