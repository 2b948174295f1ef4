import Testing

@testable import field_notes

@Suite struct OptionsTests {
    @Test("Every option is parsed, and the last value applies")
    func flags() throws {
        let values = [
            "--resources": "r", "--logs": "l", "--language": "fr", "--brand": "acme", "--environment": "simulator",
            "--bundle-id": "b", "--host": "QA", "--live": "http://localhost:1",
        ]
        let options = try Options(["--brand", "other", "--hold"] + values.flatMap { [$0, $1] })
        for (name, value) in values { #expect(options[name] == value) }
        #expect(options["--hold"] == "yes")
        #expect(try Options([])["--brand"] == "")
    }

    @Test(
        "Errors on the command line are reported",
        arguments: [
            (["--colour"], "unknown option --colour"), (["--brand"], "--brand needs a value"),
            (["--environment", "beta"], "--environment must be release, debug or simulator"),
            (["--language", "fr!"], "--language needs a tag such as fr-CA"),
        ])
    func mistakes(arguments: [String], problem: String) {
        #expect(throws: UsageError(description: problem)) { try Options(arguments) }
    }

    @Test("Help is wanted even after other options, and lists each of them")
    func help() throws {
        let error = try #require(throws: UsageError.self) { try Options(["--brand", "acme", "--help"]) }
        #expect(error.status == 0)
        for option in ["--resources DIR", "--language TAG", "--hold", "--live URL"] {
            #expect(error.description.contains("\n  \(option) "))
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
