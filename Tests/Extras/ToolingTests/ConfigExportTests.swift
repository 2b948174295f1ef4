import AshlarAppConfig
import AshlarTestSupport
import AshlarTrees
import Foundation
import Testing

@testable import AshlarTooling

@Suite struct ConfigExportTests {
    private static func load(_ text: String) throws -> ApplicationConfig {
        try ApplicationConfig.load(ConfigPlan(files: .memory(["ApplicationConfig.plist": text]), environments: []))
    }

    @Test("Exports omit secrets")
    func secrets() {
        let config: ApplicationConfig = [
            "http": ["timeout": 30], "apiToken": "hunter2", "list": ["a", ["password": "hunter3"]],
            "url": "redis://u:hunter4@h/1",
        ]
        #expect(
            config.exported(as: .json) == """
                {
                  "http": {
                    "timeout": 30
                  },
                  "list": [
                    "a",
                    {}
                  ],
                  "url": "redis://<redacted>@h/1"
                }

                """)
        #expect(!config.exported(as: .propertyList).contains("hunter"))
        for format in [ConfigExportFormat.json, .propertyList] {
            let text = config.exported(as: format, includesSecrets: true)
            #expect(["hunter2", "hunter3", "redis://u:hunter4@h/1"].allSatisfy { text.contains($0) })
        }
    }

    @Test("A secret element of an array leaves the indices of the others unchanged")
    func secretElement() throws {
        var plan = ConfigPlan(
            files: .memory(["ApplicationConfig.json": #"{"password": "hunter2", "list": ["a", "${password}", "b"]}"#]),
            environments: [])
        plan.variables = [:]
        let config = try ApplicationConfig.load(plan)
        let text = config.exported(as: .json)
        #expect(!text.contains("hunter2"))
        #expect(try Self.load(text)["list"] == ["a", "<redacted>", "b"])
    }

    @Test("An export is parsed as the same values", arguments: [ConfigExportFormat.json, .propertyList])
    func roundTrip(format: ConfigExportFormat) throws {
        var random = SeededRandom(seed: 21)
        let alphabet: [Character] = ["a", "é", "🔥", "\"", "\\", "<", "&", ">", "$", "{", "}", "\n", "\t", " "]
        for _ in 0..<100 {
            let text = String((0..<random.below(12)).map { _ in random.pick(alphabet) })
            let config = ApplicationConfig([
                "text": .string(text), "k\(text)": ["n": .integer(.min), "u": .unsigned(.max), "r": .real(1.25)],
                "template": "${x} $${y} $ {z} ${", "list": [true, [], [:], [["a": [1, 2]], .string(text)]],
            ])
            let back = try Self.load(config.exported(as: format, includesSecrets: true))
            #expect(back == config, "\(config)")
        }
    }

    @Test("Dates and data are values of property lists, and strings in JSON")
    func datesAndData() throws {
        let date = Date(timeIntervalSinceReferenceDate: 1)
        let config: ApplicationConfig = ["date": .date(date), "data": .data(Data([1, 2, 3]))]
        #expect(try Self.load(config.exported(as: .propertyList)) == config)
        let json = try Self.load(config.exported(as: .json))
        #expect(json["date"] == "2001-01-01T00:00:01Z" && json["data"] == "AQID")
        #expect(json.value(forKey: "date", as: Date.self) == date)
    }

    @Test("Control characters, which XML can't contain, do not make a property list unreadable")
    func controlCharacters() throws {
        let config: ApplicationConfig = ["a\u{1}": "x\u{1B}[2J\u{0}\u{FFFE}", "tab": "\t\r\n"]
        let back = try Self.load(config.exported(as: .propertyList))
        #expect(back.values == ["a\u{FFFD}": "x\u{FFFD}[2J\u{FFFD}\u{FFFD}", "tab": "\t\r\n"])
        #expect(try Self.load(config.exported(as: .json)) == config)
    }

    @Test("Foundation can parse exports")
    func foreignReaders() throws {
        let config: ApplicationConfig = ["a": [1, 2.5, true, "x<&>\r\n"], "b": ["c": "\"\\ ü"]]
        let expected: NSDictionary = ["a": [1, 2.5, true, "x<&>\r\n"], "b": ["c": "\"\\ ü"]]
        let json = try JSONSerialization.jsonObject(with: Data(config.exported(as: .json).utf8))
        #expect((json as? NSDictionary) == expected)
        let list = try PropertyListSerialization.propertyList(
            from: Data(config.exported(as: .propertyList).utf8), format: nil)
        #expect((list as? NSDictionary) == expected)
    }

    @Test("The differences of two configurations are JSON without secrets")
    func differences() throws {
        var old: ApplicationConfig = ["dbPassword": "hunter2", "a": 1, "list": ["https://u:hunter3@h"]]
        let new: ApplicationConfig = ["dbPassword": "hunter4", "debug": true, "list": ["x"]]
        old["b"] = nil
        let diff = ConfigDiff(from: old, to: new)
        #expect(!diff.json.contains("hunter"))
        let list = try Self.load("{\"list\": \(diff.json)}")["list"]?.array
        #expect(
            list == [
                ["path": "a", "old": 1, "oldLocation": "code"],
                [
                    "path": "dbPassword", "old": "<redacted>", "oldLocation": "code", "new": "<redacted>",
                    "newLocation": "code",
                ],
                ["path": "debug", "new": true, "newLocation": "code"],
                [
                    "path": "list", "old": ["https://<redacted>@h"], "oldLocation": "code", "new": ["x"],
                    "newLocation": "code",
                ],
            ])
    }
}

@Suite struct PropertyListTextTests {
    @Test(
        "Text for XML contains no markup, and no characters that XML can't contain",
        arguments: [
            ("a <b> & ]]>", "a &lt;b&gt; &amp; ]]&gt;"), ("\t\"\n'\r\n", "\t\"\n'&#13;\n"),
            ("\0é👍\u{FFFF}\u{85}", "\u{FFFD}é👍\u{FFFD}\u{85}"), ("", ""),
        ])
    func escaped(text: String, expected: String) { #expect(PropertyListText.escaped(text) == expected) }

    @Test("Random strings read back from the text", arguments: [UInt64(31), 32])
    func readsBack(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let alphabet: [Unicode.Scalar] = [
            "a", "<", ">", "&", "\"", "'", "\r", "\n", "\t", "\0", "\u{1}", "\u{7F}", "é", "👍", "]", ";",
        ]
        for _ in 0..<2000 {
            var text = ""
            for _ in 0..<Int.random(in: 0...12, using: &random) {
                text.unicodeScalars.append(alphabet[Int.random(in: 0..<alphabet.count, using: &random)])
            }
            let legal = text.unicodeScalars.filter(XMLText.isLegal).reduce(into: "") { $0.unicodeScalars.append($1) }
            let plist = "<plist><string>\(PropertyListText.escaped(legal))</string></plist>"
            let document = try XMLPropertyListParser.parse(Array(plist.utf8), limits: PropertyListLimits())
            #expect(document.strings == [legal], "seed \(seed): \(text.debugDescription)")
        }
    }
}
