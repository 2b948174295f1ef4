// Logs with indent to the standard error stream and to a file, and prints the log of the previous run.
import AshlarLogging

let folder = CommandLine.arguments.dropFirst().first ?? ".build/logging-example"
let report = LogSystem.start(LogConfiguration(folder: folder, threshold: .debug))
if let prior = report.priorRun {
    print("The prior run ended \(prior.outcome) and wrote:\n\(prior.log)")
} else {
    print("There is no prior run in \(folder); start me again.")
}

let log = Log("EntryFieldHelper")
log.debug("findNextEntryField")
log.indent(true)
log.verbose("not written: below the threshold, so \(expensive()) is never evaluated")
log.info("tag \(3)", ["field": "note", "keyboard": "text"])
log.indent(false).debug("findNextEntryField DONE")
print("This run wrote:\n\(LogSystem.liveLog)")

func expensive() -> String { fatalError("evaluated a message below the threshold") }
