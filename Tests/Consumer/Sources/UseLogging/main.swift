import AshlarLogging

LogSystem.start(LogConfiguration(threshold: .debug, sinks: []))
let log = Log("Consumer")
log.debug("one line of \(1)")
log.indent(true)
log.verbose("below the threshold")
LogSystem.threshold = .verbose
precondition(log.isEnabled(.debug) && !log.isEnabled(.verbose))
log.verbose("compiled out")
precondition(LogSystem.liveLog.hasSuffix("[DEBUG] Consumer - one line of 1\n"))
print("AshlarLogging alone: \(LogSystem.liveLog)", terminator: "")
