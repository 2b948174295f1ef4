import AshlarLogging

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension Child {
    /// Logs a line, and continues as a program that prints the prior run.
    func logAndReplaceItself() {
        LogSystem.start(configuration)
        Log("Replace").info("before")
        say("process \(getpid())")
        let arguments = [CommandLine.arguments[0], "prior", folder]
        var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
        pointers.append(nil)
        execv(arguments[0], &pointers)
        say("exec failed: \(errno)")
    }

    /// Logs in segments, before and after it changes its working directory.
    func logAndChangeFolder() {
        var configuration = configuration
        configuration.sinks = [FileSink(path: "file.log", format: .myLogger, maximumBytes: 400)]
        LogSystem.start(configuration)
        let log = Log("Move")
        let padding = String(repeating: "x", count: 100)
        for index in 1...200 {
            if index == 100 { say("\(chdir("/"))") }
            log.debug("line \(index) \(padding)")
        }
        // The same folder, so the run continues.
        configuration.folder = option("absolute")
        say("\(LogSystem.start(configuration).priorRun == nil)")
    }

    /// Starts and ends runs; prints the numbers of descriptors, threads and mapped logs after the first one and at the end.
    func startAndEndManyTimes() {
        func cycle() {
            LogSystem.start(configuration)
            Log("Cycle").info("line")
            LogSystem.shutdown()
        }
        for _ in 0..<5 { cycle() }
        say(resources)
        for _ in 0..<number("count", or: 100) { cycle() }
        // A run stays in use until its thread ends. So the last start, which removes what is left, waits for the threads.
        _ = resources
        cycle()
        say(resources)
    }

    /// The open descriptors, threads and mapped logs of this process, where the system lists them.
    ///
    /// It waits at most five seconds for threads that are about to end.
    private var resources: String {
        func count(_ folder: String) -> Int {
            guard let stream = opendir(folder) else { return 0 }
            defer { closedir(stream) }
            var count = 0
            while readdir(stream) != nil { count += 1 }
            return count
        }
        for _ in 0..<5000 where count("/proc/self/task") > 3 { usleep(1000) }
        var mapped = 0
        if let maps = fopen("/proc/self/maps", "r") {
            var line = [CChar](repeating: 0, count: 4096)
            while fgets(&line, Int32(line.count), maps) != nil { if strstr(line, ".log\n") != nil { mapped += 1 } }
            fclose(maps)
        }
        return "\(count("/proc/self/fd")) descriptors, \(count("/proc/self/task")) threads, \(mapped) mapped"
    }
}
