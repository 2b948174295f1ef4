import AshlarLogging

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

// Swift hides `fork`, because most of a process can't continue in a child. This program tests that logging can.
@_silgen_name("fork") private func systemFork() -> Int32

extension Child {
    /// Logs lines, waits until a file exists while other processes start, logs more lines and is killed.
    func logWhileOthersStart() {
        let how = option("how")
        if how == "handled" { signal(SIGUSR1) { _ in } }
        LogSystem.start(configuration)
        let log = Log("Live")
        log.info("line 0")
        switch how {
        case "handled": raise(SIGUSR1)
        case "shutdown": LogSystem.shutdown()
        case "orphan":
            let parent = getpid()
            if systemFork() != 0 { kill(parent, SIGKILL) }
            // The test judges the run when its writer is dead.
            while getppid() == parent { usleep(1000) }
        default: break
        }
        let count = number("count", or: 200)
        for index in 1...count { log.info("line \(index)") }
        say("\(getpid())")
        let signal = folder + "-continue"
        for _ in 0..<20_000 where access(signal, F_OK) != 0 { usleep(1000) }
        for index in count + 1...2 * count { log.info("line \(index)") }
        LogSystem.flush()
        say("done")
        kill(getpid(), SIGKILL)
    }

    /// Starts again in another folder or after a shutdown, handles a signal, and ends by one.
    func startTwiceAndCrash() {
        signal(SIGUSR1) { _ in }
        signal(SIGUSR2) { _ in LogSystem.signalSafe("from a handler") }
        var configuration = configuration
        configuration.notesSignals = option("second") == nil
        let second = folder
        if option("shutdown") == nil { configuration.folder = folder + "-first" }
        LogSystem.start(configuration)
        Log("First").info("line")
        if option("shutdown") != nil { LogSystem.shutdown() }
        configuration.folder = second
        configuration.notesSignals = true
        LogSystem.start(configuration)
        Log("Second").info("line")
        raise(SIGUSR1)
        raise(SIGUSR2)
        kill(getpid(), Int32(number("signal", or: Int(SIGTERM))))
    }

    /// Forks while threads use every kind of sink and store; each child logs through all of them.
    func forkAmongThreads() {
        var configuration = configuration
        configuration.rateLimit = .oneOf(3)
        configuration.collapsesRepeats = true
        configuration.recording = LogRecording(level: .verbose)
        let rotation = LogFileRotation(maximumBytes: 4000, retainedFiles: 3)
        configuration.sinks = [
            QueueSink(FileSink(path: folder + "-a.log", rotation: rotation), overflow: .dropOldest),
            QueueSink(QueueSink(ClosureSink { _ in true }), overflow: .dropOldest),
            FileSink(path: folder + "-b.log", rotation: rotation),
        ]
        LogSystem.start(configuration)
        for _ in 0..<3 {
            var thread = pthread_t(bitPattern: 0)
            pthread_create(&thread, nil, { _ in logBusily(lines: .max) }, nil)
        }
        // Swift's runtime has locks of its own for the first use of a type, which no program can hold during a fork.
        _ = logBusily(lines: 5000)
        logInChild(round: 0)
        for round in 1...number("count", or: 50) {
            let pid = systemFork()
            if pid == 0 {
                logInChild(round: round)
                _exit(7)
            }
            var status: Int32 = 0
            // A child that waits for a lock forever is killed by its alarm.
            for _ in 0..<10_000 where waitpid(pid, &status, WNOHANG) == 0 { usleep(1000) }
            guard status == 7 << 8 else {
                say("child \(round) ended with \(status)")
                kill(pid, SIGKILL)
                _exit(1)
            }
        }
        say("done")
        _exit(0)
    }
}

private func logInChild(round: Int) {
    let log = Log("child")
    for index in 0..<20 { log.error("line \(index) of \(round)", ["round\(round)": index]) }
    LogSystem.flush()
}

private func logBusily(lines: Int) -> UnsafeMutableRawPointer? {
    for index in 1...lines {
        let log = Log("thread \(index % 50)")
        log.error("line \(index % 7)", ["key\(index % 100)": index])
        log.indent(index % 2 == 0)
        if index % 20 == 0 { LogSystem.thresholds.contexts["other"] = .debug }
    }
    return nil
}
