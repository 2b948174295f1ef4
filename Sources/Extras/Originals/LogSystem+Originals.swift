public import AshlarLogging

/// Calls of FTToolBox, MyLogger and SquidKit, for code that is ported line by line.
extension LogSystem {
    /// The log of this run: FTToolBox's `FTgetLogAsString`; the same as `liveLog`.
    public static var logAsString: String { liveLog }

    /// The log of the prior run, whether it crashed or not: FTToolBox's `FTgetCrashLogAsString`.
    ///
    /// The string is empty if there is no prior run. For how the run ended, see `PriorRun.outcome`.
    public static var crashLogAsString: String { priorRun?.log ?? "" }

    /// Sets the global threshold: FTToolBox's `FTsetLogSeverity`; the same as setting `threshold`.
    ///
    /// - Returns: The name of the level in FTToolBox, such as `FT_ERROR`.
    @discardableResult
    public static func setLogSeverity(_ level: LogLevel) -> String {
        threshold = level
        return level.row.toolBox
    }

    /// Sets the pattern of `format` without changing indent and time style: MyLogger's `setFormat:`.
    ///
    /// - Throws: An error that describes a malformed pattern; the format is then unchanged.
    public static func setFormat(_ pattern: String) throws {
        var format = try LogFormat(pattern)
        let before = self.format
        format.indentCharacter = before.indentCharacter
        format.indentWidth = before.indentWidth
        format.continuesLines = before.continuesLines
        format.usesLocalTime = before.usesLocalTime
        format.hasMicroseconds = before.hasMicroseconds
        self.format = format
    }

    /// The output of SquidKit's `Log`: presets of the master switch.
    public enum Output: Hashable, Sendable {
        /// Everywhere.
        case always
        /// In the simulator only; on other systems the same as ``never``.
        case simulator
        /// Nowhere.
        case never

        /// The value of `LogSystem.isEnabled` for the preset on this system.
        public var isEnabled: Bool {
            switch self {
            case .always: return true
            case .never: return false
            case .simulator:
                #if targetEnvironment(simulator)
                    return true
                #else
                    return false
                #endif
            }
        }
    }

    /// Sets the master switch to a preset: `LogSystem.setOutput(.never)`.
    public static func setOutput(_ output: Output) { isEnabled = output.isEnabled }
}

/// FTToolBox's names of levels.
extension LogLevel {
    /// FTToolBox's `FT_INFORMATION`: `info`.
    public static var information: LogLevel { .info }
    /// FTToolBox's `FT_DEBUGGING`: `debug`.
    public static var debugging: LogLevel { .debug }
}
