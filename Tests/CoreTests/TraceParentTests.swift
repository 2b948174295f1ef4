import AshlarCore
import Testing

@Suite("W3C traceparent")
struct TraceParentTests {
    static let sample = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    @Test(
        "Valid values are parsed and printed unchanged",
        arguments: [
            (sample, sample),
            (
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"
            ),
            (
                "00-00000000000000000000000000000001-0000000000000001-01",
                "00-00000000000000000000000000000001-0000000000000001-01"
            ),
            // Flags without a meaning here are passed on.
            (
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-fe",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-fe"
            ),
            // A later version, also with more fields, is continued as version 00.
            ("01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", sample),
            ("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-the-future-holds", sample),
        ])
    func valid(text: String, printed: String) throws {
        let parent = try #require(TraceParent(parsing: text))
        #expect(parent.description == printed)
        #expect(TraceParent(parsing: parent.description) == parent)
    }

    @Test(
        "Invalid values are rejected",
        arguments: [
            "", "0", "00", "00-", "ff" + sample.dropFirst(2), "0G" + sample.dropFirst(2),
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7", sample + "-extra", sample + " ",
            "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.", " " + sample,
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0x",
            "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "00-é",
        ])
    func invalid(text: String) { #expect(TraceParent(parsing: text) == nil) }

    @Test("New traces differ, children share the trace")
    func children() throws {
        let parents = (0..<100).map { _ in TraceParent() }
        #expect(Set(parents.map(\.traceID)).count == 100)
        for parent in parents {
            #expect(TraceParent(parsing: parent.description) == parent && parent.isSampled)
            let child = parent.child()
            #expect(child.traceID == parent.traceID && child.parentID != parent.parentID && child != parent)
        }
        #expect(!TraceParent(isSampled: false).child().isSampled)
    }
}
