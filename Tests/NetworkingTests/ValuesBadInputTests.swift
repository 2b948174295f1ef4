import AshlarNetworking
import Foundation
import Testing

/// Invalid JSON and host maps with their expected messages.
@Suite struct ValuesBadInputTests {
    private func jsonError(_ bytes: [UInt8], _ limits: JSONLimits = .init()) -> NetworkError? {
        do throws(NetworkError) {
            _ = try JSONEntity(parsing: bytes, limits: limits)
            return nil
        } catch { return error }
    }

    @Test(
        "The error for invalid JSON contains expectation and finding",
        arguments: [
            (
                "[1,\n 2", JSONLimits(),
                "expected ',' or ']' after the value, found the end of the text in the array of line 1", 2, 3, "$[1]"
            ),
            ("[NaN]", .init(), "expected a value, found 'N'", 1, 2, "$[0]"),
            ("{\"a\": -Infinity}", .init(), "expected a digit, found 'I'", 1, 8, "$.a"),
            ("{} trailing", .init(), "expected the end of the document, found 't'", 1, 4, "$"),
            ("[\"\\ud800\"]", .init(), "unpaired surrogate in a \\u escape", 1, 3, "$[0]"),
            ("[[[1]]]", .init(depth: 2), "nested more than 2 levels deep", 1, 3, "$[0][0]"),
            (
                "{\"o\": {\"a\": 1,\n\"a\": 2}}", .init(rejectsDuplicateKeys: true),
                "duplicate key, first defined at line 1", 2, 1, "$.o"
            ),
            ("[1, 2]", .init(bytes: 5), "a document of 6 bytes exceeds the limit of 5", nil, nil, nil),
            (
                "\"a\0b\"", .init(), "unescaped control character 0x00 in a string", 1, 3, "$"
            ),
            ("[01]", .init(), "leading zero in a number", 1, 2, "$[0]"),
        ] as [(String, JSONLimits, String, Int?, Int?, String?)])
    func json(text: String, limits: JSONLimits, message: String, line: Int?, column: Int?, path: String?) throws {
        let error = try #require(jsonError(Array(text.utf8), limits))
        #expect(error.message == message && error.line == line && error.column == column && error.path == path)
        let isLimit = message.contains("nested") || message.contains("limit")
        #expect(error.code == (isLimit ? .jsonLimit : .invalidJSON))
        #expect((error.limit != nil) == isLimit)
        #expect("\(error)".contains(message))
        for place in [line, column].compactMap(\.self) { #expect("\(error)".contains("\(place)")) }
    }

    @Test("The error for invalid UTF-8 contains its offset, at every position of a document")
    func invalidUTF8() {
        let text = Array(#"{"key": ["text", 1, true], "k2": {"a": null}}"#.utf8)
        for position in 0...text.count {
            let error = jsonError(Array(text[..<position]) + [0xFF] + text[position...])
            #expect(error?.code == .invalidJSON)
            if let offset = error?.offset, offset < position {
                // An invalid word such as tr\xFFue is reported at its beginning.
                #expect(position - offset < 4 && "tn".utf8.contains(text[offset]), "at \(position)")
            } else {
                #expect(error?.offset == position && error?.column == position + 1, "at \(position)")
                #expect(error?.message.hasSuffix("byte 0xFF") == true, "\(error?.message ?? "")")
            }
        }
    }

    @Test("The error for a NUL byte contains its offset, at every position of a document")
    func nul() {
        let text = Array(#"{"key": ["text", 1, true], "k2": {"a": null}}"#.utf8)
        for position in 0...text.count {
            let error = jsonError(Array(text[..<position]) + [0] + text[position...])
            #expect(error?.code == .invalidJSON, "at \(position)")
            // A literal such as true is reported at its beginning.
            #expect(error?.offset.map { $0 <= position && $0 > position - 4 } == true, "at \(position)")
        }
    }

    static let map =
        #"{"configurations": [{"canonical_host": "h", "canonical_protocol": "http", "release_key": "A", "hosts": [%]}]}"#

    @Test(
        "The error for an invalid host map contains position and reason, and the current map is unchanged",
        arguments: [
            (
                Array("{\"configurations\":\n [".utf8),
                "expected a value, found the end of the text in the array of line 2", 2, 3
            ),
            (Array("[1]".utf8), #"expected an object with "configurations", found an array"#, 1, 1),
            (Array("\"x\"".utf8), #"expected an object with "configurations", found a string"#, 1, 1),
            (Array("{\n\"a\": \"".utf8) + [0xC0, 0x22, 0x7D], "invalid UTF-8 byte 0xC0", 2, 7),
            ([UInt8](repeating: 0x20, count: 1_048_577), "expected at most 1048576 bytes, found 1048577", 1, 1),
        ])
    func unusableMap(bytes: [UInt8], message: String, line: Int, column: Int) throws {
        let path = NSTemporaryDirectory() + "bad-map-\(UUID()).json"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let hosts = HostSwitch(try exampleMap())
        try hosts.select("QA", for: "httpbin.org")
        let read = #expect(throws: NetworkError.self) { try HostMap(json: bytes) }
        #expect(read?.code == .invalidHostMap && read?.message == message)
        #expect(read?.line == line && read?.column == column)
        let error = #expect(throws: NetworkError.self) { hosts.update(try HostMap(contentsOfFile: path)) }
        #expect(error?.code == .invalidHostMap && error?.file == path)
        #expect(hosts.current.map == (try exampleMap()) && hosts.resolve("httpbin.org")?.host == "qa.httpbin.org")
    }

    @Test(
        "Only the invalid entry is skipped, with its path; strict reading throws",
        arguments: [
            (#"{"host": "b"}"#, #"expected a string "key", found nothing"#, "$.configurations[0].hosts[1]"),
            (
                #"{"key": "A", "host": "b"}"#, #"duplicate key "A", first defined at line 1"#,
                "$.configurations[0].hosts[1].key"
            ),
            (
                #"{"key": "B", "host": 7}"#, #"expected a string "host", found a number"#,
                "$.configurations[0].hosts[1].host"
            ),
            (
                #"{"key": "B", "host": "b", "port": 70000}"#, "expected a port from 1 to 65535, found 70000",
                "$.configurations[0].hosts[1].port"
            ),
            (
                #"{"key": "B", "host": "b", "protocol": "ws"}"#, #"expected "http" or "https", found "ws""#,
                "$.configurations[0].hosts[1].protocol"
            ),
        ])
    func entry(text: String, message: String, path: String) throws {
        let json = Array(Self.map.replacing("%", with: #"{"key": "A", "host": "a"}, "# + text).utf8)
        let map = try HostMap(json: json)
        #expect(map.configurations[0].hosts.map(\.key) == ["A"] && map.configurations[0].releaseKey == "A")
        #expect(map.warnings.map(\.message) == [message] && map.warnings.map(\.path) == [path])
        let error = #expect(throws: NetworkError.self) { try HostMap(json: json, strict: true) }
        #expect(error?.code == .invalidHostMap && error?.message == message && error?.path == path)
        #expect(error?.line == 1 && (error?.column ?? 0) > 1)
    }

    @Test("An unknown release key is a warning, or an error with strict; a numeric port is accepted")
    func releaseKey() throws {
        let json = Array(Self.map.replacing("%", with: #"{"key": "B", "host": "b", "port": 81}"#).utf8)
        let map = try HostMap(json: json)
        #expect(map.configurations[0].hosts.map(\.host) == ["b:81"] && map.configurations[0].releaseKey == nil)
        let message = #"expected the key of one of the hosts ("B"), found "A""#
        #expect(map.warnings.map(\.description) == ["1:90: $.configurations[0].release_key: \(message)"])
        let error = #expect(throws: NetworkError.self) { try HostMap(json: json, strict: true) }
        #expect(error?.message == message)
    }

    @Test(
        "A typed text that is more than a host is rejected with the reason",
        arguments: [
            ("h/path", #"expected a host without a path or query, found "h/path""#),
            ("h?q", #"expected a host without a path or query, found "h?q""#),
            (#"h\x"#, #"expected a host without a path or query, found "h\x""#),
            ("user:secret@h", #"expected a host without user name and password, found "<redacted>@h""#),
            ("https://h", #"expected a host without a scheme, found "https://h""#),
            ("a b", #"expected a host without spaces and control characters, found "a b""#),
            ("h\r\nX: y", #"expected a host without spaces and control characters, found "h??X: y""#),
            ("h\0", #"expected a host without spaces and control characters, found "h?""#),
            (
                "ü.example",
                #"expected a host name in ASCII; write an international name in its xn-- form, found "ü.example""#
            ),
            ("h:", #"expected a port from 1 to 65535, found "h:""#),
            ("h:65536", #"expected a port from 1 to 65535, found "h:65536""#),
            ("h:0", #"expected a port from 1 to 65535, found "h:0""#),
            (":80", #"expected a host before the port, found ":80""#),
            ("[::1", #"expected ] after an IPv6 address, found "[::1""#),
            ("[::1]x", #"expected : or the end after ], found "[::1]x""#),
            ("[1:2:3:4:5:6:7::8]", #"expected an IPv6 address between [ and ], found "[1:2:3:4:5:6:7::8]""#),
            ("[1::2::3]", #"expected an IPv6 address between [ and ], found "[1::2::3]""#),
            ("[::256.1.1.1]", #"expected an IPv6 address between [ and ], found "[::256.1.1.1]""#),
            (
                String(repeating: "a", count: 64),
                #"expected labels of at most 63 characters between the dots, found "\#(String(repeating: "a", count: 60))""#
            ),
            ("[1:2]", #"expected an IPv6 address between [ and ], found "[1:2]""#),
            ("a..b", #"expected a host name of at most 253 bytes without empty parts, found "a..b""#),
            ("a%41", #"expected a host without escapes, found "a%41""#),
            ("a*b", #"expected letters, digits and -._~ in the host, found "a*b""#),
        ])
    func typedHost(text: String, message: String) throws {
        let store = HostChoiceStore.memory()
        let hosts = HostSwitch(try exampleMap(), store: store)
        let error = #expect(throws: NetworkError.self) {
            try hosts.select("USER", for: "httpbin.org", userHost: text)
        }
        #expect(error?.code == .invalidUserHost && error?.message == message && error?.key == "USER")
        #expect(hosts.resolve("httpbin.org") == nil)
        #expect(try !store.load().isValid)
    }
}
