import AshlarTestSupport
import Foundation
import Testing

@Suite struct TranslationsCommandTests {
    private static let catalog = """
        {
          "sourceLanguage" : "en",
          "strings" : {
            "%lld posts" : {
              "localizations" : {
                "de" : {
                  "variations" : {
                    "plural" : {
                      "one" : { "stringUnit" : { "state" : "translated", "value" : "%lld Beitrag" } },
                      "other" : { "stringUnit" : { "state" : "translated", "value" : "%lld Beiträge" } }
                    }
                  }
                }
              }
            },
            "Save" : {
              "extractionState" : "manual",
              "localizations" : {
                "de" : { "stringUnit" : { "state" : "translated", "value" : "Speichern" } }
              }
            }
          },
          "version" : "1.0"
        }
        """

    @Test(
        "An exported file with a corrected translation updates the string catalog",
        arguments: [("xliff12", "xliff"), ("xliff20", "xliff"), ("csv", "csv")])
    func roundTrip(format: String, suffix: String) throws {
        try withFolder(["Localizable.xcstrings": Self.catalog]) { folder in
            let export = ["translations", "export", folder.path, "--language", "de", "--format", format]
            let text = try ToolProcess.run(export).output
            #expect(text.utf8.last == UInt8(ascii: "\n") && !text.hasSuffix("\n\n") && !text.hasSuffix("\r\n\n"))
            let file = folder.appending(path: "de.\(suffix)")
            try Data(text.utf8).write(to: file)
            let command = ["translations", "import", folder.path, file.path]
            let same = try ToolProcess.run(command)
            #expect(same.status == 0 && same.output == "0 added, 0 updated, 3 unchanged, 0 conflicts\n")
            try Data(text.replacing("Speichern", with: "Sichern").replacing("Beitrag<", with: "Post<").utf8).write(
                to: file)
            let run = try ToolProcess.run(command)
            let catalog = folder.appending(path: "Localizable.xcstrings")
            #expect(run.status == 0 && run.output.hasPrefix(catalog.path))
            let written = try String(contentsOf: catalog, encoding: .utf8)
            let expected = Self.catalog.replacing("Speichern", with: "Sichern")
            #expect(written == (format == "csv" ? expected : expected.replacing("Beitrag", with: "Post")))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2, "no .lproj folder")
        }
    }

    @Test("A conflict is reported, or decided by an option")
    func conflicts() throws {
        let files = [
            "en.lproj/Localizable.strings": "\"a\" = \"A\";\n\"b\" = \"B\";\n",
            "de.lproj/Localizable.strings": "\"a\" = \"eins\";\n", "new.csv": "key,en,de\na,A,zwei\nb,B,Be\n",
            "old.csv": "key,en,de\na,A,eins\n",
        ]
        for (options, text, status) in [
            ([], "eins", 1), (["--ours"], "eins", 0), (["--theirs"], "zwei", 0), (["--ancestor"], "zwei", 0),
        ] as [([String], String, Int32)] {
            try withFolder(files) { folder in
                let options = options == ["--ancestor"] ? ["--ancestor", folder.path + "/old.csv"] : options
                let run = try ToolProcess.run(
                    ["translations", "import", folder.path, folder.path + "/new.csv"] + options)
                #expect(run.status == status)
                #expect(run.errors.contains("merge-conflict") == (status == 1))
                let german = try String(
                    contentsOf: folder.appending(path: "de.lproj/Localizable.strings"), encoding: .utf8)
                #expect(german == "\"a\" = \"\(text)\";\n\"b\" = \"Be\";\n", "the other unit is imported in any case")
            }
        }
    }

    @Test("An import that is killed at any time leaves every file whole, and can be repeated", .timeLimit(.minutes(3)))
    func killed() throws {
        let units = (0..<40).map {
            """
            "key \($0)" : { "localizations" : { "de" : { "stringUnit" : { "state" : "translated", "value" : "old \($0)" } } } }
            """
        }
        let catalog =
            "{ \"sourceLanguage\" : \"en\", \"strings\" : {\n\(units.joined(separator: ",\n"))\n}, \"version\" : \"1.0\" }\n"
        let strings = (0..<40).map { "\"key \($0)\" = \"old \($0)\";\n" }.joined()
        var files: [String: String] = [:]
        for number in 0..<8 {
            files["C\(number).xcstrings"] = catalog
            files["de.lproj/S\(number).strings"] = strings
            files["en.lproj/S\(number).strings"] = strings.replacing("old", with: "source")
        }
        try withFolder(files) { folder in
            let file = folder.appending(path: "new.csv")
            let export = ["translations", "export", folder.path, "--format", "csv", "--language", "de"]
            let text = try ToolProcess.run(export).output
            try Data(text.replacing("old", with: "new").utf8).write(to: file)
            let command = ["translations", "import", folder.path, file.path, "--theirs"]
            let start = ContinuousClock.now
            #expect(try ToolProcess.run(command).status == 0)
            let whole = (ContinuousClock.now - start) / .seconds(1)
            let names = files.keys.filter { !$0.hasPrefix("en.") }
            func read(_ name: String) throws -> String {
                try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            }
            let new = try Dictionary(uniqueKeysWithValues: names.map { ($0, try read($0)) })
            #expect(names.allSatisfy { new[$0] == files[$0]?.replacing("old", with: "new") })
            for step in 0..<8 {
                for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
                let process = Process()
                process.executableURL = try ToolProcess.program()
                process.arguments = command
                process.standardOutput = FileHandle.nullDevice
                process.standardError = FileHandle.nullDevice
                try process.run()
                Thread.sleep(forTimeInterval: whole * (0.6 + 0.05 * Double(step)))
                kill(process.processIdentifier, SIGKILL)
                process.waitUntilExit()
                for name in names {
                    let text = try read(name)
                    #expect(text == new[name] || text == files[name], "\(name) is damaged")
                }
            }
            #expect(try ToolProcess.run(command).status == 0)
            for name in names { #expect(try read(name) == new[name]) }
        }
    }

    @Test("A long text doesn't widen the columns of the list of strings")
    func columns() throws {
        let long = String(repeating: "word ", count: 100)
        try withFolder(["en.lproj/Localizable.strings": "\"a\" = \"short\";\n\"b\" = \"\(long)\";\n"]) { folder in
            let lines = try ToolProcess.run(["strings", "show", folder.path]).output.split(separator: "\n")
            #expect(lines.first == "a  short  en.lproj/Localizable.strings:1:1")
        }
    }
}
