extension ApplicationConfig {
    /// The closure that receives the evaluations of flags.
    package var flagReport: (@Sendable (any Sendable) -> Void)? { snapshot.context.flagReport }

    /// Returns a copy that reports the evaluations of flags.
    package func reportingFlags(to report: @escaping @Sendable (any Sendable) -> Void) -> ApplicationConfig {
        var context = snapshot.context
        context.flagReport = report
        var config = self
        config.snapshot = ConfigSnapshot(snapshot, context: context)
        return config
    }
}
