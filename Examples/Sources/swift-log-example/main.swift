// A library logs with swift-log, and its lines are in Ashlar's run file.
import AshlarLogging
import Logging

var configuration = LogConfiguration(folder: CommandLine.arguments.dropFirst().first ?? ".build/swift-log-example")
configuration.format = .logfmt
LogSystem.start(configuration)
LoggingSystem.bootstrap { AshlarLogHandler(label: $0) }

var logger = Logging.Logger(label: "library")
logger[metadataKey: "connection"] = .stringConvertible(7)
logger.log(level: .info, "connected", metadata: ["ms": .stringConvertible(12.5), "password": "hunter2"])
logger.log(level: .debug, "not written: below the default threshold of both")
let log = LogSystem.liveLog
print(log)
precondition(log.contains("level=INFO context=library msg=connected connection=7 ms=12.5 password=<redacted>"))
precondition(!log.contains("below the default threshold"))
