// The results of the actions, which the owner of the machine reports.
extension ServiceMachine {
    /// Reports the end of a `make`.
    mutating func made(attempt: UInt64, error: (any Error)? = nil) -> [Action] {
        perform { machine in
            guard let name = machine.attempts[attempt], let entry = machine.entries[name] else { return }
            switch (entry.phase, error) {
            case (.making, nil): machine.becomeRunning(name)
            case (.making, let error?):
                machine.fail(name, EventBusError(.serviceFailed, subject: name.text, underlying: error))
            case (.abortingMake, nil):
                machine.entries[name]?.phase = .stopping
                machine.actions.append(.stop(name, attempt: attempt))
            case (.abortingMake, _?): machine.fail(name, entry.startError ?? CancellationError())
            default: break
            }
        }
    }

    /// Reports the end of a `stop`, with the error that it threw.
    mutating func stopEnded(attempt: UInt64, error: (any Error)? = nil) -> [Action] {
        perform { machine in
            guard let name = machine.attempts[attempt], let entry = machine.entries[name], entry.phase == .stopping
            else { return }
            machine.endStop(
                name,
                (error ?? entry.runError).map {
                    EventBusError(
                        .serviceFailed, subject: name.text, expected: "a stop without an error", underlying: $0)
                })
        }
    }

    /// Reports the end of `run()`.
    mutating func runEnded(attempt: UInt64, error: (any Error)? = nil) -> [Action] {
        perform { machine in
            guard let name = machine.attempts[attempt], let entry = machine.entries[name] else { return }
            guard [.running, .awaitingUsers, .stopping].contains(entry.phase) else { return }
            // The end of a cancelled task isn't a failure.
            let wasCancelled = entry.phase == .stopping || machine.shutdown?.isCancelling == true
            let cause = wasCancelled && error is CancellationError ? nil : error
            let error = cause.map { EventBusError(.serviceFailed, subject: name.text, underlying: $0) }
            if let error, entry.phase == .running, machine.pause(name, error) { return }
            if error != nil || entry.phase == .running { machine.actions.append(.conclude(name, error)) }
            if error != nil { machine.markUnclean(name) }
            if entry.phase == .stopping {
                machine.entries[name]?.runError = cause
                return
            }
            machine.endAttempt(name)
            machine.set(name, error == nil ? .stopped : .failed, error)
            if entry.phase == .running { return machine.settle(name) }
            // A stop still waits for the services that use this one.
            if let error { machine.entries[name]?.endError = error }
            machine.work.append(.checkUsers(name))
        }
    }

    /// Reports that a timer has fired.
    mutating func timerFired(_ timer: Timer) -> [Action] {
        perform { machine in
            switch timer {
            case .request(let waiter, let limit):
                guard let name = machine.waiters[waiter]?.name else { return }
                let error = EventBusError(
                    .serviceOverran, subject: name.text, expected: "a start within \(limit)", found: "no end of it")
                machine.withdraw(waiter, error, isOverrun: true)
            case .deadline(let attempt): if let name = machine.attempts[attempt] { machine.expire(name) }
            case .grace(let attempt): if let name = machine.attempts[attempt] { machine.abandon(name) }
            case .restart(let name, let attempt):
                guard let entry = machine.entries[name], entry.attempt == attempt, entry.phase == .pausing else {
                    return
                }
                machine.beginIfPossible(name)
            case .stable(let attempt):
                if let name = machine.attempts[attempt] { machine.entries[name]?.restarts = 0 }
            }
        }
    }
}
