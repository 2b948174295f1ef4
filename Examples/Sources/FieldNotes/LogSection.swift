import Ashlar

extension FieldNotes {
    /// Shows how the previous run ended, and its log.
    func showPriorRun() {
        screen.heading("Previous run")
        guard let prior = app.logging?.priorRun else {
            screen.quiet("None in \(options.logs). Start the sample again to see this one.")
            return
        }
        screen.row("ended", verdict(prior.outcome))
        screen.row("started", "\(prior.startedAt)")
        screen.row("lost lines", "\(prior.lostLines)")
        screen.text(prior.log.isEmpty ? "(empty)" : trimmed(prior.log))
    }

    /// Shows the log file of this run.
    func showLog() {
        screen.heading("This run's log")
        if case .file(let path)? = app.logging?.storage { screen.quiet(path) }
        screen.text(trimmed(LogSystem.liveLog))
    }

    private func verdict(_ outcome: LogRunOutcome) -> String {
        switch outcome {
        case .clean: "cleanly"
        case .signalled(let signal): "by signal \(signal)"
        case .unclean: "not cleanly: killed or crashed; its log follows"
        case .machineRestarted: "with a restart of the machine"
        case .stillRunning: "not yet; it is running"
        }
    }

    private func trimmed(_ log: String) -> String { log.hasSuffix("\n") ? String(log.dropLast()) : log }
}
