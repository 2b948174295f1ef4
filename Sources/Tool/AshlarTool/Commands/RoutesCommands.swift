import AshlarCore
import AshlarKeyGenerator
import AshlarTooling

extension Command {
    /// The command `routes`.
    static let routes: Command = Command(
        "routes", "Lists, explains and checks the routes of a file.",
        discussion: """
            Each line of the file is the name of a route and its pattern, such as 'note /notes/:id(int)'. Empty lines and
            lines that begin with # are ignored. Lines with errors are reported, and the exit status is then 1.
            """,
        commands: [listRoutes, explainRoute, checkRoutes])

    private static let file = Operand("FILE", .file)

    private static let listRoutes = Command(
        "list", "Lists the routes in the order in which they are tried.", operands: [file], options: [.json],
        examples: ["routes list Resources/Routes.txt"]
    ) { invocation, output in
        let routes = try Routes(invocation.operands[0])
        var listing = Listing("pattern", "name", "location")
        for pattern in routes.table.patterns {
            guard let line = routes.line(of: pattern) else { continue }
            listing.add(.string(pattern), .string(line.name), .string("\(routes.path):\(line.number)"))
        }
        output.list(listing, asJSON: invocation.has("--json"))
        return routes.reportProblems(output)
    }

    private static let explainRoute = Command(
        "explain", "Prints the route of a URL, and the values of its parameters.",
        operands: [file, Operand("URL", .text)], options: [.json],
        examples: ["routes explain Resources/Routes.txt notes://note/5"]
    ) { invocation, output in
        let routes = try Routes(invocation.operands[0])
        let status = routes.reportProblems(output)
        let match = try routes.table.match(invocation.operands[1])
        guard invocation.has("--json") else {
            output.lines("\(match)  \(match.parameters)")
            return status
        }
        let line = routes.line(of: match.pattern)
        output.json([
            "url": .string(match.url), "pattern": .string(match.pattern),
            "name": line.map { .string($0.name) } ?? .null,
            "location": line.map { .string("\(routes.path):\($0.number)") } ?? .null,
            "parameters": .dictionary(match.values(line?.pattern.parameters ?? [])),
        ])
        return status
    }

    private static let checkRoutes = Command(
        "check", "Reports malformed patterns, conflicts and repeated names.", operands: [file], options: [.json],
        examples: ["routes check Resources/Routes.txt"]
    ) { invocation, output in
        let routes = try Routes(invocation.operands[0])
        if invocation.has("--json") {
            var findings = Listing("location", "name", "text")
            for found in routes.problems {
                findings.add(.string("\(routes.path):\(found.number)"), .string(found.name), .string(found.text))
            }
            output.list(findings, asJSON: true)
            return routes.problems.isEmpty ? .success : .problems
        }
        if routes.problems.isEmpty { output.line("\(routes.lines.count) routes without conflicts") }
        return routes.reportProblems(output)
    }
}

/// The routes of a file, without those that have problems.
struct Routes {
    let path: String
    let table: RouteTable
    private(set) var lines: [RouteFile.Line] = []
    private(set) var problems: [RouteFile.Problem]

    init(_ path: String) throws {
        let file = RouteFile(try ToolOutput.contents(path), path: path)
        self.path = path
        problems = file.problems
        if let table = try? RouteTable(file.lines.map(\.pattern.source)) {
            (lines, self.table) = (file.lines, table)
            return
        }
        var table = try RouteTable([])
        for line in file.lines {
            do throws(EventBusError) {
                table = try RouteTable((lines + [line]).map(\.pattern.source))
                lines.append(line)
            } catch {
                problems.append(line.problem(error.plainText))
            }
        }
        self.table = table
        problems.sort { $0.number < $1.number }
    }

    func line(of pattern: String) -> RouteFile.Line? { lines.first { $0.pattern.source == pattern } }

    /// Prints each problem with its file and line.
    func reportProblems(_ output: ToolOutput) -> ToolStatus {
        for found in problems { output.problem("error: \(path):\(found.number): \(found.text)") }
        return problems.isEmpty ? .success : .problems
    }
}

extension RouteMatch {
    /// The values of parameters; those of numbers and Booleans have their types.
    fileprivate func values(_ list: [(name: String, type: String?)]) -> [String: ConfigValue] {
        var values: [String: ConfigValue] = [:]
        for (name, type) in list {
            let text = parameters[name] ?? ""
            switch type {
            case "int": values[name] = Int64(text).map { .integer($0) }
            case "uint": values[name] = UInt64(text).map { .unsigned($0) }
            case "double": values[name] = Double(text).map { .real($0) }
            case "bool": values[name] = Bool(text).map { .boolean($0) }
            default: break
            }
            values[name] = values[name] ?? .string(text)
        }
        return values
    }
}

extension EventBusError {
    /// The message without the name of the code, which is replaced by its words if nothing else states the problem.
    var plainText: String {
        let rest = description.dropFirst("\(code) ".count)
        if expected != nil { return String(rest) }
        return "\(code)".map { $0.isUppercase ? " \($0.lowercased())" : "\($0)" }.joined() + " " + rest
    }
}
