import AshlarEventBus
import AshlarTestSupport
import Testing

@testable import AshlarFleet

@Suite("Subjects of topics")
struct EventSubjectsTests {
    @Test(
        "Names become subjects and come back",
        arguments: [
            ("a", "a"), ("a:b", "a.b"), ("note:v1.2", "note.v1%2E2"), ("big picture", "big%20picture"),
            ("a>b:100%", "a%3Eb.100%25"), ("$SYS:x", "%24SYS.x"), ("caf\u{e9}", "caf%C3%A9"),
            ("cafe\u{301}", "cafe%CC%81"), ("a\nb", "a%0Ab"), ("a:\u{1F600}", "a.%F0%9F%98%80"), ("a/b?c", "a/b?c"),
        ])
    func subjects(name: String, subject: String) throws {
        for prefix in ["", "app"] {
            let subjects = EventSubjects(prefix: prefix)
            let whole = prefix.isEmpty ? subject : "app.\(subject)"
            #expect(try subjects.subject(of: name) == whole)
            #expect(subjects.name(of: whole).map { Array($0.utf8) } == Array(name.utf8))
        }
    }

    @Test(
        "A subject that isn't that of a name has none",
        arguments: ["", ".", "a.", "a..b", "a:b", "a%2", "a%2e2", "%61", "a%FF", "*", "a.>", "a b", "%2A", "other.a"])
    func foreignSubjects(subject: String) {
        #expect(EventSubjects(prefix: subject == "other.a" ? "app" : "").name(of: subject) == nil)
        #expect(throws: EventBusError.self) { try EventSubjects().subject(of: "a::\(subject)") }
    }

    @Test("Random names survive as subjects, and the subjects of patterns match the same names", arguments: 0..<4)
    func randomSubjects(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let subjects = EventSubjects()
        func text(_ parts: [String]) -> String {
            (0..<Int.random(in: 1...4, using: &random)).map { _ in parts.randomElement(using: &random) ?? "a" }
                .joined(separator: ":")
        }
        for _ in 0..<500 {
            let name = text(["a", "b", "a.b", "a b", "%2E", ">", "\u{e9}", "$"])
            #expect(subjects.name(of: try subjects.subject(of: name)) == name)
            guard let pattern = try? TopicPattern(parsing: text(["a", "b", "a.b", "*", "**"])) else { continue }
            let tokens = try subjects.subject(of: name).split(separator: ".")
            let matches = subjects.subjects(of: pattern).contains { subject in
                let wanted = subject.split(separator: ".")
                for (index, token) in wanted.enumerated() {
                    if token == ">" { return tokens.count > index }
                    guard index < tokens.count, token == "*" || token == tokens[index] else { return false }
                }
                return wanted.count == tokens.count
            }
            #expect(matches == pattern.matches(name), "\(pattern) \(name)")
        }
    }

    @Test("The time of an event can be any number of milliseconds", arguments: ["\(Int64.max)", "\(Int64.min)", "0"])
    func anyTime(text: String) {
        let message = NatsMessage(subject: "a", payload: [], headers: ["Ashlar-Time": text])
        #expect(EventMetadata(of: message).fleetHeaders["Ashlar-Time"] == text)
    }
}
