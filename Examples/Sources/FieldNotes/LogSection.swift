import Ashlar

extension FieldNotes {
    /// What became of the run before this one, and everything it logged.
    func showPriorRun() {
        screen.heading("The run before")
        guard let prior = app.logging.priorRun else {
            screen.quiet("There is none in \(options.logs); start the sample again to see this one.")
            return
        }
        screen.row("ended", verdict(prior.outcome))
        screen.row("started", "\(prior.startedAt)")
        screen.row("lost lines", "\(prior.lostLines)")
        screen.text(prior.log.isEmpty ? "(it logged nothing)" : trimmed(prior.log))
    }

    /// This run's own log, as it stands in its file.
    func showLog() {
        screen.heading("This run's log")
        if case .file(let path) = app.logging.storage { screen.quiet(path) }
        screen.text(trimmed(LogSystem.liveLog))
    }

    private func verdict(_ outcome: RunOutcome) -> String {
        switch outcome {
        case .clean: "cleanly"
        case .signalled(let signal): "by signal \(signal)"
        case .unclean: "not cleanly: killed, crashed or cut off; what it had logged is here"
        case .machineRestarted: "with the machine, which was started again since"
        case .stillRunning: "not yet: it is still running"
        }
    }

    private func trimmed(_ log: String) -> String { log.hasSuffix("\n") ? String(log.dropLast()) : log }
}
