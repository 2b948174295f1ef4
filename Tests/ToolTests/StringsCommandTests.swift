import AshlarNetworking
import Foundation
import Testing

/// Lists of strings.
@Suite struct StringsCommandTests {
    @Test("A brand can have the name of another column of the coverage")
    func coverage() throws {
        let text = "\"a\" = \"b\";\n"
        let files = [
            "en.lproj/x.strings": text, "missing.lproj/x.strings": text + "\"b\" = \"c\";\n",
            "language.lproj/x.strings": text,
        ]
        try withFolder(files) { folder in
            let run = try ToolProcess.run(["strings", "coverage", folder.path, "--json"])
            let rows = try JSONEntity(parsing: run.output)
            #expect(rows[0]["language"].string() == "en" && rows[0]["missing"].int() == 0, "\(run.output)")
            #expect(rows[0]["strings"].int() == 1)
            #expect(rows[0]["brands"]["missing"].int() == 2 && rows[0]["brands"]["language"].int() == 1)
        }
    }

    @Test("A list has the forms of a message, and numbers and Booleans as JSON")
    func values() throws {
        let files = [
            "en.lproj/Localizable.stringsdict": """
            <plist version="1.0"><dict><key>files</key><dict><key>NSStringLocalizedFormatKey</key><string>%#@n@</string>
            <key>n</key><dict><key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string>
            <key>NSStringFormatValueTypeKey</key><string>lld</string><key>other</key><string>%lld files</string>
            </dict></dict></dict></plist>
            """,
            "Themes.json":
                #"{"themes": [{"name": "Night", "attributes": {"radius": 12, "on": true, "list": [1, "a"]}}]}"#,
        ]
        try withFolder(files) { folder in
            let run = try ToolProcess.run(
                ["strings", "show", ".", "--themes", "Themes.json", "--theme", "Night", "--json"], in: folder)
            let values = try JSONEntity(parsing: run.output).map { "\($0["key"].string() ?? "") \($0["value"])" }
            #expect(values.first?.contains("%lld files") == true, "\(run.transcript)")
            #expect(values.dropFirst() == ["list [1,\"a\"]", "on true", "radius 12"], "\(values)")
        }
    }

    @Test("A problem is printed without the name of its code, and --json has the name")
    func codes() throws {
        try withFolder(["en.lproj/Localizable.strings": "\"a\" = \"b"]) { folder in
            let run = try ToolProcess.run(["strings", "show", "."], in: folder)
            #expect(run.errors == "en.lproj/Localizable.strings:1:7: error: unterminated string\n")
            let json = try JSONEntity(
                parsing: try ToolProcess.run(["strings", "lint", ".", "--json"], in: folder).output)
            #expect(json[0]["rule"].string() == "unterminated-string")
        }
    }
}
