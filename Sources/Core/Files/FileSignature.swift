internal import CAshlarCore

/// Distinguishes a changed file from an unchanged one without reading it.
///
/// Two signatures of one path differ if the file was replaced, resized, written or had its times set in between, unless
/// both writes fell within one tick of the file system's clock: see ``isFresh(at:)``. The change time is part of a
/// signature because programs can restore the modification time.
package struct FileSignature: Hashable, Sendable {
    /// A time of the wall clock.
    package struct Time: Hashable, Sendable {
        /// Seconds since 1970-01-01T00:00:00Z.
        package var seconds: Int64
        /// The nanoseconds after `seconds`.
        package var nanoseconds: Int32

        package init(seconds: Int64, nanoseconds: Int32) { (self.seconds, self.nanoseconds) = (seconds, nanoseconds) }

        package static var now: Time {
            var nanoseconds: Int32 = 0
            let seconds = ashlar_core_wall_clock(&nanoseconds)
            return Time(seconds: seconds, nanoseconds: nanoseconds)
        }
    }

    package var device: UInt64
    package var inode: UInt64
    package var size: Int64
    package var modified: Time
    /// When the content or the metadata last changed; programs can't set it.
    package var changed: Time

    package init(device: UInt64, inode: UInt64, size: Int64, modified: Time, changed: Time) {
        (self.device, self.inode, self.size) = (device, inode, size)
        (self.modified, self.changed) = (modified, changed)
    }

    /// Creates the signature of the file at a path, following links, or nil if there is none.
    package init?(_ path: String) {
        guard let status = FileStatus(path) else { return nil }
        self = status.signature
    }

    /// Whether the file changed so recently that another write might leave the same signature.
    ///
    /// A reader that finds a fresh signature must compare the content, or look again later. Linux stamps files with
    /// the time of the last timer tick, at most 10 ms ago; file systems without nanoseconds stamp whole or even
    /// seconds.
    package func isFresh(at now: Time = .now) -> Bool {
        let isCoarse = modified.nanoseconds == 0 && changed.nanoseconds == 0
        let limit: Int64 = isCoarse ? 2_000_000_000 : 15_000_000
        return [modified, changed].contains { stamp in
            let (age, overflow) = now.seconds.subtractingReportingOverflow(stamp.seconds)
            // A stamp from the future says nothing about the age, so it isn't fresh forever.
            guard !overflow, (-1...2).contains(age) else { return false }
            return age * 1_000_000_000 + Int64(now.nanoseconds) - Int64(stamp.nanoseconds) < limit
        }
    }
}
