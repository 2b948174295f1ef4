import AshlarAppConfig
import Testing

@Suite struct ContributionTests {
    @Test("Each layer lists its values and what became of them")
    func listing() throws {
        var plan = plan(
            [
                "ApplicationConfig.json": """
                {"title": "Base",
                 "http": {"timeout": 30, "retries": 3, "old": {"a": 1}},
                 "hosts": ["a"], "x": {"p": 1}, "password": "hunter",
                 "com.acme.*": {"title": "Acme", "hosts": {"$append": ["b"]}}}
                """,
                "ApplicationConfig.debug.json":
                    #"{"http": {"timeout": 15, "$unset": ["old"]}, "x": 5, "retired": null}"#,
            ], environments: [.debug], bundle: "com.acme.App")
        plan.defaults = ["http": ["timeout": 60, "extra": true]]
        plan.variablePrefix = "APP_"
        plan.variables = ["APP_HTTP__RETRIES": "9"]
        var config = try ApplicationConfig.load(plan)
        config["title"] = "Now"
        config["x"] = nil
        let texts = config.contributions().map(\.description)
        #expect(
            texts == [
                """
                defaults
                  http.extra = true (defaults)
                  http.timeout = 60 (defaults), hidden by ApplicationConfig.debug.json:1
                """,
                """
                base
                  com\\.acme\\.*.hosts = {1 values} (ApplicationConfig.json:4)
                  com\\.acme\\.*.title = "Acme" (ApplicationConfig.json:4)
                  hosts = [1 values] (ApplicationConfig.json:3)
                  http.old.a = 1 (ApplicationConfig.json:2), hidden by ApplicationConfig.debug.json:1
                  http.retries = 3 (ApplicationConfig.json:2), hidden by APP_HTTP__RETRIES
                  http.timeout = 30 (ApplicationConfig.json:2), hidden by ApplicationConfig.debug.json:1
                  password = <redacted> (ApplicationConfig.json:3)
                  title = "Base" (ApplicationConfig.json:1), hidden by ApplicationConfig.json:4
                  x.p = 1 (ApplicationConfig.json:3), hidden by ApplicationConfig.debug.json:1
                """,
                """
                environment debug
                  http.old removed (ApplicationConfig.debug.json:1)
                  http.timeout = 15 (ApplicationConfig.debug.json:1)
                  retired removed (ApplicationConfig.debug.json:1)
                  x = 5 (ApplicationConfig.debug.json:1), hidden by run time
                """,
                """
                bundle override com.acme.*
                  hosts = {1 values} (ApplicationConfig.json:4)
                  title = "Acme" (ApplicationConfig.json:4), hidden by run time
                """,
                """
                environment variables
                  http.retries = "9" (APP_HTTP__RETRIES)
                """,
                """
                run time
                  title = "Now" (run time)
                  x removed (run time)
                """,
            ])
        #expect(config.contributions()[1].used.map(\.path.description).contains("hosts"))
    }

    @Test(
        "A value that is used wins its explanation, and one that is hidden is shadowed there", .timeLimit(.minutes(5)))
    func agreesWithExplanations() throws {
        var stacks = MergeModelTests.Stacks(random: SplitMix(61), hasDirectives: true)
        for round in 0..<rounds(200, soak: 20_000) {
            let files = (0..<3).map { _ in stacks.file() }
            let config = try ApplicationConfig.load(MergeModelTests.plan(files, .deep))
            for contribution in config.contributions() {
                for entry in contribution.entries where entry.outcome != .removes {
                    let explanation = config.explain(entry.path)
                    let isWinner = ([explanation.winner].compactMap { $0 } + explanation.merged)
                        .contains { $0.layer == contribution.layer && $0.origin == entry.origin }
                    let isShadowed = explanation.shadowed
                        .contains { $0.layer == contribution.layer && $0.origin == entry.origin }
                    guard isWinner == (entry.outcome == .used), isShadowed != isWinner else {
                        Issue.record("round \(round): \(entry) against \(explanation) in \(files)")
                        return
                    }
                }
            }
        }
    }
}
