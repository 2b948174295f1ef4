import AshlarNetworking
import AshlarTesting
import Foundation
import Testing

/// Requests to a real server.
@Suite struct RequestCommandTests {
    private func server() throws -> TestServer {
        try TestServer { request in
            let type = request.headers["Content-Type"] ?? "none"
            let text = "\(request.method) \(request.target) \(type) \(request.headers["X-A"] ?? "-") \(request.text)"
            return .json(
                JSONEntity(object: [("echo", JSONEntity(text))]).text(), status: request.target == "/no" ? 404 : 200)
        }
    }

    @Test(
        "Words after the URL become fields, the query and the body",
        arguments: [
            ([], "GET /a none - "), (["q==x y"], "GET /a?q=x%20y none - "), (["X-A:b"], "GET /a none b "),
            (["d=1", "e:=[1,true]"], #"POST /a application/json - {"d":"1","e":[1,true]}"#),
            (["--form", "d=a b", "n:=2"], "POST /a application/x-www-form-urlencoded - d=a+b&n=2"),
            ([#"a\=b=c"#], #"POST /a application/json - {"a=b":"c"}"#), (["X-A:"], "GET /a none  "),
            (["t=@text.txt"], #"POST /a application/json - {"t":"of a file"}"#),
            (["--body", "text.txt"], "POST /a application/octet-stream - of a file"),
        ] as [([String], String)])
    func items(words: [String], expected: String) throws {
        let server = try server()
        defer { server.stop() }
        try withFolder(["text.txt": "of a file"]) { folder in
            let run = try ToolProcess.run(["request", server.url + "/a"] + words, in: folder)
            #expect(run.status == 0 && run.errors.isEmpty, "\(run)")
            #expect(try JSONEntity(parsing: run.output)["echo"].string() == expected)
        }
    }

    @Test("A status from 400 is exit status 1; --include prints the head")
    func status() throws {
        let server = try server()
        defer { server.stop() }
        let run = try ToolProcess.run(["request", "PUT", server.url + "/no", "-i"])
        #expect(run.status == 1 && run.output.hasPrefix("HTTP/1.1 404\n") && run.output.contains("PUT /no"))
        let refused = try ToolProcess.run(["request", "http://127.0.0.1:1/"])
        #expect(refused.status == 1 && refused.errors.hasPrefix("error: "))
    }

    @Test("An archive has the exchange without secrets, and answers later without a server")
    func archive() throws {
        let server = try server()
        try withFolder { folder in
            let words = ["request", server.url + "/a", "Authorization:Bearer abc123", "d=1"]
            let sent = try ToolProcess.run(words + ["--har", "x.har"], in: folder)
            _ = try ToolProcess.run(["request", server.url + "/b", "--har", "x.har"], in: folder)
            server.stop()
            let file = try String(contentsOf: folder.appending(path: "x.har"), encoding: .utf8)
            #expect(!file.contains("abc123") && file.contains("/b"))
            let replayed = try ToolProcess.run(words + ["--replay", "x.har"], in: folder)
            #expect(replayed.status == 0 && replayed.output == sent.output && !sent.output.isEmpty)
            #expect(try ToolProcess.run(["request", server.url + "/c", "--replay", "x.har"], in: folder).status == 1)
        }
    }

    @Test("A canonical host is replaced by the selected one")
    func hosts() throws {
        let server = try server()
        defer { server.stop() }
        let map = """
            {"configurations": [{"canonical_host": "api.example", "canonical_protocol": "https", "hosts": [
              {"key": "LOCAL", "protocol": "http", "host": "127.0.0.1:\(server.port)"}]}]}
            """
        try withFolder(["map.json": map]) { folder in
            let store = ["--store", "choice.json"]
            let use = try ToolProcess.run(["hosts", "use", "map.json", "api.example", "LOCAL"] + store, in: folder)
            #expect(use.status == 0, "\(use)")
            let run = try ToolProcess.run(["request", "api.example/a", "--hosts", "map.json"] + store, in: folder)
            #expect(run.status == 0 && run.output.contains("GET /a"), "\(run)")
        }
    }

    @Test("The body is written to a file, and the times of the stages to standard error")
    func files() throws {
        let server = try server()
        defer { server.stop() }
        try withFolder { folder in
            let run = try ToolProcess.run(["request", server.url + "/a", "-obody.json", "-t"], in: folder)
            #expect(run.status == 0 && run.output.isEmpty)
            #expect(run.errors.contains("first byte") && run.errors.contains("127.0.0.1:\(server.port)"))
            #expect(try String(contentsOf: folder.appending(path: "body.json"), encoding: .utf8).contains("GET /a"))
        }
    }
}

/// The routes of a file, and events of a recording.
@Suite struct RouteAndEventCommandTests {
    private let files = [
        "Routes.txt": "# routes\nnote /notes/:id(int)\n\nnew   /notes/new\nany /notes/:name\n",
        "bad.txt": "a /x/:id\nb /x/:name\na /y\nc /z/:\n", "worse.txt": "only-a-name\n",
        "events.jsonl": """
        {"v":1,"n":1,"name":"note:shown","payload":5}
        {"v":1,"n":2,"name":"navigate","payload":"/notes/7"}
        broken
        {"v":1,"n":3,"name":"note:hidden"}

        """,
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
            #expect(story.status == 0 && story.output.contains("/notes/:name: loses at segment 2"))
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

    @Test("Events are listed and replayed; damaged lines are reported")
    func events() throws {
        try withFolder(files) { folder in
            let list = try ToolProcess.run(
                ["events", "show", "events.jsonl", "--topic", "note:*", "--json"], in: folder)
            #expect(list.status == 1 && list.errors.contains("events.jsonl:3"))
            let rows = try JSONEntity(parsing: list.output)
            #expect(rows.count == 2 && rows[0]["payload"].string() == "5" && rows[1]["name"].string() == "note:hidden")
            let replay = try ToolProcess.run(
                ["events", "replay", "events.jsonl", "--routes", "Routes.txt"], in: folder)
            let json = try ToolProcess.run(
                ["events", "replay", "events.jsonl", "--routes", "Routes.txt", "--json"], in: folder)
            let events = try JSONEntity(parsing: json.output)
            #expect(events.count == 3 && events[0]["route"].string() == nil)
            #expect(events[1]["route"].string()?.hasPrefix("/notes/7 -> /notes/:id(int)") == true, "\(json.output)")
            #expect(replay.output.contains("2 navigate \"/notes/7\"\n    /notes/7 -> /notes/:id(int)"), "\(replay)")
        }
    }
}
