import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct FieldNotesTests {
    @Test("A run on good files shows every part, has no problem and exits with 0")
    func goodRun() throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let outcome = try sample.run(["--language", "fr-CA", "--brand", "acme"])
        #expect(outcome.status == 0)
        #expect(outcome.problems == [])
        for part in [
            "There is none in", "ApplicationConfig.debug.plist:8", "over 24.0 from ApplicationConfig.plist:10",
            "Carnet ACME", "Transmettre", "fr-CA.lproj/Localizable.strings:2:1", "borealis", "* QA",
            "qa.api.fieldnotes.example", "River gauge", "delivered to 3 watchers", "delivered to 1 after",
            "/notes/5 -> River gauge", "service:net_state:running", "service:net_state:stopped",
            "3 requests, 0 under way",
            "  [DEBUG] FieldNotes - 3 notes", "GET https://qa.api.fieldnotes.example/notes: 200",
            "[INFO] FieldNotes - ends",
        ] {
            #expect(outcome.output.contains(part), "\(part) is missing in\n\(outcome.output)")
        }
    }

    @Test("Flags choose language, brand, environment, bundle identifier and host")
    func flags() throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let outcome = try sample.run([
            "--language", "de", "--brand", "borealis", "--environment", "release",
            "--bundle-id", "com.example.fieldnotes.beta.acme", "--host", "DEV",
        ])
        #expect(outcome.status == 0)
        for part in [
            "Strings for de, brand borealis", "Borealis Log", "staging.fieldnotes.example", "* DEV",
            "ApplicationConfig.plist:10",
        ] {
            #expect(outcome.output.contains(part), "\(part) is missing in\n\(outcome.output)")
        }
        #expect(!outcome.output.contains("ApplicationConfig.debug.plist"))
        // The release threshold is info, so the log holds no line for debugging.
        #expect(!outcome.output.contains("[DEBUG]"))
    }

    @Test("The second run shows the first run's log as the prior run, ended cleanly")
    func priorRun() throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let first = try sample.run()
        let log = try #require(first.output.components(separatedBy: "This run's log\n").last)
        let lines = log.split(separator: "\n").filter { $0.contains("] FieldNotes - ") || $0.contains("] network - ") }
        #expect(lines.count > 10)
        let second = try sample.run()
        let prior = try #require(second.output.components(separatedBy: "\n\nConfiguration").first)
        #expect(prior.contains("ended                         cleanly"))
        for line in lines { #expect(prior.contains(line)) }
    }

    @Test("After SIGKILL in the middle the next run shows every line and says that the run did not end cleanly")
    func killedRun() throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let killed = try sample.runAndKill(after: "holding; press Return")
        #expect(!killed.contains("This run's log"))
        let next = try sample.run()
        let prior = try #require(next.output.components(separatedBy: "\n\nConfiguration").first)
        #expect(prior.contains("not cleanly: killed, crashed or cut off"))
        for line in [
            "FieldNotes - started", "FieldNotes - 3 notes", "FieldNotes - navigated to /notes/5", "FieldNotes - ends",
        ] {
            #expect(prior.contains(line))
        }
    }

    @Test("Nothing is coloured unless asked: the output is no terminal")
    func colour() throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        #expect(!(try sample.run()).output.contains("\u{1B}"))
        #expect(try sample.run(environment: ["CLICOLOR_FORCE": "1"]).output.contains("\u{1B}[1;36m"))
    }

    @Test("A wrong flag is named and exits with 2; help exits with 0")
    func usage() throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let wrong = try sample.run(["--colour"])
        #expect(wrong.status == 2 && wrong.output.contains("unknown option --colour"))
        let help = try sample.run(["--help"])
        #expect(help.status == 0 && help.output.contains("--bundle-id ID"))
    }

    @Test("A server that is not there is a problem of the notes, not of the rest")
    func unreachableServer() throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let outcome = try sample.run(["--live", "http://127.0.0.1:9"])
        #expect(outcome.status == 0)
        #expect(outcome.problems.contains { $0.contains("127.0.0.1:9") })
        #expect(outcome.output.contains("service:net_state:stopped"))
    }
}
