import Foundation
import Synchronization
import Testing

@testable import AshlarTool

/// The progress of long work.
@Suite struct ProgressTests {
    /// What an output printed to the standard error, and a signal for each part.
    private final class Printed: Sendable {
        let text = Mutex("")
        let parts = DispatchSemaphore(value: 0)

        func output(isTerminal: Bool) -> ToolOutput {
            let terminal = Terminal(isTerminal: isTerminal, width: 80, usesColor: false)
            return ToolOutput(
                terminal: terminal, errorTerminal: terminal, out: { _ in },
                error: { [self] part in
                    text.withLock { $0 += part }
                    parts.signal()
                })
        }
    }

    @Test(
        "Work longer than a second shows its title on a terminal, which is erased at the end", .timeLimit(.minutes(5)))
    func long() throws {
        let printed = Printed()
        let result = printed.output(isTerminal: true).working("Reading a\nb") {
            printed.parts.wait(timeout: .now() + 30) == .success ? 7 : 0
        }
        #expect(result == 7)
        let text = printed.text.withLock { $0 }
        #expect(text.hasPrefix("\r\u{1B}[KReading a\\nb … 1 s") && text.hasSuffix("\r\u{1B}[K"), "\(text)")
    }

    @Test("Short work, failing work and work without a terminal print nothing", arguments: [true, false])
    func short(isTerminal: Bool) {
        let printed = Printed()
        let output = printed.output(isTerminal: isTerminal)
        #expect(output.working("Reading") { 7 } == 7)
        #expect(throws: ToolError.self) { try output.working("Reading") { throw ToolError.reported } }
        #expect(printed.text.withLock { $0.isEmpty })
    }
}
