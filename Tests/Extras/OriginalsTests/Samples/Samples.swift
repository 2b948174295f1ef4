import AshlarOriginals
import Testing

/// The samples of the original documentation, word for word, with their documented results.
///
/// They use what the whole process shares, such as the log, so they run one after the other.
@Suite(.serialized, .timeLimit(.minutes(5))) struct Samples {
    /// Starts a new log in a folder, without a time in its lines.
    static func startLog(in folder: SampleFolder, format: LogFormat = .myLogger) {
        var configuration = LogConfiguration(folder: folder.path, threshold: .verbose, sinks: [])
        configuration.format = format
        configuration.readsEnvironment = false
        LogSystem.start(configuration)
    }

    /// Ends a log, so that its folder can be removed.
    static func endLog() {
        LogSystem.shutdown()
        LogSystem.start(LogConfiguration(sinks: []))
    }
}
