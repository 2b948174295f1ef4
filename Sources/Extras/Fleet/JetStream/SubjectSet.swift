/// Relations of subjects with wildcards: `*` is one token, and `>` at the end one or more.
enum SubjectSet {
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

    /// Returns whether a subject with wildcards matches all that another one matches.
    static func covers(_ a: String, _ b: String) -> Bool {
        var rest = b.split(separator: ".")[...]
        for token in a.split(separator: ".") {
            guard let other = rest.popFirst() else { return false }
            if token == ">" { return true }
            guard token == other || token == "*" && other != ">" else { return false }
        }
        return rest.isEmpty
    }

    /// Returns the subjects without those that others cover, each once: a stream rejects subjects that overlap.
    ///
    /// - Complexity: O(*n*²) in the number of subjects.
    static func reduced(_ subjects: [String]) -> [String] {
        var result: [String] = []
        for subject in subjects where !result.contains(where: { covers($0, subject) }) {
            result.removeAll { covers(subject, $0) }
            result.append(subject)
        }
        return result
    }
}
