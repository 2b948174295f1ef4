import AshlarAppConfig
import AshlarTestSupport
import Foundation
import Testing

@Suite struct BadInputTests {
    @Test(
        "The error for a malformed file has line, column, expected and found text",
        arguments: [
            ("", ":1:1", "expected a property list (XML or binary) or a JSON object, found an empty file"),
            (" \n ", ":2:2", "expected a property list (XML or binary) or a JSON object, found a blank file"),
            ("hello", ":1:1", "found text that is neither (OpenStep property lists are not supported)"),
            ("a = b;", ":1:1", "found text that is neither (OpenStep property lists are not supported)"),
            ("<html></html>", ":1:1", "expected <plist>, found <html>"),
            ("<plist version=\"1.0\"><array/></plist>", ":1:22", "expected a dictionary as the root, found an array"),
            (
                "<plist version=\"1.0\"><string>x</string></plist>", ":1:22",
                "expected a dictionary as the root, found a string"
            ),
            ("[1]", ":1:1", "expected an object as the root, found an array"),
            ("<plist>\n<dict>\n<key>a</key>", ":3:13", "a: expected a value, found the end of the file"),
            ("<plist>\n<dict>\n<key>a</key>\n</dict></plist>", ":4:1", "expected a value, found </dict>"),
            ("<plist><dict><string>x</string></dict></plist>", ":1:14", "expected <key> or </dict>, found <string>"),
            ("<plist><dict><key>a</key><key>b</key></dict></plist>", ":1:26", "a: expected a value, found <key>"),
            ("<plist><dict></array></plist>", ":1:14", "expected <key> or </dict>, found </array>"),
            ("<plist><dict></dict>", ":1:21", "expected </plist>, found the end of the file"),
            ("<plist><dict></dict></", ":1:23", "expected </plist>, found the end of the file"),
            ("<plist><dict></dict></plist>x", ":1:29", "expected the end of the file, found more text"),
            ("<plist><dict><key>a</key><string>x</string", ":1:43", "found the end of the file"),
            ("<plist><dict><key>a</key><string>x & y</string></dict></plist>", ":1:36", "such as &amp;, found &"),
            ("<plist><dict><key>a</key><string>&nope;</string></dict></plist>", ":1:34", "found &nope;"),
            ("<plist><dict><key>a</key><string>&#+65;</string></dict></plist>", ":1:34", "found &#+65;"),
            ("<plist><dict><key>a</key><string>&#x+41;</string></dict></plist>", ":1:34", "found &#x+41;"),
            (
                "<plist><dict><key>a</key><string><![CDATA[\u{1}]]></string></dict></plist>", ":1:43",
                "control character 0x1"
            ),
            (
                "<plist><dict><key>a</key><real>nan(7)</real></dict></plist>", ":1:26",
                "a: expected a number, found \"nan(7)\""
            ),
            (
                "<plist><dict><key>a</key><real>snan</real></dict></plist>", ":1:26",
                "a: expected a number, found \"snan\""
            ),
            (
                "<plist><dict><key>a</key><string x='1'>y</string></dict></plist>", ":1:34",
                "expected > at the end of <string"
            ),
            (
                "<!DOCTYPE plist [<!ENTITY a \"b\">]><plist/>", ":1:17",
                "declarations inside <!DOCTYPE> are not supported"
            ),
            (
                "<?xml version=\"1.0\" encoding=\"latin1\"?><plist/>", ":1:1",
                "expected the encoding UTF-8, found latin1"
            ),
            (
                "<plist><dict><key>n</key><integer>1e3</integer></dict></plist>", ":1:26",
                "n: expected a 64-bit integer, found \"1e3\""
            ),
            (
                "<plist><dict><key>n</key><integer>18446744073709551616</integer></dict></plist>", ":1:26",
                "n: expected a 64-bit integer"
            ),
            (
                "<plist><dict><key>d</key><date>2026-02-30T00:00:00Z</date></dict></plist>", ":1:26",
                "d: expected a date such as 2026-01-31T23:59:59Z"
            ),
            ("<plist><dict><key>d</key><data>A*</data></dict></plist>", ":1:26", "d: expected Base64 text"),
            ("<plist><dict><key>d</key><data>QQ=Q</data></dict></plist>", ":1:26", "d: expected Base64 text"),
            ("{\r\n\"a\": 1,\r\n\"b\": 01}", ":3:6", "b: leading zero in a number"),
            ("{\r\"a\": 1,\n\n\r\"b\": 01}", ":5:6", "b: leading zero in a number"),
            (
                "<plist><dict><key>b</key><dict><key>c</key><real>x</real></dict></dict></plist>", ":1:44",
                "b.c: expected a number, found \"x\""
            ),
            ("<plist><dict><key>a</key><!-- no end", ":1:26", "unterminated comment"),
            ("{\"a\": 1,}", ":1:8", "a: trailing comma"),
            ("{\"a\" 1}", ":1:6", "a: expected ':' after the key, found '1'"),
            ("{\"a\": [1 2]}", ":1:10", "a[0]: expected ',' or ']' after the value, found '2'"),
            ("{\"a\": 01}", ":1:7", "a: leading zero in a number"),
            ("{\"a\": 1e999}", ":1:7", "a: expected a finite number"),
            ("{\"a\": tru}", ":1:7", "a: expected a value, found 't'"),
            ("{\"a\": \"x", ":1:7", "a: unterminated string"),
            ("{\"a\": \"\\ud800\"}", ":1:8", "a: unpaired surrogate in a \\u escape"),
            ("<plist><dict><key>a</key><string>&#1;</string></dict></plist>", ":1:34", "found &#1;"),
            ("{\"a\": \"x\u{1}\"}", ":1:9", "a: unescaped control character 0x01 in a string"),
            ("{} {}", ":1:4", "expected the end of the document, found '{'"),
        ])
    func malformed(text: String, place: String, message: String) throws {
        let error = try #require(loadError(text))
        #expect(error.code == .malformedSource)
        #expect(error.description.contains("ApplicationConfig.plist\(place)"), "\(error)")
        #expect(error.description.contains(message), "\(error)")
        #expect(throws: ConfigError.self) { try ApplicationConfig.load(plan(["ApplicationConfig.plist": text])) }
    }

    @Test("Invalid UTF-8 is rejected with its position")
    func invalidUTF8() throws {
        var bytes = Array(plist("<key>a</key><string>x</string>").utf8)
        bytes[bytes.count - 30] = 0xC0
        guard case .failure(let error) = read(bytes) else {
            Issue.record("read")
            return
        }
        #expect(error.description.contains("expected UTF-8 text, found byte 0xc0 (ApplicationConfig.plist:4:"))
    }

    @Test("JSON escapes are read, including surrogate pairs")
    func escapes() throws {
        let json = #"{"a": "\ud83d\ude00 \u00fc \n\t\"\\\/"}"#
        #expect(try read(Array(json.utf8)).get().string(forKey: "a") == "😀 ü \n\t\"\\/")
    }

    @Test("UTF-16 with a byte order mark is read", arguments: ["UTF-16", "utf-16le", "UTF-16BE"])
    func utf16(name: String) throws {
        let text = plist("<key>a</key><string>ü🔥</string>").replacing("UTF-8", with: name)
        let big: [UInt8] = [0xFE, 0xFF] + text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        let little: [UInt8] = [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        for bytes in [big, little] { #expect(try read(bytes).get().string(forKey: "a") == "ü🔥") }
    }

    @Test(
        "Invalid UTF-8 is rejected, including surrogates and overlong forms",
        arguments: [
            [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x9F, 0xBF],
            [0xF0, 0x8F, 0xBF, 0xBF],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0x80], [0xFF], [0xC3], [0xE2, 0x82], [0xC3, 0x28],
        ] as [[UInt8]])
    func notUnicode(bytes: [UInt8]) {
        for (head, tail) in [("{\"a\": \"", "\"}"), ("<plist><dict><key>a</key><string>", "</string></dict></plist>")] {
            let outcome = read(Array(head.utf8) + bytes + Array(tail.utf8))
            #expect(throws: ConfigError.self) { try outcome.get() }
        }
    }

    @Test(
        "The characters next to a rejected range are accepted",
        arguments: ["\u{D7FF}", "\u{E000}", "\u{80}", "\u{800}", "\u{10000}", "\u{10FFFF}"])
    func unicode(text: String) throws {
        #expect(try read(Array("{\"a\": \"\(text)\"}".utf8)).get().string(forKey: "a") == text)
        let plist = "<plist><dict><key>a</key><string>\(text)</string></dict></plist>"
        #expect(try read(Array(plist.utf8)).get().string(forKey: "a") == text)
    }

    @Test("A duplicate key is an error that names both lines")
    func duplicates() throws {
        let text = plist(
            "<key>a</key><dict>\n<key>x</key><string>1</string>\n<key>y</key><true/>\n<key>x</key><string>2</string>\n</dict>"
        )
        let error = try #require(loadError(text))
        #expect(
            error.description
                == "a.x: duplicate key (ApplicationConfig.plist:7:1; first defined at ApplicationConfig.plist:5)")
        #expect(loadError("{\"a\": 1, \"b\": 2, \"a\": 3}")?.code == .duplicateKey)
    }

    @Test("A missing base is a diagnostic, or an error with the path searched if it is required")
    func missing() throws {
        var plan = ConfigPlan(files: .directory("/no/such/directory"), environments: [.debug])
        let config = try ApplicationConfig.load(plan)
        #expect(config.allKeys.isEmpty)
        #expect(config.diagnostics.map(\.code) == [.missingSource, .missingSource])
        #expect(config.diagnostics[1].description == "no ApplicationConfig.debug.plist or .json in /no/such/directory")
        plan.requiredLayers = [.base]
        let error = #expect(throws: ConfigError.self) { try ApplicationConfig.load(plan) }
        #expect(error?.code == .missingSource)
        #expect(error?.description.contains("ApplicationConfig.plist or .json in /no/such/directory") == true)
    }

    @Test("Missing required files are errors that name the path searched")
    func missingRequired() throws {
        var plan = ConfigPlan(files: .directory("/no/such/directory"), environments: ["staging"])
        plan.requiredLayers = [.environment]
        plan.localFile = "/no/such/local.plist"
        #expect(
            ApplicationConfig.loadReport(plan).errors.map(\.description) == [
                "the required file is missing: expected ApplicationConfig.staging.plist or .json in /no/such/directory "
                    + "(ApplicationConfig.staging.plist)"
            ])
        plan.requiredLayers.insert(.local)
        let error = #expect(throws: ConfigError.self) { try ApplicationConfig.load(plan) }
        #expect(error?.problems.map(\.code) == [.missingSource, .missingSource])
        #expect(
            error?.problems.last?.description
                == "the required file is missing: expected /no/such/local.plist (local.plist)")
    }

    @Test("A file that cannot be read is an error, not a missing one")
    func unreadable() throws {
        let scratch = try TemporaryFolder([:])
        try FileManager.default.createDirectory(
            atPath: scratch.file("ApplicationConfig.plist"), withIntermediateDirectories: false)
        let error = #expect(throws: ConfigError.self) { try ApplicationConfig.load(scratch.plan()) }
        #expect(error?.code == .unreadableSource)
        #expect(
            error?.description == "can't read the file: not a regular file (ApplicationConfig.plist)")
        #expect(error?.location?.file == scratch.file("ApplicationConfig.plist"))
    }

    @Test("Configurations of the highest depth are compared on a small stack", .timeLimit(.minutes(5)))
    func deepComparison() async throws {
        @Sendable func bytes(_ core: String) -> [UInt8] { Self.nest("{\"a\":", "[", core, "]", "}", 99) }
        let outcome = await onSmallStack { () -> [Bool] in
            func config(_ core: String) -> ApplicationConfig? {
                try? read(bytes(core)) { $0.limits.depth = 10_000 }.get()
            }
            guard let one = config("1"), let same = config("1"), let other = config("2") else { return [] }
            return [
                one == same, one != other, ConfigDiff(from: one, to: same).isEmpty,
                ConfigDiff(from: one, to: other).changes.count == 1, one.scoped(to: "b") == one,
            ]
        }
        #expect(outcome == [true, true, true, true, true])
    }

    static let nests: [(String, [UInt8])] = [
        ("xml", nest("<plist><dict><key>a</key>", "<array>", "", "</array>", "</dict></plist>", 1_000_000)),
        ("xml dictionaries", nest("<plist>", "<dict><key>a</key>", "<true/>", "</dict>", "</plist>", 1_000_000)),
        ("json", nest("{\"a\":", "[", "", "]", "}", 1_000_000)),
        ("json objects", nest("", "{\"a\":", "1", "}", "", 1_000_000)),
    ]

    static func nest(_ head: String, _ open: String, _ core: String, _ close: String, _ tail: String, _ depth: Int)
        -> [UInt8]
    {
        var bytes = Array(head.utf8)
        for _ in 0..<depth { bytes += Array(open.utf8) }
        bytes += Array(core.utf8)
        for _ in 0..<depth { bytes += Array(close.utf8) }
        return bytes + Array(tail.utf8)
    }

    @Test("The maximum nesting is accepted, and one level more is rejected")
    func depthLimit() throws {
        let nested: [String: Any] = ["a": ["b": [1]]]
        let binary = try PropertyListSerialization.data(fromPropertyList: nested, format: .binary, options: 0)
        let files: [[UInt8]] = [
            Array(plist("<key>a</key><dict><key>b</key><array><integer>1</integer></array></dict>").utf8),
            Array(#"{"a": {"b": [1]}}"#.utf8), Array(binary),
        ]
        for bytes in files {
            #expect(try read(bytes) { $0.limits.depth = 3 }.get()["a.b"] == [1])
            guard case .failure(let error) = read(bytes, adjust: { $0.limits.depth = 2 }) else {
                Issue.record("read \(bytes)")
                return
            }
            #expect(error.code == .limitExceeded)
        }
    }

    @Test("A million nested containers give a typed error", .timeLimit(.minutes(5)), arguments: 0..<4)
    func deep(number: Int) throws {
        guard case .failure(let error) = read(Self.nests[number].1) else {
            Issue.record("read \(Self.nests[number].0)")
            return
        }
        #expect(error.code == .limitExceeded)
        #expect(
            error.description.contains(
                "expected at most 100 nested dictionaries and arrays (ApplicationConfig.plist:1:"))
    }

    @Test(
        "The deepest dictionaries are parsed, merged, printed and freed on a stack of 512 KB",
        .timeLimit(.minutes(5)))
    func deepWithinLimit() async throws {
        let depth = 100
        let bytes = Self.nest("", "{\"a\":", "1", "}", "", depth)
        let text = await onSmallStack { () -> String in
            var plan = ConfigPlan(
                files: .memory(["ApplicationConfig.json": bytes, "ApplicationConfig.debug.json": bytes]),
                environments: [.debug])
            plan.limits.depth = 10_000
            do {
                let config = try ApplicationConfig.load(plan)
                let path = ConfigPath(components: [String](repeating: "a", count: depth))
                guard try config.get(path, as: Int.self) == 1 else { return "wrong value" }
                guard config.explain(path).shadowed.count == 1 else { return "wrong explanation" }
                return String(config.description.count)
            } catch {
                return "\(error)"
            }
        }
        #expect(text == String(2 * depth - 1 + " = 1".count))
    }

    @Test("Sizes beyond the limits are rejected")
    func limits() throws {
        let text = plist("<key>a</key><array><true/><true/><true/></array>")
        #expect(loadError(text) { $0.limits.values = 4 }?.code == .limitExceeded)
        #expect(loadError(text) { $0.limits.values = 5 } == nil)
        let error = loadError(text) { $0.limits.bytes = 100 }
        #expect(error?.description.contains("expected at most 100 bytes, found \(text.utf8.count)") == true)
        let longKey = plist("<key>\(String(repeating: "k", count: 65_536))</key><true/>")
        #expect(loadError(longKey)?.description.contains("expected a key of at most 65535 bytes") == true)
    }

    @Test("Errors of readers do not quote secret values")
    func secretInBadValue() throws {
        let error = try #require(loadError(plist("<key>password</key><integer>hunter2</integer>")))
        #expect(!error.description.contains("hunter2"))
        #expect(error.description.contains("<redacted>"))
    }
}

/// Runs a closure on a thread with the stack of a secondary thread on Apple systems, 512 KB in optimized builds.
func onSmallStack<T: Sendable>(_ body: @escaping @Sendable () -> T) async -> T {
    await withCheckedContinuation { continuation in
        let thread = Thread { continuation.resume(returning: body()) }
        #if DEBUG
            // Without optimization, a function uses several times the stack.
            thread.stackSize = 4 << 20
        #else
            thread.stackSize = 512 << 10
        #endif
        thread.start()
    }
}
