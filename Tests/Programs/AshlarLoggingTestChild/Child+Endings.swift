import AshlarLogging

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

// Swift hides `fork`, because most of a process can't continue in a child. Here a child only ends.
@_silgen_name("fork") private func systemFork() -> Int32

#if os(Linux)
    // `ptrace` has a variable number of arguments, which Swift doesn't import.
    @_silgen_name("ptrace") private func systemTrace(
        _ request: Int, _ pid: Int32, _ address: UnsafeMutableRawPointer?, _ data: UnsafeMutableRawPointer?
    ) -> Int
#endif

/// Writes to an address that no memory has.
func crash(at address: Int = 16) { UnsafeMutablePointer<Int>(bitPattern: address)?.pointee = 1 }

/// Calls itself until the stack overflows.
@inline(never) func overflow(_ depth: Int) -> Int {
    var numbers = (depth, depth)
    return withUnsafePointer(to: &numbers) { overflow($0.pointee.0 + 1) } + numbers.1
}

extension Child {
    /// Logs a line and ends in the way of the option `how`.
    func logAndEnd() {
        if option("how") == "handled-null" { signal(SIGUSR1) { _ in } }
        if option("handles") == "abort" { signal(SIGABRT) { _ in } }
        LogSystem.start(configuration)
        Log("End").info("the last line")
        switch option("how") {
        case "exit": exit(0)
        case "exit3": exit(3)
        case "shutdown":
            LogSystem.shutdown()
            kill(getpid(), SIGKILL)
        case "_exit": _exit(0)
        #if !canImport(Darwin)
            case "quick_exit": quick_exit(0)
        #endif
        case "abort": abort()
        case "raise-abort":
            raise(SIGABRT)
            exit(0)
        case "receive-abort":
            // Another process sends the signal.
            let pid = systemFork()
            if pid == 0 { _exit(kill(getppid(), SIGABRT)) }
            while waitpid(pid, nil, 0) != pid {}
            kill(getpid(), SIGKILL)
        case "background":
            LogSystem.noteBackground(true)
            if option("then") == "foreground" { LogSystem.noteBackground(false) }
            if option("then") == "crash" { crash() }
            if option("then") == "shutdown" { LogSystem.shutdown() }
            kill(getpid(), SIGKILL)
        case "helper-null":
            // A fault on a thread of the module.
            let sink = ClosureSink { _ in
                crash()
                return true
            }
            LogSystem.start(withSink(sink.queued()))
            Log("End").info("for the sink")
            LogSystem.flush()
        #if os(Linux)
            case "traced": traceCrash()
        #endif
        case "overflow-main": say("\(overflow(0))")
        case "overflow-thread":
            onThread {
                Log("End").info("on a thread")
                _ = overflow(0)
            }
        case "threads":
            // Stacks for signal handlers end with their threads.
            for _ in 0..<2000 { onThread { Log("End").info("on a thread") } }
            say("\(mappings())")
        case "overflow-task":
            Task {
                Log("End").info("in a task")
                _ = overflow(0)
            }
            while true { sleep(1) }
        case "wild":
            // A call of an address that isn't code.
            typealias Code = @convention(c) () -> Void
            let page = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
            unsafeBitCast(page, to: Code.self)()
        case "trap": fatalError("as asked")
        case "handled-null":
            // A signal that a handler takes before the crash.
            raise(SIGUSR1)
            crash(at: number("address", or: 16))
        case "null": crash(at: number("address", or: 16))
        case "exec": execute()
        case "fork-exit":
            // A child that ends normally doesn't end the run.
            let pid = systemFork()
            if pid == 0 { exit(0) }
            waitpid(pid, nil, 0)
            kill(getpid(), SIGKILL)
        case "fork-fine":
            // Neither does one that a signal ends.
            let pid = systemFork()
            if pid == 0 { kill(getpid(), SIGKILL) }
            waitpid(pid, nil, 0)
        case "fork-crash":
            // A child that has not started a log writes nothing and doesn't end the run.
            let pid = systemFork()
            if pid == 0 {
                Log("End").info("from the child")
                LogSystem.noteBackground(true)
                LogSystem.signalSafe("from the child")
                LogSystem.flush()
                LogSystem.shutdown()
                raise(SIGUSR1)
                crash()
            }
            while waitpid(pid, nil, 0) != pid {}
            Log("End").info("the last line")
            kill(getpid(), SIGKILL)
        case "daemon":
            if systemFork() != 0 { exit(0) }
            if option("own") != nil { LogSystem.start(configuration) }
            Log("Daemon").info("from the daemon")
            say("\(getpid())")
            while true { sleep(1) }
        case let how?:
            if let signal = Int32(how) { kill(getpid(), signal) }
        case nil: break
        }
    }

    /// Runs a function on a new thread and waits for its end.
    private func onThread(_ body: @escaping @Sendable () -> Void) {
        final class Work: Sendable {
            let body: @Sendable () -> Void
            init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        }
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let work = Unmanaged.passRetained(Work(body)).toOpaque()
        pthread_create(
            &thread, nil,
            { pointer in
                // On Apple systems, the pointer isn't optional.
                let work: UnsafeMutableRawPointer? = pointer
                if let work { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body() }
                return nil
            }, work)
        #if canImport(Darwin)
            if let thread { pthread_join(thread, nil) }
        #else
            pthread_join(thread, nil)
        #endif
    }

    /// The number of the process's mappings; 0 if the system doesn't show them.
    private func mappings() -> Int {
        guard let file = fopen("/proc/self/maps", "r") else { return 0 }
        defer { fclose(file) }
        var lines = 0
        while case let byte = getc(file), byte != EOF { if byte == 10 { lines += 1 } }
        return lines
    }

    private func withSink(_ sink: some LogSink) -> LogConfiguration {
        var configuration = configuration
        configuration.sinks = [sink]
        return configuration
    }

    #if os(Linux)
        /// Crashes in a child process, and prints the signals and their codes that a debugger of the child sees.
        private func traceCrash() {
            let pid = systemFork()
            if pid == 0 {
                _ = systemTrace(0, 0, nil, nil)
                crash()
            }
            var status: Int32 = 0
            while waitpid(pid, &status, 0) == pid, status & 0xFF == 0x7F {
                let signal = status >> 8 & 0xFF
                // A `siginfo_t` begins with the signal, an error and the code.
                var information = [Int32](repeating: 0, count: 32)
                _ = information.withUnsafeMutableBytes { systemTrace(0x4202, pid, nil, $0.baseAddress) }
                say("signal \(signal) code \(information[2])")
                _ = systemTrace(7, pid, nil, UnsafeMutableRawPointer(bitPattern: Int(signal)))
            }
            say("ended by \(status & 0x7F)")
        }
    #endif

    private func execute() {
        let name = strdup("true")
        var arguments: [UnsafeMutablePointer<CChar>?] = [name, nil]
        execv("/bin/true", &arguments)
        execv("/usr/bin/true", &arguments)
    }

    /// Writes more than the file-size limit allows, with the limit's signal at its default.
    func exceedFileSizeLimit() {
        let bytes = rlim_t(number("limit", or: 20_000))
        var limit = rlimit(rlim_cur: bytes, rlim_max: bytes)
        #if canImport(Glibc)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        #else
            setrlimit(RLIMIT_FSIZE, &limit)
        #endif
        LogSystem.start(configuration)
        let log = Log("Limit")
        for index in 1...2000 { log.info("line \(index) end") }
        LogSystem.flush()
        say("alive \(LogSystem.liveLog.utf8.count { $0 == 10 }) \(LogSystem.counters.lost)")
    }

    /// Prints to a standard error stream without a reader.
    func logIntoBrokenPipe() {
        var ends: [Int32] = [0, 0]
        pipe(&ends)
        dup2(ends[1], 2)
        close(ends[0])
        close(ends[1])
        var configuration = configuration
        configuration.sinks = [StandardErrorSink(format: .myLogger)]
        LogSystem.start(configuration)
        for index in 1...10 { Log("Pipe").info("line \(index)") }
        say("alive \(LogSystem.liveLog.utf8.count { $0 == 10 }) \(LogSystem.counters.failedInSinks)")
    }

    /// Closes every descriptor, as daemons do, and opens files on the same numbers.
    func logWithClosedDescriptors() {
        close(0)
        close(2)
        var configuration = configuration
        configuration.sinks = [StandardErrorSink(format: .myLogger)]
        LogSystem.start(configuration)
        let log = Log("Closed")
        log.info("line 1")
        for descriptor in Int32(3)..<2048 { close(descriptor) }
        for index in 2...10 { log.info("line \(index)") }
        // The lowest numbers now belong to something else.
        let precious = folder + "-precious"
        for descriptor in Int32(3)..<2048 { close(descriptor) }
        for _ in 0..<8 { _ = open(precious, O_CREAT | O_RDWR, 0o600) }
        for index in 11...1000 { log.info("line \(index)") }
        LogSystem.flush()
        say("alive \(LogSystem.liveLog.utf8.count { $0 == 10 })")
    }

    /// Fills the disk with log lines, makes room, and continues.
    func fillTheDisk() {
        LogSystem.start(configuration)
        let log = Log("Full")
        let padding = String(repeating: "x", count: 80)
        var index = 0
        while LogSystem.counters.lost < 100, index < 200_000 {
            index += 1
            log.info("line \(index) \(padding) end")
        }
        unlink(folder + "/ballast")
        LogSystem.flush()
        index += 1
        log.info("line \(index) \(padding) end")
        say("\(index) \(LogSystem.counters.lost)")
    }

    /// Logs from a signal handler.
    func logFromSignalHandler() {
        LogSystem.start(configuration)
        Log("Handler").info("before")
        if option("zero") != nil {
            signal(SIGUSR1) { _ in LogSystem.signalSafe("caught \0 USR1") }
        } else {
            signal(SIGUSR1) { _ in LogSystem.signalSafe("caught USR1") }
        }
        raise(SIGUSR1)
        Log("Handler").info("behind")
        say(LogSystem.liveLog)
    }
}
