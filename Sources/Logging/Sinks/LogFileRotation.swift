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
        /// A change of the offset from UTC moves the end of the period by the same amount.
        func end(after second: Int64) -> Int64 {
            let length: Int64 = self == .hourly ? 3600 : 86_400
            let local = second + Int64(SystemCalls.localOffset(at: second))
            let end = (local >= 0 ? local / length : (local - length + 1) / length) * length + length
            let guess = end - Int64(SystemCalls.localOffset(at: second))
            return max(second + 1, end - Int64(SystemCalls.localOffset(at: guess)))
        }
    }

    /// The maximum size of a file in bytes; a line that would exceed it is written to a new file.
    public var maximumBytes: Int
    /// The times at which a file ends independently of its size.
    public var schedule: Schedule?
    /// The number of old files to retain, at least 1.
    public var retainedFiles: Int
    /// The maximum age of old files since their last line, which is checked when a file ends.
    public var maximumAge: Duration?
    /// Whether old files are compressed with gzip, if the system has zlib.
    public var compresses: Bool

    /// Creates a rotation; by default the file never ends.
    public init(
        maximumBytes: Int = .max, schedule: Schedule? = nil, retainedFiles: Int = 1, maximumAge: Duration? = nil,
        compresses: Bool = false
    ) {
        (self.maximumBytes, self.schedule) = (max(1, maximumBytes), schedule)
        (self.retainedFiles, self.maximumAge, self.compresses) = (max(1, retainedFiles), maximumAge, compresses)
    }
}
