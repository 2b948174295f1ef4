import AshlarLogging

extension Child {
    /// Logs numbered lines for a collector that can't be reached, until the process is killed; prints each number that
    /// a flush wrote into the folder.
    func spill() {
        struct Offline: Error {}
        let sink = OTLPSink(batchLines: 8, maximumBytes: 64 << 20, spillFolder: folder) { _ in throw Offline() }
        var configuration = configuration
        configuration.folder = nil
        configuration.sinks = [sink]
        LogSystem.start(configuration)
        say("ready")
        let id = option("id") ?? "spill"
        let log = Log(id)
        for index in 1... {
            log.info("\(id) \(index)")
            guard index % 5 == 0 else { continue }
            LogSystem.flush()
            say("\(index)")
        }
    }
}
