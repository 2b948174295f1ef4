internal import AshlarBase

/// The name of a run's files: `run-<nanoseconds, 19 digits>-<pid>-<4 hex digits>`.
///
/// Names sort by the start of the run. The last digits distinguish runs that one process starts in the same nanosecond.
struct RunName: Comparable, Sendable {
    let startedAt: Int64
    let processID: Int32
    let tag: UInt16

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
struct RunFile: Equatable, Sendable {
    enum Part: Equatable, Sendable {
        case state
        /// A segment of the log; the name of the first one contains no number.
        case segment(Int)
        /// The lines of signal handlers, which can't append to a mapped segment.
        case child(Int)
        /// An empty file: a start has reported the failure of the run.
        case reported

        /// The place of a file with lines in the log; nil for other files.
        var place: Int64? {
            switch self {
            case .segment(let number): Int64(number)
            case .child(let pid): Int64(pid) + Self.firstChild
            case .state, .reported: nil
            }
        }

        init(place: Int64) {
            self = place < Self.firstChild ? .segment(Int(place)) : .child(Int(place - Self.firstChild))
        }

        private static let firstChild: Int64 = 1 << 40
    }

    let run: RunName
    let part: Part

    var name: String {
        switch part {
        case .state: run.base + ".state"
        case .segment(0): run.base + ".log"
        case .segment(let number): run.base + ".\(number).log"
        case .child(let pid): run.base + ".child\(pid).log"
        case .reported: run.base + ".reported"
        }
    }

    init(run: RunName, part: Part) {
        self.run = run
        self.part = part
    }

    /// Parses a name; returns nil for the name of any other file.
    ///
    /// Other files in the folder are never opened or removed.
    init?(name: String) {
        var rest = Array(name.utf8)[...]
        guard rest.skip("run-"), let startedAt = rest.number(), startedAt <= RunName.latestStart, rest.skip("-"),
            let processID = rest.number().flatMap({ Int32(exactly: $0) }), rest.skip("-"),
            let tag = rest.number(radix: 16).flatMap({ UInt16(exactly: $0) }), rest.skip(".")
        else { return nil }
        run = RunName(startedAt: startedAt, processID: processID, tag: tag)
        let isChild = rest.skip("child")
        let number = rest.number()
        switch String(decoding: rest, as: UTF8.self) {
        case "log" where number == nil: part = .segment(0)
        case "state": part = .state
        case "reported": part = .reported
        default:
            guard let number, 1...9_999_999_999 ~= number, let number = Int(exactly: number) else { return nil }
            part = isChild ? .child(number) : .segment(number)
        }
        // Signs, other zeros, capitals and other ends aren't part of a name.
        guard self.name == name else { return nil }
    }
}
