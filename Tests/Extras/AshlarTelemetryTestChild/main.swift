// A program that logs to a collector that can't be reached, until the process is killed. It prints each number that a
// flush wrote into the folder. The tests of AshlarTelemetry start it.
//
//     AshlarTelemetryTestChild <folder> <id>

import AshlarLogging
import AshlarNetworking
import AshlarTelemetry

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

let arguments = CommandLine.arguments
guard arguments.count == 3 else {
    print("usage: AshlarTelemetryTestChild <folder> <id>")
    exit(2)
}
// The tests start this program from threads that block all signals, and it would inherit that.
var signals = sigset_t()
sigfillset(&signals)
sigprocmask(SIG_UNBLOCK, &signals, nil)

/// Prints text for the test immediately.
func say(_ text: String) {
    var text = text
    _ = text.withUTF8 { write(1, $0.baseAddress, $0.count) }
}

let offline = StubTransport { _ throws(NetworkError) in throw NetworkError(.timedOut) }
let sink = OTLPSink(
    to: try HTTPURL("http://localhost:4318/v1/logs"), client: NetworkClient(transport: offline), batchLines: 8,
    maximumBytes: 64 << 20, spillFolder: arguments[1])
var configuration = LogConfiguration(threshold: .verbose, sinks: [sink])
configuration.readsEnvironment = false
LogSystem.start(configuration)
say("ready\n")
let id = arguments[2]
let log = Log(id)
for index in 1... {
    log.info("\(id) \(index)")
    guard index % 5 == 0 else { continue }
    LogSystem.flush()
    say("\(index)\n")
}
