import AshlarNetworking
import Foundation
import Testing

/// The routes of a file.
@Suite struct RouteCommandTests {
    private let files = [
        "Routes.txt": "# routes\nnote /notes/:id(int)\n\nnew   /notes/new\nany /notes/:name\n",
        "bad.txt": "a /x/:id\nb /x/:name\na /y\nc /z/:\n", "worse.txt": "only-a-name\n",
    ]

    @Test("Routes are listed in their order of precedence and explained for a URL")
    func routes() throws {
        try withFolder(files) { folder in
            let list = try ToolProcess.run(["routes", "list", "Routes.txt"], in: folder)
            #expect(
                list.output.split(separator: "\n").map { $0.split(separator: " ")[0] } == [
                    "/notes/new", "/notes/:id(int)", "/notes/:name",
                ])
            #expect(list.output.contains("Routes.txt:4"))
            let story = try ToolProcess.run(["routes", "explain", "Routes.txt", "/notes/new"], in: folder)
            #expect(story.status == 0 && story.output.contains("/notes/new -> /notes/new"))
            #expect(try ToolProcess.run(["routes", "explain", "Routes.txt", "/x"], in: folder).status == 1)
        }
    }

    @Test("Each malformed pattern, conflict and repeated name is reported with its line")
    func check() throws {
        try withFolder(files) { folder in
            let run = try ToolProcess.run(["routes", "check", "bad.txt"], in: folder)
            let lines = run.errors.split(separator: "\n")
            #expect(run.status == 1 && lines.count == 3, "\(run)")
            for (line, number) in zip(lines, [2, 3, 4]) { #expect(line.hasPrefix("error: bad.txt:\(number): ")) }
            let json = try ToolProcess.run(["routes", "check", "bad.txt", "--json"], in: folder)
            let findings = try JSONEntity(parsing: json.output)
            #expect(json.status == 1 && json.errors.isEmpty && findings.count == 3, "\(json)")
            #expect(findings[1]["location"].string() == "bad.txt:3" && findings[1]["name"].string() == "a")
            #expect(try ToolProcess.run(["routes", "check", "Routes.txt"], in: folder).output.hasPrefix("3 routes"))
            let worse = try ToolProcess.run(["routes", "check", "worse.txt"], in: folder)
            #expect(worse.status == 1 && worse.errors.contains("worse.txt:1: expected a name and a pattern"))
        }
    }

    @Test(
        "The other routes of a file with errors are listed, explained and reported, and the exit status is 1",
        arguments: [["routes", "list", "Routes.txt"], ["routes", "explain", "Routes.txt", "/x/5"], ["report", "."]])
    func errors(arguments: [String]) throws {
        let text = "a /x/:id(int)\nbroken\nb /x/:\na /z\nc /x/:key(int)\nd /d\n"
        try withFolder(["Routes.txt": text]) { folder in
            let run = try ToolProcess.run(arguments, in: folder)
            let file = arguments[0] == "report" ? "./Routes.txt" : "Routes.txt"
            let lines = run.errors.split(separator: "\n")
            #expect(run.status == 1 && lines.count == 4, "\(run.transcript)")
            for (line, number) in zip(lines, 2...) { #expect(line.hasPrefix("error: \(file):\(number): "), "\(line)") }
            #expect(!run.errors.contains("routeConflict") && !run.errors.contains("patternEmptyName"))
            let report = folder.appending(path: "report.html")
            let text = arguments[0] == "report" ? try String(contentsOf: report, encoding: .utf8) : run.output
            let found = text.replacing("\\/", with: "/")
            #expect(found.contains("/x/:id(int)") && !found.contains(":key(int)"))
        }
    }

    @Test("An explanation as JSON has the values with their types")
    func json() throws {
        let text = "all /n/:a(int)/:b(double)/:c(bool)/:d(uint)/:e\n"
        try withFolder(["Routes.txt": text]) { folder in
            let run = try ToolProcess.run(
                ["routes", "explain", "Routes.txt", "/n/-5/1.5/true/7/x%20y", "--json"], in: folder)
            let story = try JSONEntity(parsing: run.output)
            #expect(story["name"].string() == "all" && story["location"].string() == "Routes.txt:1", "\(run)")
            for part in ["\"a\": -5", "\"b\": 1.5", "\"c\": true", "\"d\": 7", "\"e\": \"x y\""] {
                #expect(run.output.contains(part), "\(run.output)")
            }
        }
    }

    @Test("Lines can end with CR LF")
    func carriageReturns() throws {
        try withFolder(["Routes.txt": "note /notes/:id\r\n\r\nhome /\r\nbad\r\n"]) { folder in
            let run = try ToolProcess.run(["routes", "list", "Routes.txt"], in: folder)
            #expect(run.output.contains("Routes.txt:3") && run.errors.hasPrefix("error: Routes.txt:4: "))
        }
    }
}
