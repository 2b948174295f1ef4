internal import AshlarCore

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

    var base: String {
        "run-\(startedAt.digits(19))-\(processID)-\(tag.digits(4, radix: 16))"
    }

    var stateFile: String { base + ".state" }

    static func < (left: RunName, right: RunName) -> Bool {
        if left.startedAt != right.startedAt { return left.startedAt < right.startedAt }
        return (left.processID, left.tag) < (right.processID, right.tag)
    }
}

/// The run and the part of the run that a file name refers to.
struct RunFile: Hashable, Sendable {
    enum Part: Hashable, Comparable, Sendable {
        case state
        /// A segment of the log; the name of the first one contains no number.
        case segment(Int)
        /// The lines of a process that can't append to the segments: a forked child or a signal handler.
        case child(Int)
    }

    var run: RunName
    var part: Part

    var name: String {
        switch part {
        case .state: run.base + ".state"
        case .segment(0): run.base + ".log"
        case .segment(let number): run.base + ".\(number).log"
        case .child(let pid): run.base + ".child\(pid).log"
        }
    }

    /// Parses a name; returns nil for the name of any other file.
    ///
    /// Other files in the folder are never opened or removed.
    init?(name: String) {
        guard let parsed = LogText.withBytes(name, { Self.parse($0) }) else { return nil }
        self = parsed
    }

    init(run: RunName, part: Part) { (self.run, self.part) = (run, part) }

    /// Parses bytes instead of a string, because a start parses every name in the folder.
    static func parse(_ bytes: LogText) -> RunFile? {
        var reader = NameReader(bytes: bytes)
        guard reader.take("run-"), let time = reader.number(of: 19...19),
            time <= RunName.latestStart, reader.take("-"),
            let pid = reader.number(of: 1...10), let processID = Int32(exactly: pid), reader.take("-"),
            let tag = reader.hexadecimal(), reader.take(".")
        else { return nil }
        let run = RunName(startedAt: time, processID: processID, tag: tag)
        if reader.isAtEnd(with: "state") { return RunFile(run: run, part: .state) }
        if reader.isAtEnd(with: "log") { return RunFile(run: run, part: .segment(0)) }
        let isChild = reader.take("child")
        guard let number = reader.number(of: 1...10), number > 0, reader.isAtEnd(with: ".log") else { return nil }
        return RunFile(run: run, part: isChild ? .child(Int(number)) : .segment(Int(number)))
    }
}

/// Reads the parts of a name from left to right.
private struct NameReader {
    let bytes: LogText
    var position = 0

    @inline(__always)
    mutating func take(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard bytes.count - position >= count else { return false }
        for index in 0..<count where bytes[position + index] != text.utf8Start[index] { return false }
        position += count
        return true
    }

    @inline(__always)
    mutating func isAtEnd(with text: StaticString) -> Bool {
        bytes.count - position == text.utf8CodeUnitCount && take(text)
    }

    @inline(__always)
    mutating func number(of digits: ClosedRange<Int>) -> Int64? {
        var value: Int64 = 0
        let first = position
        while position < bytes.count, position - first < digits.upperBound, 48...57 ~= bytes[position] {
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(Int64(bytes[position] - 48))
            guard !overflow, !carry else { return nil }
            value = sum
            position += 1
        }
        return digits.contains(position - first) ? value : nil
    }

    @inline(__always)
    mutating func hexadecimal() -> UInt16? {
        guard bytes.count - position >= 4 else { return nil }
        var value: UInt16 = 0
        for index in position..<(position + 4) {
            let byte = bytes[index]
            switch byte {
            case 48...57: value = value << 4 | UInt16(byte - 48)
            case 97...102: value = value << 4 | UInt16(byte - 87)
            default: return nil
            }
        }
        position += 4
        return value
    }
}
