/// When a ``FileSink`` continues in a new file, and which old files it retains.
///
/// The old file is renamed to `path.1`, the previous one to `path.2`, and so on, with `.gz` if it is compressed.
public struct LogFileRotation: Hashable, Sendable {
    /// Times of the local clock at which a file ends.
    public enum Schedule: Hashable, Sendable {
        /// Each full hour.
        case hourly
        /// Each midnight.
        case daily

        /// Returns the end of the period that contains a second, in seconds since 1970.
        ///
        /// An hour in which the clock is set back lasts longer. A day ends later if the clock skips midnight.
        func end(after second: Int64, offset: (Int64) -> Int = SystemCalls.localOffset) -> Int64 {
            let length: Int64 = self == .hourly ? 3600 : 86_400
            func period(_ second: Int64) -> Int64 {
                let local = second + Int64(offset(second))
                return local >= 0 ? local / length : (local - length + 1) / length
            }
            let present = period(second)
            let localEnd = (present + 1) * length
            // The offset may change in between, and also at the end itself.
            let guess = localEnd - Int64(offset(second))
            let ends = [guess, localEnd - Int64(offset(guess))]
            var end = ends.sorted().first { $0 > second && period($0) > present } ?? second + length
            // A clock that skips the full hour ends the period at the skip.
            var last = second
            while end - last > 1 {
                let middle = last + (end - last) / 2
                if period(middle) > present { end = middle } else { last = middle }
            }
            return end
        }
    }

    /// The maximum size of a file in bytes; a line that would exceed it is written to a new file.
    public var maximumBytes: Int
    /// The times at which a file ends independently of its size.
    public var schedule: Schedule?
    /// The number of old files that are retained, from 1 to 10,000.
    public var retainedFiles: Int
    static let mostRetainedFiles = 10_000
    /// The age since their last line at which old files are removed, checked when a file ends.
    public var maximumAge: Duration?
    /// Whether old files are compressed with gzip, if the system has zlib.
    ///
    /// A file is compressed when no process has it open any more: processes that share the file close it within 256 lines
    /// after another one has renamed it, and the next rotation then compresses it.
    public var compresses: Bool

    /// Creates a rotation; by default the file never ends.
    public init(
        maximumBytes: Int = .max, schedule: Schedule? = nil, retainedFiles: Int = 1, maximumAge: Duration? = nil,
        compresses: Bool = false
    ) {
        self.maximumBytes = max(1, maximumBytes)
        self.schedule = schedule
        self.retainedFiles = max(1, retainedFiles)
        self.maximumAge = maximumAge
        self.compresses = compresses
    }
}
