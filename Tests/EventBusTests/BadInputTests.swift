import AshlarEventBus
import AshlarTestSupport
import Testing

@Suite("Bad input")
struct BadInputTests {
    @Test(
        "Malformed names are rejected with the offset of the error",
        arguments: [
            ("", 0), (":", 0), (":a", 0), ("a:", 2), ("a::b", 2), ("*", 0), ("a:*", 2), ("ab*c", 2), ("a:b:", 4),
            (String(repeating: "x", count: 256), 255), (String(repeating: "é", count: 128), 255),
        ])
    func names(name: String, offset: Int) {
        let error = #expect(throws: EventBusError.self) { try Topic<Int>(named: name) }
        #expect(error?.code == .malformedName)
        #expect(error?.offset == offset)
        #expect(error?.subject == name)
        let atTrigger = #expect(throws: EventBusError.self) { try EventBus().trigger(named: name, 1) }
        #expect(atTrigger?.offset == offset)
    }

    @Test(
        "Well-formed names are unchanged",
        arguments: ["a", "a:b", "network:on", "é", "日本:語", String(repeating: "x", count: 255), " ", "/notes/5"])
    func goodNames(name: String) throws {
        #expect(try Topic<Int>(named: name).name == name)
    }

    @Test(
        "Malformed patterns are rejected with the offset of the error",
        arguments: [
            ("", 0), (":", 0), ("a:", 2), ("a::*", 2), ("a*", 1), ("a:b*", 3), ("a:*b", 2), ("**:a", 0),
            ("a:**:b", 2), ("***", 0), ("a:\u{301}b*", 5), ("a:\u{301}:", 5), ("é*", 2), ("a:***", 2),
            (String(repeating: "x", count: 256), 255),
        ])
    func patterns(pattern: String, offset: Int) {
        let error = #expect(throws: EventBusError.self) { try TopicPattern(parsing: pattern) }
        #expect(error?.code == .malformedPattern)
        #expect(error?.offset == offset)
    }

    @Test(
        "The error of a pattern says what was found",
        arguments: [
            ("", "an empty pattern"), ("a:", "the end"), ("a::b", "':'"), ("**:a", "'**' before others"),
            ("a:b*", "'b*'"), (String(repeating: "x", count: 256), "256 bytes"),
        ])
    func foundInPattern(pattern: String, found: String) {
        let error = #expect(throws: EventBusError.self) { try TopicPattern(parsing: pattern) }
        #expect(error?.found == found)
    }

    @Test(
        "Patterns match names segment by segment",
        arguments: [
            ("a:b", "a:b", true), ("a:b", "a", false), ("a:b", "a:b:c", false), ("a:b", "a:c", false),
            ("a:*", "a:b", true), ("a:*", "a", false), ("a:*", "a:b:c", false), ("a:*", "b:b", false),
            ("*:b", "a:b", true), ("*:b", "b", false), ("*", "a", true), ("*", "a:b", false),
            ("a:*:c", "a:b:c", true), ("a:*:c", "a:b:d", false), ("a:*:c", "a:c", false),
            ("a:**", "a", true), ("a:**", "a:b", true), ("a:**", "a:b:c", true), ("a:**", "ab", false),
            ("a:**", "b", false), ("**", "a", true), ("**", "a:b:c", true), ("*:**", "a", true),
            ("*:**", "a:b", true), ("a:*:**", "a", false), ("a:*:**", "a:b", true), ("a:*:**", "a:b:c:d", true),
            ("é", "e\u{301}", true), ("a:\u{301}b", "a:\u{301}b", true), ("a:\u{301}b:*", "a:\u{301}b:c", true),
            ("*:c", "a:\u{301}b:c", false), ("*:*:c", "a:\u{301}b:c", true), ("a:**", "a:\u{301}b", true),
        ])
    func matching(pattern: String, name: String, isMet: Bool) throws {
        #expect(try TopicPattern(parsing: pattern).matches(name) == isMet)
        let bus = EventBus()
        let before = bus.watch(try TopicPattern(parsing: pattern)) { _ in }
        #expect(try bus.trigger(named: name).delivered == (isMet ? 1 : 0), "watched before the name was known")
        before.cancel()
        let topic = try Topic<Void>(named: name)
        let other = bus.watch(topic) { _ in }
        bus.trigger(topic)
        let after = bus.watch(try TopicPattern(parsing: pattern)) { _ in }
        #expect(bus.trigger(topic).delivered == (isMet ? 2 : 1), "watched after it")
        after.cancel()
        #expect(bus.trigger(topic).delivered == 1)
        other.cancel()
    }

    @Test("Random text is a name or an error with an offset inside it, and patterns agree with a slow matcher")
    func randomText() throws {
        var random = SeededRandom(seed: 6)
        for _ in 0..<20_000 {
            func text(_ letters: [Character]) -> String {
                String((0..<Int.random(in: 0...7, using: &random)).map { _ in letters.randomElement(using: &random)! })
            }
            let name = text(["a", "b", ":", "é", "\u{301}"])
            let pattern = text(["a", "b", ":", ":", "*", "*", "\u{301}"])
            do {
                _ = try Topic<Int>(named: name)
                guard let parsed = try? TopicPattern(parsing: pattern) else { continue }
                #expect(parsed.matches(name) == slowly(pattern, name), "\(pattern) \(name)")
            } catch {
                #expect((0...name.utf8.count).contains(error.offset ?? -1))
            }
        }
    }

    private func slowly(_ pattern: String, _ name: String) -> Bool {
        func meets(_ pattern: ArraySlice<[UInt8]>, _ name: ArraySlice<[UInt8]>) -> Bool {
            guard let first = pattern.first else { return name.isEmpty }
            if first == Array("**".utf8) { return true }
            guard let head = name.first, first == Array("*".utf8) || first == head else { return false }
            return meets(pattern.dropFirst(), name.dropFirst())
        }
        func split(_ text: String) -> ArraySlice<[UInt8]> { text.utf8.split(separator: 58).map { Array($0) }[...] }
        return meets(split(pattern), split(name))
    }

    @Test("A name bound to one payload type rejects another and names both source lines")
    func mismatch() throws {
        let bus = EventBus()
        let watch = bus.watch(Topic<Int>("x")) { _ in }
        let other = try Topic<String>(named: "x")
        let failures = Recorder<EventFailure>()
        bus.onFailure { failures.note($0) }
        #expect(!bus.watch(other) { _ in }.isLive)
        let error = try #require(failures.items.first?.error as? EventBusError)
        #expect(error.code == .payloadMismatch)
        #expect(error.location?.file == "AshlarEventBusTests/BadInputTests.swift")
        #expect(error.otherLocation?.line == (error.location?.line ?? 0) - 4)
        let receipt = bus.trigger(other, "text")
        #expect((receipt.failures.first as? EventBusError)?.code == .payloadMismatch)
        #expect(receipt.delivered == 0)
        watch.cancel()
    }

    #if os(Linux) || os(macOS)
        @Test("Programming errors stop the program with a message")
        func traps() async {
            await #expect(processExitsWith: .failure) { _ = Topic<Int>("a::b") }
            await #expect(processExitsWith: .failure) { _ = EventBuffer.newest(0) }
            await #expect(processExitsWith: .failure) { _ = try Topic<Int>(named: "x", keeping: -1) }
            await #expect(processExitsWith: .failure) { _ = EventBus(depthLimit: 0) }
            await #expect(processExitsWith: .failure) {
                let bus = EventBus()
                _ = bus.watch(Topic<Int>("x")) { _ in }
                _ = bus.watch(Topic<String>("x")) { _ in }
            }
        }
    #endif
}
