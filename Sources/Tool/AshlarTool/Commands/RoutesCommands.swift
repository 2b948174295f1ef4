import AshlarCore
import AshlarTooling

extension Command {
    /// The command `routes`.
    static let routes: Command = Command(
        "routes", "Lists, explains and checks the routes of a file.",
        discussion: """
            Each line of the file is the name of a route and its pattern, such as 'note /notes/:id(int)'. Empty lines and
            lines that begin with # are ignored.
            """,
        commands: [listRoutes, explainRoute, checkRoutes])

    private static let file = Operand("FILE", .file)

    private static let listRoutes = Command(
        "list", "Lists the routes in the order in which they are tried.", operands: [file], options: [.json]
    ) { invocation, output in
        let routes = try RouteFile(invocation.operands[0])
        let table = try RouteTable(routes.lines.map(\.pattern))
        var listing = Listing("pattern", "name", "location")
        for pattern in table.patterns {
            let line = routes.lines.first { $0.pattern == pattern }
            listing.add(
                .string(pattern), line.map { .string($0.name) } ?? .null,
                line.map { .string("\(invocation.operands[0]):\($0.number)") } ?? .null)
        }
        output.list(listing, asJSON: invocation.has("--json"))
        return .success
    }

    private static let explainRoute = Command(
        "explain", "Prints the route of a URL, and the values of its parameters.",
        operands: [file, Operand("URL", .text)]
    ) { invocation, output in
        let table = try RouteTable(try RouteFile(invocation.operands[0]).lines.map(\.pattern))
        do throws(EventBusError) {
            let match = try table.match(invocation.operands[1])
            output.lines("\(match)  \(match.parameters)")
            return .success
        } catch {
            output.lines("\(error)")
            return .problems
        }
    }

    private static let checkRoutes = Command(
        "check", "Reports malformed patterns, conflicts and repeated names.", operands: [file], options: [.json]
    ) { invocation, output in
        let name = invocation.operands[0]
        let routes = try RouteFile(name)
        var (patterns, names): ([String], Set<String>) = ([], [])
        var findings = Listing("location", "name", "text")
        func report(_ line: RouteFile.Line, _ text: String) {
            findings.add(.string("\(name):\(line.number)"), .string(line.name), .string(text))
            if !invocation.has("--json") { output.problem("error: \(name):\(line.number): \(text)") }
        }
        for line in routes.lines {
            if !names.insert(line.name).inserted { report(line, "the name '\(line.name)' is used before") }
            do throws(EventBusError) {
                _ = try RouteTable(patterns + [line.pattern])
                patterns.append(line.pattern)
            } catch {
                report(line, "\(error)")
            }
        }
        if invocation.has("--json") {
            output.list(findings, asJSON: true)
        } else if findings.rows.isEmpty {
            output.line("\(routes.lines.count) routes without conflicts")
        }
        return findings.rows.isEmpty ? .success : .problems
    }
}

/// The routes of a file by name.
struct RouteFile {
    struct Line {
        let number: Int
        let name: String
        let pattern: String
    }

    private(set) var lines: [Line] = []

    init(_ path: String) throws(ToolError) {
        let text = String(decoding: try ToolOutput.contents(path), as: UTF8.self)
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.split(whereSeparator: \.isWhitespace)
            if words.isEmpty || words[0].hasPrefix("#") { continue }
            guard words.count == 2 else {
                throw .problem("\(path):\(index + 1): expected a name and a pattern, found '\(line)'")
            }
            lines.append(Line(number: index + 1, name: String(words[0]), pattern: String(words[1])))
        }
    }
}
