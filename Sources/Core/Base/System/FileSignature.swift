internal import CAshlarCore

/// Distinguishes a changed file from an unchanged one without reading it.
///
/// Two signatures of one path differ if the file was replaced, resized or written, or if its times were set, in
/// between. There is one exception: two writes within one tick of the file system's clock; see ``isFresh(at:)``. A
/// signature contains the change time because programs can restore the modification time.
package struct FileSignature: Hashable, Sendable {
    /// A time of the wall clock.
    package struct Time: Hashable, Sendable {
        /// Seconds since 1970-01-01T00:00:00Z.
        package var seconds: Int64
        /// The nanoseconds after `seconds`.
        package var nanoseconds: Int32

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
    /// The time of the last change of content or metadata, which programs can't set.
    package var changed: Time
}

extension FileSignature {
    /// Creates the signature of the file at a path, following links, or nil if there is none.
    package init?(_ path: String) {
        guard let status = FileStatus(path) else { return nil }
        self = status.signature
    }

    /// Whether the file changed so recently that another write could result in the same signature.
    ///
    /// If a signature is fresh, a reader must compare the content, or check the file again later. Linux uses the time
    /// of the last timer tick, which is at most 10 ms ago. File systems without nanoseconds use whole or even seconds.
    package func isFresh(at now: Time = .now) -> Bool {
        let isCoarse = modified.nanoseconds == 0 && changed.nanoseconds == 0
        let limit: Int64 = isCoarse ? 2_000_000_000 : 15_000_000
        return [modified, changed].contains { stamp in
            let (age, overflow) = now.seconds.subtractingReportingOverflow(stamp.seconds)
            // A time in the future doesn't reveal the age, so the signature isn't fresh forever.
            guard !overflow, (-1...2).contains(age) else { return false }
            return age * 1_000_000_000 + Int64(now.nanoseconds) - Int64(stamp.nanoseconds) < limit
        }
    }
}
