import AshlarAppConfig
import AshlarCore
import Foundation
import Testing

@testable import AshlarRemote

@Suite struct FlagTests {
    private func decision(
        _ flag: ConfigValue, id: String? = "user-1", _ attributes: [String: String] = [:]
    ) -> ConfigFlagDecision<String> {
        let config = ApplicationConfig(["flags": ["f": flag]])
        return config.explain(ConfigFlag("f", default: "code"), for: ConfigSubject(id: id, attributes))
    }

    @Test(
        "The hash is MurmurHash3 x86 32-bit",
        arguments: [
            ("", 0), ("a", 0x3C25_69B2), ("aaaa", 0x7EEE_D987), ("hello", 0x248B_FA47), ("hello, world", 0x149B_BB7F),
            ("The quick brown fox jumps over the lazy dog", 0x2E4F_F723),
        ] as [(String, UInt32)])
    func hash(text: String, value: UInt32) {
        // For the seed 0, from an independent implementation in Python.
        #expect(Murmur3.hash(text.utf8) == value)
    }

    @Test("The hash of an ID is the same in all versions of the library")
    func places() {
        let found = ["user-1", "user-2", "ünïcode", ""].map { FlagDefinition.bucket(of: $0, salt: "newSearch") }
        // From an independent implementation of MurmurHash3 in Python: hash * 10000 >> 32.
        #expect(found == [6104, 1861, 8473, 9304])
    }

    @Test(
        "The first rule whose conditions are true applies",
        arguments: [
            (["language": "fr-CA"], "french", 1, "language is fr"), (["language": "FR"], "french", 1, "language is fr"),
            (["language": "fro"], "rest", nil, "no rule applies"),
            (["bundle": "com.acme.beta"], "acme", 2, "bundle is com.acme.*"),
            (["bundle": "com.acme"], "rest", nil, "no rule applies"),
            (["version": "2.1"], "range", 3, "version is 2.1 up to, but not, 3.0"),
            (["version": "2.9.9-beta"], "range", 3, "version is 2.1 up to, but not, 3.0"),
            (["version": "2.10"], "range", 3, "version is 2.1 up to, but not, 3.0"),
            (["version": "3"], "rest", nil, "no rule applies"), (["version": "2.0.9"], "rest", nil, "no rule applies"),
            (["version": "nightly"], "rest", nil, "no rule applies"),
            (["brand": "b", "tier": "gold"], "both", 4, "brand is a or b, tier is gold"),
            (["brand": "b"], "rest", nil, "no rule applies"), ([:], "rest", nil, "no rule applies"),
        ] as [([String: String], String, Int?, String)])
    func rules(attributes: [String: String], value: String, rule: Int?, reason: String) {
        let flag: ConfigValue = [
            "default": "rest",
            "rules": [
                ["if": ["language": "fr"], "value": "french"], ["if": ["bundle": "com.acme.*"], "value": "acme"],
                ["if": ["version": ["from": "2.1", "before": "3.0"]], "value": "range"],
                ["if": ["brand": ["a", "b"], "tier": "gold"], "value": "both"],
            ],
        ]
        let decision = decision(flag, attributes)
        #expect(decision.value == value)
        #expect(decision.rule == rule)
        #expect(decision.reason == reason)
        #expect(decision.problems.isEmpty)
    }

    @Test("A switched-off flag has its off value, or the default in code")
    func killSwitch() {
        let rules: ConfigValue = [["value": "on"]]
        #expect(decision(["enabled": false, "rules": rules, "off": "dark"]).value == "dark")
        let off = decision(["enabled": false, "rules": rules, "default": "data"])
        #expect(off.value == "code")
        #expect(off.reason == "the flag is switched off")
        #expect(decision(["rules": rules]).reason == "always")
        #expect(decision("plain").value == "plain")
    }

    @Test("A switched-off flag is off for a default of true, even if other entries are malformed")
    func killSwitchHolds() {
        func value(_ flag: ConfigValue) -> ConfigFlagDecision<Bool> {
            ApplicationConfig(["flags": ["f": flag]]).explain(
                ConfigFlag("f", default: true), for: ConfigSubject(id: "u"))
        }
        for flag in [
            ["enabled": false], ["enabled": false, "default": true], ["enabled": "off", "rules": [["value": true]]],
            ["enabled": false, "rules": 5], ["enabled": false, "off": "perhaps"], ["enabled": false, "later": [1]],
        ] as [ConfigValue] {
            #expect(value(flag).value == false && value(flag).code == .disabled, "\(flag)")
        }
        #expect(value(["enabled": false, "off": true]).value == true)
        #expect(value(["enabled": true]).value == true)
    }

    @Test("Entries of a later version are ignored with a problem, and their conditions aren't met")
    func laterVersions() {
        let known: ConfigValue = [
            "schedule": ["from": "2030"], "default": "rest",
            "rules": [
                ["if": ["country": ["near": "FR"]], "value": "near"],
                ["if": ["country": ["not": ["near": "FR"]]], "value": "far"],
                ["if": ["country": "FR"], "value": "french", "weight": 5],
            ],
        ]
        let found = decision(known, ["country": "FR"])
        #expect(found.value == "french" && found.rule == 3 && found.code == .targetingMatch)
        #expect(
            found.problems.map { $0.key?.description } == [
                "flags.f.rules[0].if.country.near", "flags.f.rules[1].if.country.not.near", "flags.f.rules[2].weight",
                "flags.f.schedule",
            ])
        let config = ApplicationConfig(["flags": ["f": known]])
        #expect(config.value(of: ConfigFlag("f", default: "code"), for: ConfigSubject(id: "u")) == "rest")
        #expect(config.diagnostics.count == 4 && config.diagnostics.allSatisfy { $0.code == .unknownKey })
    }

    @Test(
        "Conditions compare numbers, dates and versions, and can be reversed",
        arguments: [
            (["age": ["from": 18, "before": 65]], ["age": "18.0"], true, "age is 18 up to, but not, 65"),
            (["age": ["from": 18]], ["age": "9"], false, ""), (["age": ["from": 18]], ["age": "x"], false, ""),
            (["age": ["before": 7.25]], ["age": "7.5"], false, ""),
            (["age": ["before": 7.25]], ["age": "7.2"], true, "age is below 7.25"),
            (["age": 5], ["age": "5.0"], true, "age is 5"), (["age": [4, 5]], ["age": "5"], true, "age is 4 or 5"),
            (["version": ["from": 2.1]], ["version": "2.10"], true, "version is 2.1 or later"),
            (["since": ["from": "2026-03-01"]], ["since": "2026-02-28T23:59:59Z"], false, ""),
            (
                ["since": ["from": "2026-03-01"]], ["since": "2026-03-01T00:00:00Z"], true,
                "since is 2026-03-01 or later"
            ),
            (["since": ["before": "2026-03-01"]], ["since": "never"], false, ""),
            (["language": ["not": "fr"]], ["language": "de"], true, "language is not fr"),
            (["language": ["not": ["fr", "de"]]], ["language": "de-AT"], false, ""),
            (["language": ["not": "fr"]], [:], false, ""),
            (["build": ["from": "2.1", "not": "2.2"]], ["build": "2.2"], false, ""),
            (["build": ["from": "2.1", "not": "2.2"]], ["build": "2.3"], true, "build is 2.1 or later and not 2.2"),
            (["age": ["not": ["from": 18]]], ["age": "9"], true, "age is not 18 or more"),
        ] as [(ConfigValue, [String: String], Bool, String)])
    func conditions(condition: ConfigValue, attributes: [String: String], isMet: Bool, reason: String) {
        let found = decision(["rules": [["if": condition, "value": "on"]]], attributes)
        #expect(found.problems.isEmpty)
        #expect((found.value == "on") == isMet)
        #expect(found.reason == (isMet ? reason : "no rule applies"))
    }

    @Test("Evaluations are reported with the codes of OpenFeature")
    func reports() throws {
        let seen = Mutex<[String]>([])
        let flags = """
            {"flags": {"plain": "a", "off": {"enabled": false}, "rule": {"rules": [{"if": {"t": "x"}, "value": "b"}]},
              "part": {"rules": [{"percent": 99.99, "value": "c"}]}, "rest": {"default": "d"}, "bad": {"rules": 1},
              "type": 5, "type2": [1], "secretCode": {"rules": [{"value": "hunter2"}]}}}
            """
        var plan = plan(["ApplicationConfig.json": flags])
        plan.coercion = .strict
        plan.secrets.paths = ["flags.secretCode"]
        plan.reportFlags { evaluation in
            let error = evaluation.errorCode.map { " \($0)" } ?? ""
            seen.withLock { $0.append("\(evaluation.flag) \(evaluation.value) \(evaluation.code)\(error)") }
        }
        let store = try ConfigStore(loading: plan)
        try store.reload()
        for name in ["plain", "off", "rule", "part", "rest", "bad", "type", "none", "secretCode"] {
            _ = store.current.value(of: ConfigFlag(name, default: "code"), for: ConfigSubject(id: "u", ["t": "x"]))
        }
        _ = store.current.explain(ConfigFlag("plain", default: ""), for: ConfigSubject(id: nil))
        #expect(
            seen.withLock { $0 } == [
                "plain a STATIC", "off code DISABLED", "rule b TARGETING_MATCH", "part c SPLIT", "rest d DEFAULT",
                "bad code ERROR PARSE_ERROR", "type code ERROR TYPE_MISMATCH", "none code ERROR FLAG_NOT_FOUND",
                "secretCode <redacted> STATIC",
            ])
        let count = Mutex(0)
        let config = ApplicationConfig().reportingFlags { _ in count.withLock { $0 += 1 } }
        _ = config.value(of: ConfigFlag("x", default: 1), for: ConfigSubject(id: "u"))
        #expect(count.withLock { $0 } == 1)
    }

    @Test("Percentages select their share of IDs, and an increase preserves the selected ones")
    func percentages() {
        let ids = (0..<20_000).map { "user-\($0)" }
        var selected: [Set<String>] = []
        for percent in [0, 0.5, 10, 50, 99.9, 100] {
            let config = ApplicationConfig(["flags": ["f": ["rules": [["percent": .real(percent), "value": true]]]]])
            let flag = ConfigFlag("f", default: false)
            let chosen = Set(ids.filter { config.value(of: flag, for: ConfigSubject(id: $0)) })
            let share = Double(chosen.count) / Double(ids.count) * 100
            #expect(abs(share - percent) < 1, "\(percent) % selected \(share) %")
            if let last = selected.last { #expect(last.isSubset(of: chosen)) }
            selected.append(chosen)
        }
        #expect(selected[0].isEmpty && selected[5].count == ids.count)
    }

    @Test("Flags with different salts select independently, and those with the same salt select the same IDs")
    func salts() {
        func chosen(_ salt: String?) -> Set<Int> {
            var flag: [String: ConfigValue] = ["rules": [["percent": 50, "value": "x"]]]
            if let salt { flag["salt"] = .string(salt) }
            return Set((0..<4_000).filter { decision(.dictionary(flag), id: "u\($0)").value == "x" })
        }
        #expect(chosen(nil) == chosen("f"))
        let both = chosen("a").intersection(chosen("b")).count
        #expect(abs(both - 1_000) < 150, "\(both) of 4,000 are in both halves")
    }

    @Test("A subject without an ID is only in the percentage 100")
    func withoutID() {
        #expect(decision(["rules": [["percent": 99, "value": "x"]]], id: nil).value == "code")
        #expect(decision(["rules": [["percent": 100, "value": "x"]]], id: nil).value == "x")
    }

    @Test(
        "Malformed flags have the default in code and report every problem",
        arguments: [
            (["rules": 5], "flags.f.rules: expected an array of rules, found integer 5 (code)"),
            (["rules": [5]], "flags.f.rules[0]: expected a dictionary with an entry value, found integer 5 (code)"),
            (
                ["rules": [["value": "x", "percent": 101]]],
                "flags.f.rules[0].percent: expected a number from 0 to 100, found integer 101 (code)"
            ),
            (["enabled": "perhaps"], "flags.f.enabled: expected a boolean, found string \"perhaps\" (code)"),
            (
                ["rule": []],
                "flags.f.rule: expected one of enabled, off, default, salt, description, rules, found rule (code); "
                    + "did you mean rules?"
            ),
            (
                ["rules": [["value": "x", "if": ["version": ["from": "x"]]]]],
                "flags.f.rules[0].if.version.from: expected a version such as 2.1, found string \"x\" (code)"
            ),
            (["default": [1]], "flags.f.default: expected String, found array of 1 (code)"),
            ([1], "flags.f: expected a dictionary or a value, found array of 1 (code)"),
        ] as [(ConfigValue, String)])
    func malformed(flag: ConfigValue, message: String) {
        let decision = decision(flag)
        #expect(decision.value == "code")
        #expect(decision.problems.map(\.description) == [message])
        let config = ApplicationConfig(["flags": ["f": flag]])
        #expect(config.value(of: ConfigFlag("f", default: "code"), for: ConfigSubject(id: "u")) == "code")
        #expect(config.diagnostics.count == 1)
        if flag.dictionary?["default"] == nil { #expect(config.flagProblems().map(\.description) == [message]) }
    }

    @Test("An explanation names the applied rule and its line")
    func explains() throws {
        let text = """
            {"flags": {"search": {
              "rules": [
                {"if": {"language": "de"}, "value": true},
                {"percent": 100,
                 "value": true}
              ]}}}
            """
        let config = try ApplicationConfig.load(plan(["ApplicationConfig.json": text]))
        let flag = ConfigFlag("search", default: false)
        #expect(
            config.explain(flag, for: ConfigSubject(id: nil)).description == """
                search = true
                  rule 2: within 100 % (ApplicationConfig.json:5)
                """)
        #expect(
            config.explain(ConfigFlag("none", default: 1), for: ConfigSubject(id: "u")).description == """
                none = 1 for u
                  there is no such flag
                """)
    }
}
