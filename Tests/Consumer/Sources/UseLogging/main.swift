import AshlarLogging

let capture = CapturingSink()
LogSystem.start(LogConfiguration(threshold: .debugging, sinks: [capture]))
Log("Consumer").debug("one line of \(1)")
LogSystem.flush()
precondition(capture.records.map(\.message) == ["one line of 1"])
print("AshlarLogging alone: \(LogSystem.liveLog)", terminator: "")
