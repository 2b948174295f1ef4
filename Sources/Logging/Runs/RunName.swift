internal import AshlarBase

/// The name of a run's files: `run-<nanoseconds, 19 digits>-<pid>-<4 hex digits>`.
///
/// Names sort by the start of the run. The last digits distinguish runs that one process starts in the same nanosecond.
struct RunName: Hashable, Comparable, Sendable {
    var startedAt: Int64
    var processID: Int32
    var tag: UInt16

    /// The latest start time of a name: the end of 2199.
    ///
    /// A later name would remain the newest one, because no clock reaches it.
    static let latestStart: Int64 = 7_258_118_399_999_999_999

    var base: String { "run-\(startedAt.digits(19))-\(processID)-\(tag.digits(4, radix: 16))" }

    var stateFile: String { base + ".state" }

    static func < (left: RunName, right: RunName) -> Bool {
        (left.startedAt, left.processID, left.tag) < (right.startedAt, right.processID, right.tag)
    }
}

/// The run and the part of the run that a file name refers to.
struct RunFile: Hashable, Sendable {
    enum Part: Hashable, Comparable, Sendable {
        case state
        /// A segment of the log; the name of the first one contains no number.
        case segment(Int)
        /// The lines of signal handlers, which can't append to a mapped segment.
        case child(Int)
        /// An empty file: a start has reported the failure of the run.
        case reported

        var isLog: Bool { self != .state && self != .reported }
    }

    var run: RunName
    var part: Part

    var name: String {
        switch part {
        case .state: run.base + ".state"
        case .segment(0): run.base + ".log"
        case .segment(let number): run.base + ".\(number).log"
        case .child(let pid): run.base + ".child\(pid).log"
        case .reported: run.base + ".reported"
        }
    }

}

extension RunFile {
    /// Parses a name; returns nil for the name of any other file.
    ///
    /// Other files in the folder are never opened or removed.
    init?(name: String) {
        guard name.hasPrefix("run-") else { return nil }
        var parts = name.split(separator: ".", omittingEmptySubsequences: false)
        let base = parts.removeFirst().split(separator: "-", omittingEmptySubsequences: false)
        guard base.count == 4, let startedAt = Int64(base[1]), 0...RunName.latestStart ~= startedAt,
            let processID = Int32(base[2]), processID >= 0, let tag = UInt16(base[3], radix: 16)
        else { return nil }
        switch (parts.count, parts.last) {
        case (1, "state"): part = .state
        case (1, "reported"): part = .reported
        case (1, "log"): part = .segment(0)
        case (2, "log"):
            let isChild = parts[0].hasPrefix("child")
            guard let number = Int(isChild ? parts[0].dropFirst(5) : parts[0]),
                1...9_999_999_999 ~= Int64(number)
            else { return nil }
            part = isChild ? .child(number) : .segment(number)
        default: return nil
        }
        run = RunName(startedAt: startedAt, processID: processID, tag: tag)
        // Signs, other zeros and capitals aren't part of a name.
        guard self.name == name else { return nil }
    }
}
