internal import AshlarEventBus

/// The names, subjects and entries of the table of the events that were sent or received.
///
/// At most 4,096 results of conversions are stored.
final class TopicAddresses: Sendable {
    struct Address: Sendable {
        let name: String
        let subject: String
        /// The number of the entry; nil for a topic that stays in its process.
        let index: Int?
    }

    private let topics: FleetTopics
    private let subjects: EventSubjects
    private let byName = Shared([String: Address]())
    private let bySubject = Shared([String: Address]())

    init(_ topics: FleetTopics, _ subjects: EventSubjects) {
        self.topics = topics
        self.subjects = subjects
    }

    /// Returns the address of a name; nil if the name is malformed.
    func address(of name: String) -> Address? {
        if let known = byName.withLock({ $0[name] }) { return known }
        guard let subject = try? subjects.subject(of: name) else { return nil }
        return add(name, subject)
    }

    /// Returns the address of a subject; nil if it isn't the subject of any name.
    func address(ofSubject subject: String) -> Address? {
        if let known = bySubject.withLock({ $0[subject] }) { return known }
        return subjects.name(of: subject).map { add($0, subject) }
    }

    private func add(_ name: String, _ subject: String) -> Address {
        let new = Address(name: name, subject: subject, index: topics.index(of: name))
        for (book, key) in [(byName, name), (bySubject, subject)] {
            book.withLock { book in
                if book.count >= 4096 { book = [:] }
                book[key] = new
            }
        }
        return new
    }
}

/// Subjects as texts.
enum Subjects {
    /// Returns whether there is a subject that two subjects with wildcards both match.
    static func overlap(_ a: String, _ b: String) -> Bool {
        var rest = b.split(separator: ".")[...]
        for token in a.split(separator: ".") {
            guard let other = rest.popFirst() else { return false }
            if token == ">" || other == ">" { return true }
            guard token == other || token == "*" || other == "*" else { return false }
        }
        return rest.isEmpty
    }
}
