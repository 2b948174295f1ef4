import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarLogging

/// The decisions of a file with continuations, without files.
@Suite struct SegmentPlanTests {
    enum Operation: Sendable {
        case write(String)
        case flush, rotate, reopen
        /// A second passes.
        case wait
    }

    /// An operation with its expected calls and their results, and whether the line is stored at its end.
    struct Step: Sendable {
        let operation: Operation
        var calls: [(SegmentPlan.Call, SegmentPlan.Outcome)] = []
        var isStored = true
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var size: Int64 = 10
        var checkInterval = 100
        var interval: Duration?
        var waitingBytes = 32
        let steps: [Step]

        init(
            _ title: String, size: Int64 = 10, checkInterval: Int = 100, interval: Duration? = nil,
            waitingBytes: Int = 32, _ steps: [Step]
        ) {
            testDescription = title
            self.size = size
            self.checkInterval = checkInterval
            self.interval = interval
            self.waitingBytes = waitingBytes
            self.steps = steps
        }
    }

    private static func append(_ text: String) -> SegmentPlan.Call { .append(Array(text.utf8)[...]) }
    private static let file = SegmentPlan.Outcome.file(size: 10, limit: 20)
    private static let empty = SegmentPlan.Outcome.file(size: 0, limit: 20)
    private static let fullDisk = Step(
        operation: .write("ab\n"), calls: [(append("ab\n"), .failed(ENOSPC))])
    private static let recovery: [(SegmentPlan.Call, SegmentPlan.Outcome)] = [(.makeRoom, .madeRoom), (.check, file)]

    static let cases: [Case] = [
        Case("a line is one write", [Step(operation: .write("ab\n"), calls: [(append("ab\n"), .appended(3))])]),
        Case(
            "a short write continues",
            [Step(operation: .write("ab\n"), calls: [(append("ab\n"), .appended(2)), (append("\n"), .appended(1))])]),
        Case(
            "a line that doesn't fit begins a file", size: 18,
            [
                Step(
                    operation: .write("ab\n"), calls: [(.rotate(room: 3), empty), (append("ab\n"), .appended(3))])
            ]),
        Case(
            "a long line doesn't end an empty file", size: 0,
            [
                Step(
                    operation: .write("0123456789012345678901234\n"),
                    calls: [(append("0123456789012345678901234\n"), .appended(26))])
            ]),
        Case(
            "without a new file, the current one continues", size: 18,
            [
                Step(
                    operation: .write("ab\n"),
                    calls: [(.rotate(room: 3), .failed(EACCES)), (append("ab\n"), .appended(3))])
            ]),
        Case(
            "a full mapped file without a successor is opened without a mapping", size: 18,
            [
                Step(
                    operation: .write("ab\n"),
                    calls: [
                        (.rotate(room: 3), .failed(EACCES)), (append("ab\n"), .failed(EFBIG)),
                        (.rotate(room: 3), .failed(EACCES)), (.open, file), (append("ab\n"), .appended(3)),
                    ])
            ]),
        Case(
            "at the limit of file sizes, the whole line begins a file",
            [
                Step(
                    operation: .write("ab\n"),
                    calls: [
                        (append("ab\n"), .appended(1)), (append("b\n"), .failed(EFBIG)), (.rotate(room: 3), empty),
                        (append("\nab\n"), .appended(4)),
                    ])
            ]),
        Case(
            "a line that is too long for a new file waits",
            [
                Step(
                    operation: .write("ab\n"),
                    calls: [
                        (append("ab\n"), .failed(EFBIG)), (.rotate(room: 3), empty), (append("ab\n"), .failed(EFBIG)),
                    ])
            ]),
        Case(
            "a closed descriptor is opened again",
            [
                Step(
                    operation: .write("ab\n"),
                    calls: [(append("ab\n"), .failed(EBADF)), (.open, file), (append("ab\n"), .appended(3))])
            ]),
        Case(
            "a file that can't be opened lets lines wait",
            [
                Step(operation: .write("ab\n"), calls: [(append("ab\n"), .failed(EBADF)), (.open, .failed(ENOENT))]),
                Step(
                    operation: .flush,
                    calls: [(.check, .failed(ENOENT)), (.open, file), (append("ab\n"), .appended(3))]),
            ]),
        Case(
            "nothing written without an error is an error",
            [
                Step(operation: .write("ab\n"), calls: [(append("ab\n"), .appended(0))]),
                Step(operation: .flush, calls: [(.check, file), (append("ab\n"), .appended(3))]),
            ]),
        Case(
            "lines wait on a full disk and follow in order",
            [
                fullDisk, Step(operation: .write("cd\n")), Step(operation: .wait),
                Step(
                    operation: .write("ef\n"),
                    calls: recovery + [(append("ab\ncd\n"), .appended(6)), (append("ef\n"), .appended(3))]),
                Step(operation: .write("gh\n"), calls: [(.rotate(room: 3), empty), (append("gh\n"), .appended(3))]),
            ]),
        Case(
            "a line in the middle of which the file ends is written again on a new line",
            [
                Step(
                    operation: .write("ab\n"),
                    calls: [(append("ab\n"), .appended(1)), (append("b\n"), .failed(ENOSPC))]),
                Step(operation: .flush, calls: recovery + [(append("\nab\n"), .appended(4))]),
            ]),
        Case(
            "of a message of two lines, only the unwritten one waits",
            [
                Step(
                    operation: .write("ab\ncd\n"),
                    calls: [(append("ab\ncd\n"), .appended(3)), (append("cd\n"), .failed(ENOSPC))]),
                Step(operation: .flush, calls: recovery + [(append("cd\n"), .appended(3))]),
            ]),
        Case(
            "dropped lines are reported first", waitingBytes: 6,
            [
                fullDisk, Step(operation: .write("cd\n"), calls: recovery + [(append("ab\n"), .failed(ENOSPC))]),
                Step(operation: .write("ef\n"), calls: recovery + [(append("ab\ncd\n"), .failed(ENOSPC))]),
                Step(operation: .flush, calls: recovery + [(append("1 lost\ncd\nef\n"), .appended(13))]),
            ]),
        Case(
            "lines that are written in part continue after the last whole one",
            [
                fullDisk, Step(operation: .write("cd\n")),
                Step(
                    operation: .flush,
                    calls: recovery + [
                        (append("ab\ncd\n"), .appended(4)), (append("\ncd\n"), .failed(ENOSPC)),
                    ]),
                Step(operation: .flush, calls: recovery + [(append("\ncd\n"), .appended(4))]),
            ]),
        Case(
            "a file that is no longer the named one is opened again", checkInterval: 1,
            [
                Step(operation: .write("a\n"), calls: [(append("a\n"), .appended(2))]),
                Step(
                    operation: .write("b\n"),
                    calls: [(.check, .failed(ENOENT)), (.open, empty), (append("b\n"), .appended(2))]),
                Step(operation: .write("c\n"), calls: [(append("c\n"), .appended(2))]),
                Step(operation: .write("d\n"), calls: [(.check, file), (append("d\n"), .appended(2))]),
            ]),
        Case(
            "without memory for waiting lines, a line isn't stored, and the next one tries again", waitingBytes: 0,
            [
                Step(
                    operation: .write("ab\n"),
                    calls: [(append("ab\n"), .appended(1)), (append("b\n"), .failed(ENOSPC))],
                    isStored: false),
                Step(
                    operation: .write("cd\n"), calls: recovery + [(append("\n1 lost\n"), .failed(ENOSPC))],
                    isStored: false),
                Step(
                    operation: .write("ef\n"),
                    calls: recovery + [
                        (append("\n2 lost\n"), .appended(8)), (.rotate(room: 3), empty),
                        (append("ef\n"), .failed(ENOSPC)),
                    ],
                    isStored: false),
            ]),
        Case(
            "a rotation ends a file that isn't empty",
            [
                Step(operation: .rotate, calls: [(.check, file), (.rotate(room: 0), empty)]),
                Step(operation: .rotate, calls: [(.check, empty)]),
                Step(
                    operation: .rotate, calls: [(.check, file), (.rotate(room: 0), .failed(EACCES))], isStored: false),
            ]),
        Case(
            "a file ends after the interval", interval: .milliseconds(1500),
            [
                Step(operation: .write("a\n"), calls: [(append("a\n"), .appended(2))]), Step(operation: .wait),
                Step(operation: .wait),
                Step(operation: .write("b\n"), calls: [(.rotate(room: 2), empty), (append("b\n"), .appended(2))]),
                Step(operation: .write("c\n"), calls: [(append("c\n"), .appended(2))]),
            ]),
        Case(
            "the end of a run opens a mapped file again",
            [
                Step(operation: .reopen, calls: [(.open, file)]),
                Step(operation: .write("ab\n"), calls: [(append("ab\n"), .appended(3))]),
            ]),
    ]

    @Test("Each result has its next call", arguments: cases)
    func calls(_ test: Case) {
        let time = Guarded<Int64>(0)
        var plan = SegmentPlan(
            checkInterval: test.checkInterval, interval: test.interval, waitingBytes: test.waitingBytes,
            clock: { time.withLock { $0 } }, notice: { lost, _ in Array("\(lost) lost\n".utf8) })
        plan.use(size: test.size, limit: 20)
        for (number, step) in test.steps.enumerated() {
            var call: SegmentPlan.Call
            switch step.operation {
            case .wait:
                time.withLock { $0 += SegmentPlan.nanosecondsBetweenAttempts }
                continue
            case .write(let line): call = plan.write(Array(line.utf8)[...])
            case .flush: call = plan.flush()
            case .rotate: call = plan.rotate()
            case .reopen: call = plan.reopen()
            }
            for (expected, outcome) in step.calls {
                #expect(call == expected, "step \(number)")
                call = plan.next(outcome)
            }
            #expect(call == .done(isStored: step.isStored), "step \(number)")
        }
    }

    /// A disk whose calls fail at random.
    private struct Disk {
        var random: SeededRandom
        var isHealthy = false
        var files: [[UInt8]] = [[]]

        mutating func result(of call: SegmentPlan.Call) -> SegmentPlan.Outcome {
            let fate = isHealthy ? 0 : Int.random(in: 0..<8, using: &random)
            let error = [ENOSPC, EBADF, EFBIG, EIO].randomElement(using: &random) ?? EIO
            switch call {
            case .append(let bytes):
                if fate == 7 { return .failed(error) }
                let count = fate == 6 ? Int.random(in: 0...bytes.count, using: &random) : bytes.count
                files[files.count - 1] += bytes.prefix(count)
                return .appended(count)
            case .rotate:
                if fate == 7 { return .failed(error) }
                files.append([])
                return .file(size: 0, limit: 200)
            case .check, .open:
                return fate >= 6 ? .failed(error) : .file(size: Int64(files[files.count - 1].count), limit: 200)
            case .makeRoom: return .madeRoom
            case .done: preconditionFailure("there is nothing to do")
            }
        }
    }

    @Test(
        "On a failing disk, each line is in the files once and in order, or counted",
        arguments: 1...200 as ClosedRange<UInt64>)
    func failingDisk(seed: UInt64) {
        var disk = Disk(random: SeededRandom(seed: seed))
        let time = Guarded<Int64>(0)
        var plan = SegmentPlan(
            checkInterval: 5, waitingBytes: 300, clock: { time.withLock { $0 } },
            notice: { lost, _ in Array("\(lost) lost\n".utf8) })
        func perform(_ first: SegmentPlan.Call) {
            var call = first
            for _ in 0..<1000 {
                if case .done = call { return }
                call = plan.next(disk.result(of: call))
            }
            Issue.record("an operation doesn't end")
        }
        for index in 0..<400 {
            if Int.random(in: 0..<10, using: &disk.random) == 0 { time.withLock { $0 += 2_000_000_000 } }
            perform(plan.write(Array("line \(index) end\n".utf8)[...]))
        }
        disk.isHealthy = true
        perform(plan.flush())
        #expect(!plan.isWaiting)
        let lines = disk.files.joined().split(separator: 10).map { String(decoding: $0, as: UTF8.self) }
        var found = lines.compactMap { $0.wholeMatch(of: /line (\d+) end/).flatMap { Int($0.1) } }
        // A line whose line end was missing is there twice, and so is such a report.
        found = found.enumerated().filter { $0.offset == 0 || found[$0.offset - 1] != $0.element }.map(\.element)
        #expect(found == found.sorted() && Set(found).count == found.count)
        #expect(found.count >= 400 - plan.dropped)
        let reported = lines.compactMap { $0.wholeMatch(of: /(\d+) lost/).flatMap { Int($0.1) } }.reduce(0, +)
        #expect(reported >= plan.dropped && plan.dropped < 400)
    }

    @Test("A torn line ends before the lines that wait")
    func tornLine() {
        var plan = SegmentPlan(checkInterval: 9, waitingBytes: 300)
        plan.use(size: 0, limit: 200)
        _ = plan.write(Array("abc\n".utf8)[...])
        _ = plan.next(.appended(1))
        _ = plan.next(.failed(ENOSPC))
        #expect(plan.unwritten == Array("\nabc\n".utf8))
    }
}
