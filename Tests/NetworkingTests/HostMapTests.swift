import AshlarNetworking
import AshlarTestSupport
import Testing

func exampleMap() throws -> HostMap {
    try HostMap(json: Array(exampleMapText.utf8), file: "HostMap.json", strict: true)
}

@Suite struct HostMapTests {
    @Test("SquidKit's example is parsed without a warning")
    func example() throws {
        let map = try exampleMap()
        #expect(map.warnings.isEmpty)
        #expect(map.configurations.map(\.canonicalHost) == ["httpbin.org", "USDA"])
        let httpbin = map.configurations[0]
        #expect(httpbin.canonicalScheme == "http" && httpbin.releaseKey == "PROD" && httpbin.prereleaseKey == "DEV")
        #expect(httpbin.hosts.map(\.key) == ["PROD", "QA", "DEV", "localhost", "USER"])
        #expect(
            httpbin.hosts.map(\.host) == ["httpbin.org", "qa.httpbin.org", "dev.httpbin.org", "localhost:8080", nil])
        #expect(httpbin.hosts.map(\.scheme) == [nil, "https", nil, nil, nil])
        #expect(httpbin.hosts.map(\.editing) == [.none, .none, .none, .none, .text])
        #expect(map.configurations[1].hosts.map(\.editing) == [.none, .digits, .text])
        #expect(httpbin.line == 3 && httpbin.hosts[1].line == 10)
    }

    @Test(
        "An invalid file throws an error with position and expectation",
        arguments: [
            ("{\n  \"configurations\": [\n    {,\n", 3, 6, "$.configurations[0]", "a quoted key"),
            ("[]", 1, 1, "$", "expected an object with \"configurations\", found an array"),
            ("", 1, 1, "$", "expected a value, found the end of the text"),
            ("{\"configurations\": \"\u{1}\"}", 1, 21, "$.configurations", "control character"),
        ])
    func unreadable(text: String, line: Int, column: Int, path: String, message: String) {
        let error = #expect(throws: NetworkError.self) { try HostMap(json: Array(text.utf8), file: "M.json") }
        #expect(error?.code == .invalidHostMap)
        #expect(error?.line == line && error?.column == column && error?.path == path && error?.file == "M.json")
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }

    @Test("The error for invalid UTF-8 contains the offset of the byte")
    func invalidUTF8() {
        let bytes = Array("{\"a\": \"".utf8) + [0xC3, 0x28] + Array("\"}".utf8)
        let error = #expect(throws: NetworkError.self) { try HostMap(json: bytes) }
        #expect(error?.code == .invalidHostMap && error?.offset == 7 && error?.column == 8)
    }

    @Test("A map over 1 MiB is rejected")
    func tooLarge() {
        let error = #expect(throws: NetworkError.self) {
            try HostMap(json: [UInt8](repeating: 0x20, count: HostMap.largest + 1))
        }
        #expect(error?.code == .invalidHostMap && error?.limit == HostMap.largest && error?.line == 1)
    }

    /// The replacement of the second configuration's hosts, and its only warning.
    static let badEntries: [(entry: String, path: String, message: String)] = [
        (#"{"host": "a.example"}"#, "$.configurations[0].hosts[1]", #"expected a string "key", found nothing"#),
        (
            #"{"key": 7, "host": "a.example"}"#, "$.configurations[0].hosts[1].key",
            #"expected a string "key", found a number"#
        ),
        (#"{"key": "", "host": "a.example"}"#, "$.configurations[0].hosts[1].key", "found an empty string"),
        (
            #"{"key": "PROD", "host": "b.example"}"#, "$.configurations[0].hosts[1].key",
            #"duplicate key "PROD", first defined at line 1"#
        ),
        (
            #"{"key": "X", "host": 80}"#, "$.configurations[0].hosts[1].host",
            #"expected a string "host", found a number"#
        ),
        (#"{"key": "X", "host": ["a"]}"#, "$.configurations[0].hosts[1].host", "found an array"),
        (#"{"key": "X", "host": ""}"#, "$.configurations[0].hosts[1].host", "expected a host, found nothing"),
        (#"{"key": "X", "host": "https://a"}"#, "$.configurations[0].hosts[1].host", "without a scheme"),
        (#"{"key": "X", "host": "u@a"}"#, "$.configurations[0].hosts[1].host", "without user name"),
        (#"{"key": "X", "host": "a/b"}"#, "$.configurations[0].hosts[1].host", "without a path"),
        (#"{"key": "X", "host": "a b"}"#, "$.configurations[0].hosts[1].host", "without spaces"),
        (#"{"key": "X", "host": "a\r\nb"}"#, "$.configurations[0].hosts[1].host", "control characters"),
        (#"{"key": "X", "host": "a:0"}"#, "$.configurations[0].hosts[1].host", "port from 1 to 65535"),
        (#"{"key": "X", "host": "a:65536"}"#, "$.configurations[0].hosts[1].host", "port from 1 to 65535"),
        (#"{"key": "X", "host": "[::1"}"#, "$.configurations[0].hosts[1].host", "expected ]"),
        (#"{"key": "X", "host": "[:::1]"}"#, "$.configurations[0].hosts[1].host", "IPv6"),
        (#"{"key": "X", "host": "a..b"}"#, "$.configurations[0].hosts[1].host", "without empty parts"),
        (#"{"key": "X", "host": "b<#>.<#>"}"#, "$.configurations[0].hosts[1].host", "one placeholder"),
        (#"{"key": "X", "host": "a", "protocol": "ftp"}"#, "$.configurations[0].hosts[1].protocol", #"found "ftp""#),
        (#"{"key": "X", "host": "a", "protocol": 1}"#, "$.configurations[0].hosts[1].protocol", "found a number"),
        (#"{"key": "X", "host": "a", "port": 0}"#, "$.configurations[0].hosts[1].port", "port from 1 to 65535"),
        (#"{"key": "X", "host": "a", "port": "x"}"#, "$.configurations[0].hosts[1].port", "port from 1 to 65535"),
        (#"{"key": "X", "host": "a", "port": 80.5}"#, "$.configurations[0].hosts[1].port", "port from 1 to 65535"),
        (#"{"key": "X", "host": "a:1", "port": 2}"#, "$.configurations[0].hosts[1].port", "not in both"),
        (#"{"key": "X", "port": 2}"#, "$.configurations[0].hosts[1].port", "a port without a host"),
        (#""X""#, "$.configurations[0].hosts[1]", "expected an object, found a string"),
    ]

    private func map(with entry: String, strict: Bool = false) throws -> HostMap {
        let text = #"""
            {"configurations": [{"canonical_host": "h", "canonical_protocol": "http", "hosts": [{"key": "PROD", "host": "a.example"}, \#(entry), {"key": "LAST", "host": "z.example"}]}]}
            """#
        return try HostMap(json: Array(text.utf8), file: "M.json", strict: strict)
    }

    @Test("Only the invalid entry is skipped, with a warning that contains its JSON path", arguments: badEntries)
    func badEntry(entry: String, path: String, message: String) throws {
        let map = try map(with: entry)
        #expect(map.configurations[0].hosts.map(\.key) == ["PROD", "LAST"])
        #expect(map.configurations[0].hosts[0].host == "a.example")
        try #require(map.warnings.count == 1, "\(map.warnings)")
        #expect(map.warnings[0].path == path)
        #expect(map.warnings[0].message.contains(message), "\(map.warnings[0])")
        #expect(map.warnings[0].file == "M.json" && map.warnings[0].line == 1)
        let error = #expect(throws: NetworkError.self) { try self.map(with: entry, strict: true) }
        #expect(error?.code == .invalidHostMap && error?.path == path)
    }

    @Test(
        "Ports can be numbers or strings, hosts can be addresses, and protocols can have SquidKit's form",
        arguments: [
            (#"{"key": "X", "host": "a", "port": 8080}"#, "a:8080", nil),
            (#"{"key": "X", "host": "a", "port": "8080"}"#, "a:8080", nil),
            (#"{"key": "X", "host": "a", "port": null}"#, "a", nil),
            (#"{"key": "X", "host": "[::1]", "port": 1}"#, "[::1]:1", nil),
            (#"{"key": "X", "host": "[fe80::1:2]:99"}"#, "[fe80::1:2]:99", nil),
            (#"{"key": "X", "host": "10.0.0.1", "protocol": "HTTPS://"}"#, "10.0.0.1", "https"),
            (#"{"key": "X", "host": "a_b.example.", "protocol": "http"}"#, "a_b.example.", "http"),
            (#"{"key": "X", "host": "b-<#>.example:81"}"#, "b-<#>.example:81", nil),
            (#"{"key": "X", "host": "localhost:<#>"}"#, "localhost:<#>", nil),
        ] as [(String, String, String?)])
    func goodEntry(entry: String, host: String, scheme: String?) throws {
        let map = try map(with: entry, strict: true)
        #expect(map.configurations[0].hosts[1].host == host)
        #expect(map.configurations[0].hosts[1].scheme == scheme)
    }

    @Test(
        "Only the invalid configuration is skipped",
        arguments: [
            (#"{"canonical_protocol": "http", "hosts": []}"#, "$.configurations[0]", "canonical_host"),
            (#"{"canonical_host": "x", "hosts": []}"#, "$.configurations[0]", "canonical_protocol"),
            (
                #"{"canonical_host": "x", "canonical_protocol": "gopher"}"#, "$.configurations[0].canonical_protocol",
                "gopher"
            ),
            (
                #"{"canonical_host": "a b", "canonical_protocol": "http"}"#, "$.configurations[0].canonical_host",
                "spaces"
            ),
            (#"17"#, "$.configurations[0]", "found a number"),
        ])
    func badConfiguration(configuration: String, path: String, message: String) throws {
        let text =
            #"{"configurations": [\#(configuration), {"canonical_host": "Last", "canonical_protocol": "https", "hosts": []}]}"#
        let map = try HostMap(json: Array(text.utf8))
        #expect(map.configurations.map(\.canonicalHost) == ["Last"])
        #expect(map.warnings.map(\.path) == [path])
        #expect(map.warnings[0].message.contains(message))
    }

    @Test("Unknown and editable release keys, repeated hosts and missing lists cause warnings")
    func otherWarnings() throws {
        let text = #"""
            {"configurations": [
              {"canonical_host": "a", "canonical_protocol": "http", "release_key": "NOPE", "prerelease_key": "USER",
               "hosts": [{"key": "USER"}]},
              {"canonical_host": "A.", "canonical_protocol": "http", "hosts": []},
              {"canonical_host": "b", "canonical_protocol": "http"}
            ]}
            """#
        let map = try HostMap(json: Array(text.utf8))
        #expect(map.configurations.map(\.canonicalHost) == ["a", "b"])
        #expect(map.configurations[0].releaseKey == nil && map.configurations[0].prereleaseKey == nil)
        #expect(
            map.warnings.map(\.path) == [
                "$.configurations[0].release_key", "$.configurations[0].prerelease_key",
                "$.configurations[1].canonical_host", "$.configurations[2]",
            ])
        #expect(map.warnings[0].message == #"expected the key of one of the hosts ("USER"), found "NOPE""#)
        #expect(map.warnings[0].line == 2)
    }
}
