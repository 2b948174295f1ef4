import AshlarAppConfig
import AshlarNetworking

extension Pattern {
    /// Configurations with references, and host maps.
    static let configurations: [Pattern] = [
        config("configuration: values", 60, #""k#": #"#),
        config("configuration: undefined references", 120, ##""k#": "${other.name#}""##),
        config("configuration: undefined references in a list", 120, ##""${other.name#}""##, in: [#"{"a": ["#, "]}"]),
        config("configuration: cycles", 120) { size in
            (0..<size).map { "\"k\($0)\": \"${k\(($0 + 1) % size)}${k0}\"" }.joined(separator: ",")
        },
        config("configuration: a chain of references", 60) { size in
            (0..<size).map { "\"k\($0)\": \"${k\($0 + 1)}\"" }.joined(separator: ",") + ",\"k\(size)\": 1"
        },
        config("configuration: brackets in a reference", 600) { "\"k\": \"${" + repeated("[", $0) + "}\"" },
        config("configuration: references that don't end", 300) { "\"k\": \"" + repeated("${", $0) + "\"" },
        config("configuration: defaults in defaults", 300) { "\"k\": \"" + repeated("${a:-", $0) + "\"" },
        config("configuration: escaped references", 300) { "\"k\": \"" + repeated("$${a}", $0) + "\"" },
        config("configuration: one key again and again", 60, #""k": #"#),
        config("configuration: keys with dots", 40, #""a.b#.c": #, "a": {"b#": {"c": 1}}"#),
        Pattern("host map: configurations", 12) { size in
            let part = """
                {"canonical_host": "h#.example", "canonical_protocol": "https", "release_key": "A",
                "hosts": [{"key": "A", "host": "a#.example"}, {"key": "B"}]}
                """
            let text = #"{"configurations": ["# + repeated(part, size, separator: ",") + "]}"
            return { _ = HostSwitch((try? HostMap(json: text.bytes)) ?? .empty).rows }
        },
        Pattern("host map: one host again and again", 30) { size in
            let part = #"{"canonical_host": "h", "canonical_protocol": "https", "hosts": []}"#
            let text = #"{"configurations": ["# + repeated(part, size, separator: ",") + "]}"
            return { _ = try? HostMap(json: text.bytes) }
        },
        Pattern("host map: environments with one key", 40) { size in
            let text =
                #"{"configurations": [{"canonical_host": "h", "canonical_protocol": "https", "hosts": ["#
                + repeated(#"{"key": "A", "host": "a#.example"}"#, size, separator: ",") + "]}]}"
            return { _ = try? HostMap(json: text.bytes) }
        },
    ]

    private static func config(
        _ name: String, _ size: Int, _ part: String, in ends: [String] = ["{", "}"]
    ) -> Pattern {
        Pattern(name, size) { size in reading(ends[0] + repeated(part, size, separator: ",") + ends[1]) }
    }

    private static func config(_ name: String, _ size: Int, _ text: @escaping @Sendable (Int) -> String) -> Pattern {
        Pattern(name, size) { size in reading("{" + text(size) + "}") }
    }

    private static func reading(_ text: String) -> Reading {
        { _ = ApplicationConfig.loadReport(ConfigPlan(files: .memory(["ApplicationConfig.json": text]))) }
    }
}
