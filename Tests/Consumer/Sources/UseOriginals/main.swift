import AshlarLogging
import AshlarOriginals

LogSystem.start(LogConfiguration(sinks: []))
precondition(FTToolBox.FTsetLogSeverity(FT_DEBUGGING) == "FT_DEBUGGING" && FTToolBox.FTgetLogAsString().isEmpty)
print("AshlarOriginals: \(FTToolBox.FTsetLogSeverity(FT_INFORMATION))")
