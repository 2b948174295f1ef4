/// The calls of the originals by names of their own, for code that is moved over line by line.
extension LogSystem {
    /// The log of this run: FTToolBox's `FTgetLogAsString`; the same as ``liveLog``.
    public static var logAsString: String { liveLog }

    /// The log of the run before, whether that crashed or not: FTToolBox's `FTgetCrashLogAsString`.
    ///
    /// Empty if there was none; ``priorRun`` also tells how it ended.
    public static var crashLogAsString: String { priorRun?.log ?? "" }

    /// Sets the threshold of all: FTToolBox's `FTsetLogSeverity`; the same as setting ``threshold``.
    ///
    /// - Returns: The name of the level in FTToolBox, such as `FT_ERROR`.
    @discardableResult
    public static func setLogSeverity(_ level: LogLevel) -> String {
        threshold = level
        return level.toolBoxName
    }

    /// Where SquidKit's `Log` prints: presets of the master switch.
    public enum Output: Hashable, Sendable {
        /// Everywhere.
        case always
        /// In the simulator only; on systems without one this is ``never``.
        case simulator
        /// Nowhere.
        case never

        /// What the preset makes of ``LogSystem/isEnabled`` here.
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
