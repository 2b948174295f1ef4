import AshlarLogging
import AshlarTesting
import Testing

/// Capture of log lines, through the public interface.
@Suite struct CapturingSinkTests {
    @Test("A capture receives all lines of its closure and child tasks, regardless of thresholds")
    func capture() async {
        let sink = CapturingSink()
        let other = CapturingSink()
        let log = Log("Capture")
        await sink.capture {
            log.verbose("one")
            await withTaskGroup(of: Void.self) { group in group.addTask { log.verbose("two") } }
            other.capture(at: .error) {
                log.error("three")
                log.debug("four")
            }
        }
        log.verbose("five")
        #expect(sink.records.map(\.message) == ["one", "two", "three", "four"])
        #expect(other.records.map(\.message) == ["three"], "the debug line is enabled for the other capture only")
        #expect(sink.lines[0] == "[VERBOSE] Capture - one")
        sink.removeAll()
        #expect(sink.records.isEmpty)
    }
}
