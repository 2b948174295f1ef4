import Testing

@testable import field_notes

@Suite struct OptionsTests {
    @Test("Every option is parsed, and the last value applies")
    func flags() {
        let values = [
            "--resources": "r", "--logs": "l", "--language": "fr", "--brand": "acme", "--environment": "simulator",
            "--bundle-id": "b", "--host": "QA", "--live": "http://localhost:1",
        ]
        let options = Options(["--brand", "other", "--hold"] + values.flatMap { [$0, $1] })
        for (name, value) in values { #expect(options[name] == value) }
        #expect(options["--hold"] == "yes")
        #expect(Options([])["--brand"] == "")
    }

    @Test(
        "Errors on the command line are reported and exit with 2",
        arguments: [
            (["--colour"], "unknown option --colour\n"), (["--brand"], "--brand needs a value\n"),
            (["--environment", "beta"], "--environment: no 'beta'; available: debug, release, simulator\n"),
        ])
    func mistakes(arguments: [String], problem: String) throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let outcome = try sample.run(arguments)
        #expect(outcome.status == 2 && outcome.screen == problem)
    }

    @Test("Help is available after other options, exits with 0, and lists each of them")
    func help() throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let outcome = try sample.run(["--brand", "acme", "--help"])
        #expect(outcome.status == 0)
        for option in ["--resources DIR", "--language TAG", "--hold", "--live URL"] {
            #expect(outcome.screen.contains("\n  \(option) "))
        }
    }
}

@Suite struct ScreenTests {
    @Test(
        "Terminals get colors, and the usual variables override that",
        arguments: [
            ([:], true, true), ([:], false, false),
            (["NO_COLOR": "1"], true, false), (["NO_COLOR": ""], true, true),
            (["CLICOLOR_FORCE": "1"], false, true), (["CLICOLOR_FORCE": "0"], false, false),
            (["NO_COLOR": "1", "CLICOLOR_FORCE": "1"], true, false), (["TERM": "dumb"], true, false),
        ] as [([String: String], Bool, Bool)])
    func colour(environment: [String: String], isTerminal: Bool, isColored: Bool) {
        #expect(Screen(environment: environment, isTerminal: isTerminal).isColored == isColored)
    }
}
