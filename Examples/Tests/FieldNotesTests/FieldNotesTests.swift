import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct FieldNotesTests {
    @Test("A run on correct files shows every part, reports no issue and exits with 0")
    func goodRun() throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let outcome = try sample.run(["--language", "fr-CA", "--brand", "acme"])
        #expect(outcome.status == 0)
        #expect(outcome.problems == [])
        for part in [
            "None in", "ApplicationConfig.debug.plist:8", "over 24.0 from ApplicationConfig.plist:10",
            "Carnet ACME", "Transmettre", "fr-CA.lproj/Localizable.strings:2:1", "borealis",
            "* qa.api.fieldnotes.example   QA",
            "qa.api.fieldnotes.example", "River gauge", "delivered to 3 watchers", "delivered to 2 watchers after",
            "/notes/5 -> River gauge", "service:net_state:running", "service:net_state:stopped",
            "4 requests, 0 active",
            "  [DEBUG] FieldNotes - 3 notes", "GET https://qa.api.fieldnotes.example/notes: 200",
            "[INFO] FieldNotes - ends",
        ] {
            #expect(outcome.output.contains(part), "\(part) is missing in\n\(outcome.output)")
        }
    }

    @Test("Options select language, brand, environment, bundle identifier and host")
    func flags() throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let outcome = try sample.run([
            "--language", "de", "--brand", "borealis", "--environment", "release",
            "--bundle-id", "com.example.fieldnotes.beta.acme", "--host", "DEV",
        ])
        #expect(outcome.status == 0)
        for part in [
            "Strings for de, brand borealis", "Borealis Log", "staging.fieldnotes.example",
            "* dev.api.fieldnotes.example  DEV",
            "ApplicationConfig.plist:10",
        ] {
            #expect(outcome.output.contains(part), "\(part) is missing in\n\(outcome.output)")
        }
        #expect(!outcome.output.contains("ApplicationConfig.debug.plist"))
        // The release threshold is info, so the log has no debug lines.
        #expect(!outcome.output.contains("[DEBUG]"))
    }

    @Test("The second run shows the first run's log as the prior run, ended cleanly")
    func priorRun() throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let first = try sample.run()
        let log = try #require(first.output.components(separatedBy: "\nLog\n").last)
        let lines = log.split(separator: "\n").filter { $0.contains("] FieldNotes - ") || $0.contains("] network - ") }
        #expect(lines.count > 8)
        let second = try sample.run()
        let prior = try #require(second.output.components(separatedBy: "\n\nStrings for").first)
        #expect(prior.contains("ended                         cleanly"))
        for line in lines { #expect(prior.contains(line)) }
    }

    @Test("After SIGKILL the next run shows every line and reports the kill")
    func killedRun() throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let killed = try sample.runAndKill(after: "holding; press Return")
        #expect(killed.contains("\nLog\n"))
        let next = try sample.run()
        let prior = try #require(next.output.components(separatedBy: "\n\nStrings for").first)
        #expect(prior.contains("not cleanly: killed or crashed"))
        for line in [
            "FieldNotes - started", "FieldNotes - 3 notes", "FieldNotes - navigated to /notes/5", "FieldNotes - ends",
        ] {
            #expect(prior.contains(line))
        }
    }

    @Test("Output to a pipe has no colors unless requested")
    func colour() throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        #expect(!(try sample.run()).output.contains("\u{1B}"))
        #expect(try sample.run(environment: ["CLICOLOR_FORCE": "1"]).output.contains("\u{1B}[1;36m"))
    }

    @Test("No line exceeds 80 columns, with and without a previous run")
    func width() throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        for _ in 0..<2 {
            let lines = try sample.run(["--language", "fr-CA"]).screen.split(separator: "\n")
            // A path has no spaces to break at.
            let long = lines.filter { $0.count > 80 && $0.drop { $0 == " " }.contains(" ") }
            #expect(long == [], "\(long)")
            #expect(lines.count > 60)
        }
    }

    @Test(
        "Values that the files don't offer exit with 2 and a list of those available",
        arguments: [
            (["--host", "BAD"], "--host: no 'BAD'; available: DEV, PROD, QA"),
            (["--language", "xx"], "--language: no 'xx'; available: "),
            (["--language", "fr!"], "--language: no 'fr!'; available: "),
            (["--brand", "nope"], "--brand: no 'nope'; available: acme, borealis"),
        ])
    func unavailable(arguments: [String], message: String) throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let outcome = try sample.run(arguments)
        #expect(outcome.status == 2)
        #expect(outcome.output.hasPrefix(message), "\(outcome.output)")
    }

    @Test("An unreachable server affects the notes only")
    func unreachableServer() throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let outcome = try sample.run(["--live", "http://127.0.0.1:9"])
        #expect(outcome.status == 0)
        #expect(outcome.problems.contains { $0.contains("127.0.0.1:9") })
        #expect(outcome.output.contains("service:net_state:stopped"))
    }

    @Test("Live notes are authorized, retried after a failure, and cached")
    func live() throws {
        let (server, input, output) = (Process(), Pipe(), Pipe())
        server.executableURL = SampleProgram.root.appendingPathComponent("Scripts/notes-server")
        (server.standardInput, server.standardOutput) = (input, output)
        try server.run()
        // The server prints its port when it is ready.
        let port = output.readText(until: "\n")
        let sample = try SampleProgram()
        defer { sample.remove() }
        let outcome = try sample.run([
            "--live", "http://127.0.0.1:\(port.trimmingCharacters(in: .whitespacesAndNewlines))",
        ])
        try input.fileHandleForWriting.close()
        let requests = output.readText()
        server.waitUntilExit()
        #expect(outcome.status == 0)
        #expect(outcome.problems == [])
        #expect(outcome.output.components(separatedBy: "/notes/5 -> River gauge").count == 3, "\(outcome.output)")
        #expect(
            requests.split(separator: "\n") == [
                "503 /notes", "200 /notes", "503 /notes/5", "200 /notes/5", "503 /notes/99", "404 /notes/99",
            ], "the second visit of note 5 is answered by the cache")
    }
}
