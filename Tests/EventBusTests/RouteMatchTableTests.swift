import AshlarEventBus
import Testing

@Suite("The table of matches")
struct RouteMatchTableTests {
    static let rows = RouteRow.table(segmentTable) + RouteRow.table(urlTable)

    @Test("A path matches with the route and values of its row", arguments: rows)
    func row(_ row: RouteRow) throws {
        let table = try RouteTable(row.patterns, options: row.options)
        if let promised = row.promisedError {
            let error = routeError { _ = try table.match(row.input) }
            #expect(error?.code.description == promised.code)
            if let offset = promised.offset { #expect(error?.offset == offset) }
            #expect(!table.contains(row.input))
        } else {
            let match = try table.match(row.input)
            let values = match.parameters.description
            #expect(values.isEmpty ? match.pattern == row.outcome : "\(match.pattern) \(values)" == row.outcome)
            #expect(table.contains(row.input))
        }
    }

    @Test("The matching route doesn't depend on the order of registration", arguments: rows)
    func order(_ row: RouteRow) throws {
        guard row.patterns.count > 1 else {
            #expect(row.patterns.count == 1)
            return
        }
        func outcome(_ patterns: [String]) throws -> String {
            let table = try RouteTable(patterns, options: row.options)
            do {
                let match = try table.match(row.input)
                return "\(match.pattern) \(match.parameters)"
            } catch {
                return "\(error.code)"
            }
        }
        let first = try outcome(row.patterns)
        #expect(try outcome(row.patterns.reversed()) == first)
        #expect(try outcome(Array(row.patterns.dropFirst()) + row.patterns.prefix(1)) == first)
    }

    @Test("The table is as long as promised")
    func size() { #expect(Self.rows.count >= 200, "\(Self.rows.count) rows") }
}

/// A row of a text table: the input, the expected outcome and the tested behavior.
///
/// A table is text. `@` begins a block with the patterns that are registered, separated by two spaces, and options in
/// brackets before them; every other line is `input -> outcome ; behavior`. An outcome that begins with `!` is the
/// code of an error, with `@` and its offset if one is expected.
struct RouteRow: Sendable, CustomTestStringConvertible {
    var patterns: [String]
    var options: RouterOptions
    var input: String
    var outcome: String
    var behaviour: String

    var testDescription: String { "\(behaviour): \(input) -> \(outcome)" }

    static func table(_ text: String) -> [RouteRow] {
        var rows: [RouteRow] = []
        var (patterns, options): ([String], RouterOptions) = ([], RouterOptions())
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            if line.hasPrefix("@") {
                (patterns, options) = block(line.dropFirst())
                continue
            }
            guard let arrow = line.firstRange(of: " -> "), let semicolon = line.firstRange(of: " ; ") else {
                preconditionFailure("a row needs -> and ; in \(line)")
            }
            rows.append(
                RouteRow(
                    patterns: patterns, options: options, input: trimmed(line[..<arrow.lowerBound]),
                    outcome: trimmed(line[arrow.upperBound..<semicolon.lowerBound]).replacing("_NONE_", with: "")
                        .replacing("_SPACE_", with: " "),
                    behaviour: trimmed(line[semicolon.upperBound...])))
        }
        return rows
    }

    private static func block(_ line: Substring) -> ([String], RouterOptions) {
        var options = RouterOptions()
        var words = line.split(separator: " ").map(String.init)
        while let word = words.first, word.hasPrefix("[") {
            switch word {
            case "[strict]": options.ignoresTrailingSlash = false
            case "[nocase]": options.isCaseSensitive = false
            case "[types]": options.types = types
            default: preconditionFailure("unknown option \(word)")
            }
            words.removeFirst()
        }
        return (words.map { $0.replacing("_SPACE_", with: " ") }, options)
    }

    /// The types that `[types]` registers.
    static let types = [
        RouteParameterType("month") { text in Int(text).map { (1...12).contains($0) && text.utf8.count == 2 } ?? false
        },
        RouteParameterType("even") { text in Int(text).map { $0 % 2 == 0 } ?? false },
    ]

    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return String(text)
    }

    /// The code and offset of the expected error.
    var promisedError: (code: String, offset: Int?)? {
        guard outcome.hasPrefix("!") else { return nil }
        let parts = outcome.dropFirst().split(separator: "@")
        return (String(parts[0]), parts.count > 1 ? Int(parts[1]) : nil)
    }
}
