internal import AshlarCore

/// Formats dates.
enum ConfigDateText {
    /// Returns `YYYY-MM-DDThh:mm:ssZ`, with milliseconds if they aren't zero.
    static func format(secondsSince2001 seconds: Double) -> String {
        guard seconds.isFinite, abs(seconds) < 2e11 else { return "\(seconds)" }
        let milliseconds = Int64((seconds * 1000).rounded()) + RFC3339.secondsFrom1970To2001 * 1000
        let rest = (milliseconds % 1000 + 1000) % 1000
        return RFC3339.format(
            seconds: (milliseconds - rest) / 1000, nanoseconds: Int(rest) * 1_000_000, digits: rest == 0 ? 0 : 3)
    }
}
