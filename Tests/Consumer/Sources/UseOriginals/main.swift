import AshlarLogging
import AshlarOriginals

LogSystem.start(LogConfiguration(sinks: []))
precondition(LogSystem.setLogSeverity(.debugging) == "FT_DEBUGGING" && LogSystem.logAsString.isEmpty)
print("AshlarOriginals: \(LogSystem.setLogSeverity(.information))")
