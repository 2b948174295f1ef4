/// The name of a run's files: `run-<nanoseconds, 19 digits>-<pid>-<4 hex digits>`.
///
/// Names sort by the start of the run. The digits at the end tell runs apart that one process starts in the same
/// nanosecond.
struct RunName: Hashable, Comparable {
    var startedAt: Int64
    var processID: Int32
    var tag: UInt16

    var base: String {
        let time = String(startedAt)
        let hex = String(tag, radix: 16)
        return "run-" + String(repeating: "0", count: max(0, 19 - time.utf8.count)) + time + "-\(processID)-"
            + String(repeating: "0", count: 4 - hex.utf8.count) + hex
    }

    var stateFile: String { base + ".state" }

    static func < (left: RunName, right: RunName) -> Bool {
        if left.startedAt != right.startedAt { return left.startedAt < right.startedAt }
        return (left.processID, left.tag) < (right.processID, right.tag)
    }
}

/// What a file in the folder of runs is.
struct RunFile: Hashable {
    enum Part: Hashable, Comparable {
        case state
        /// A part of the log; the first has no number in its name.
        case segment(Int)
        /// What a forked child wrote where it could not share the segments of its parent.
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

    /// Reads a name strictly: anything else in the folder is not ours and is never opened or removed.
    init?(name: String) {
        var name = name
        let parsed = name.withUTF8 { Self.parse($0) }
        guard let parsed else { return nil }
        self = parsed
    }

    init(run: RunName, part: Part) { (self.run, self.part) = (run, part) }

    static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> RunFile? {
        var rest = bytes[...]
        guard take("run-", from: &rest), let time = number(of: 19...19, from: &rest), take("-", from: &rest),
            let pid = number(of: 1...10, from: &rest), let processID = Int32(exactly: pid), take("-", from: &rest),
            let tag = hexadecimal(from: &rest), take(".", from: &rest)
        else { return nil }
        let run = RunName(startedAt: time, processID: processID, tag: tag)
        if rest.elementsEqual("state".utf8) { return RunFile(run: run, part: .state) }
        if rest.elementsEqual("log".utf8) { return RunFile(run: run, part: .segment(0)) }
        let isChild = take("child", from: &rest)
        guard let number = number(of: 1...10, from: &rest), number > 0, rest.elementsEqual(".log".utf8) else {
            return nil
        }
        return RunFile(run: run, part: isChild ? .child(Int(number)) : .segment(Int(number)))
    }

    private static func take(_ text: StaticString, from rest: inout UnsafeBufferPointer<UInt8>.SubSequence) -> Bool {
        text.withUTF8Buffer {
            guard rest.starts(with: $0) else { return false }
            rest = rest.dropFirst($0.count)
            return true
        }
    }

    private static func number(
        of digits: ClosedRange<Int>, from rest: inout UnsafeBufferPointer<UInt8>.SubSequence
    ) -> Int64? {
        var value: Int64 = 0
        var count = 0
        while let byte = rest.first, 48...57 ~= byte, count < digits.upperBound {
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(Int64(byte - 48))
            guard !overflow, !carry else { return nil }
            value = sum
            rest = rest.dropFirst()
            count += 1
        }
        return digits.contains(count) ? value : nil
    }

    private static func hexadecimal(from rest: inout UnsafeBufferPointer<UInt8>.SubSequence) -> UInt16? {
        guard rest.count >= 4 else { return nil }
        var value: UInt16 = 0
        for byte in rest.prefix(4) {
            switch byte {
            case 48...57: value = value << 4 | UInt16(byte - 48)
            case 97...102: value = value << 4 | UInt16(byte - 87)
            default: return nil
            }
        }
        rest = rest.dropFirst(4)
        return value
    }
}
