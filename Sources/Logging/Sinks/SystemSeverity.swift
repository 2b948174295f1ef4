extension LogLevel {
    /// The severity of syslog (RFC 5424) and the systemd journal.
    ///
    /// The most severe level is 1 (alert) and not 0: an emergency is shown on every terminal of the machine.
    public var syslogSeverity: Int {
        switch self {
        case .unrecoverable: 1
        case .critical: 2
        case .error: 3
        case .warning: 4
        case .information: 5
        case .logging: 6
        case .debugging, .analytic, .verbose: 7
        }
    }
}
