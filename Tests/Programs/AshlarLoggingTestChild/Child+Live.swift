import AshlarLogging

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

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
}
