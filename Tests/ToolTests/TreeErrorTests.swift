import Foundation
import Testing

/// Each command that reads a tree reports the errors of the tree's files and exits with 1.
@Suite struct TreeErrorTests {
    /// A string catalog that ends within its third text.
    private static let cut = """
        {"sourceLanguage": "en", "version": "1.0", "strings": {
          "Open": {"localizations": {"fr": {"stringUnit": {"state": "translated", "value": "Ouvrir"}}}},
          "Save": {}, "Clo
        """
    /// Git's marks of a conflict in a strings file.
    private static let conflict = """
        "open" = "Ouvrir";
        <<<<<<< HEAD
        "save" = "Enregistrer";
        =======
        "save" = "Sauver";
        >>>>>>> work
        "close" = "Fermer";
        """

    static let files: [(name: String, text: String, place: String)] = [
        ("Localizable.xcstrings", cut, "Localizable.xcstrings:3"),
        ("Localizable.xcstrings", "", "Localizable.xcstrings:1"),
        (
            "Localizable.xcstrings", cut.replacing("\"Save\"", with: "<<<<<<< HEAD\n\"Save\""),
            "Localizable.xcstrings:3"
        ),
        (
            "acme.lproj/Localizable.xcstrings", #"{"sourceLanguage": "en", "strings": {}}"#,
            "acme.lproj/Localizable.xcstrings"
        ),
        ("fr.lproj/Localizable.strings", conflict, "fr.lproj/Localizable.strings:2"),
        ("fr.lproj/Localizable.strings", "\"open\" = \"Ouv", "fr.lproj/Localizable.strings:1"),
        ("fr.lproj/More.stringsdict", "<plist><dict>", "fr.lproj/More.stringsdict:1"),
        ("acme.lproj/Localizable.strings", "\"open\" \"Open\";", "acme.lproj/Localizable.strings:1"),
        ("acme.lproj/fr.lproj/Localizable.strings", "\"open\" \"Open\";", "acme.lproj/fr.lproj/Localizable.strings:1"),
    ]

    @Test(
        "Every command that reads a tree reports its errors, and exits with 1",
        arguments: [
            ["keys", "."], ["strings", "coverage", "."], ["strings", "coverage", ".", "--missing"],
            ["strings", "show", "."], ["strings", "explain", ".", "open"], ["strings", "lint", "."],
        ])
    func errors(arguments: [String]) throws {
        for file in Self.files {
            try withFolder(["en.lproj/Localizable.strings": "\"open\" = \"Open\";", file.name: file.text]) { folder in
                let run = try ToolProcess.run(arguments, in: folder)
                #expect(run.status == 1, "\(arguments) \(file.name) \(run.transcript)")
                let found = arguments.contains("lint") ? run.output : run.errors
                #expect(found.contains("\(file.place)"), "\(arguments) \(file.name): \(run.transcript)")
            }
        }
    }

    @Test("A key in a part of a file that isn't read is explained by the file's error")
    func unreadKey() throws {
        try withFolder(["Localizable.xcstrings": Self.cut]) { folder in
            let run = try ToolProcess.run(["strings", "explain", ".", "Save"], in: folder)
            #expect(run.status == 1)
            #expect(run.errors.contains("Localizable.xcstrings:3") && run.errors.contains("no string for 'Save'"))
        }
    }

    @Test("The generator of keys reports each error once")
    func once() throws {
        for file in Self.files {
            try withFolder([file.name: file.text, "Routes.txt": "home /\nHome /h\n"]) { folder in
                let run = try ToolProcess.run(["keys", "."], in: folder)
                let lines = run.errors.split(separator: "\n")
                #expect(lines.count == Set(lines).count && lines.count > 1, "\(run.errors)")
            }
        }
    }

    @Test("A tree without errors has the exit status 0, whatever its warnings")
    func warnings() throws {
        let files = [
            "en.lproj/Localizable.strings": "\"open\" = \"Open\"; \"open\" = \"Open again\";",
            "fr.lproj/Localizable.strings": "\"more\" = \"Plus\";",
        ]
        try withFolder(files) { folder in
            for arguments in [["keys", "."], ["strings", "coverage", "."], ["strings", "show", "."]] {
                let run = try ToolProcess.run(arguments, in: folder)
                #expect(run.status == 0, "\(run.transcript)")
            }
        }
    }

    @Test("A finding in a catalog names its key and language, and --json has both")
    func catalogFindings() throws {
        let catalog = """
            {"sourceLanguage": "en", "version": "1.0", "strings": {
              "sent": {"localizations": {
                "en": {"stringUnit": {"state": "translated", "value": "%@ sent"}},
                "fr": {"stringUnit": {"state": "translated", "value": "%@ a envoyé %lld"}},
                "de": {"variations": {"plural": {"one": {"stringUnit": {"state": "translated", "value": "%@"}}}}}
              }},
              "odd": 3
            }, "later": {"localizations": {}}}
            """
        try withFolder(["Localizable.xcstrings": catalog]) { folder in
            let text = try ToolProcess.run(["strings", "lint", "."], in: folder).output
            for line in [
                "Localizable.xcstrings:4:5: error: \"sent\" in fr: argument 2 (integer (ll)) is not used in the base language",
                "Localizable.xcstrings:5:27: error: \"sent\" in de: there is no text for other",
                "Localizable.xcstrings:7:3: error: expected a dictionary for \"odd\", found a whole number",
                "Localizable.xcstrings:8:4: warning: \"later\" is outside of \"strings\" and is not read",
            ] { #expect(text.contains(line), "\(line)\n\(text)") }
            let json = try ToolProcess.run(["strings", "lint", ".", "--json"], in: folder).output
            struct Finding: Decodable { let rule: String, language: String?, key: String? }
            let findings = try JSONDecoder().decode([Finding].self, from: Data(json.utf8))
            #expect(
                findings.contains { $0.rule == "placeholder-extra" && $0.language == "fr" && $0.key == "sent" })
            #expect(findings.contains { $0.rule == "plural-malformed" && $0.language == nil && $0.key == "odd" })
        }
        try withFolder(["en.lproj/a.strings": "\"a\" = \"b\";", "fr.lproj/a.strings": "\"c\" = \"d\";"]) { folder in
            let json = try ToolProcess.run(["strings", "lint", ".", "--json"], in: folder).output
            #expect(json.ranges(of: "\"language\": \"fr\"").count == 2)
        }
    }

    @Test("A key that a catalog has twice is reported")
    func twice() throws {
        let catalog = """
            {"sourceLanguage": "en", "version": "1.0", "strings": {
              "a": {"localizations": {"en": {"stringUnit": {"state": "translated", "value": "1"}}}},
              "a": {"localizations": {"en": {"stringUnit": {"state": "translated", "value": "2"}}}}
            }}
            """
        try withFolder(["Localizable.xcstrings": catalog]) { folder in
            let text = try ToolProcess.run(["strings", "lint", "."], in: folder).output
            #expect(text.contains("Localizable.xcstrings:3:3: warning: duplicate key \"a\""), "\(text)")
        }
    }
}
