import Foundation
import Testing

/// Typed keys from an app's files.
@Suite struct KeysCommandTests {
    private static let files = [
        "en.lproj/Localizable.strings": """
        "note.share" = "Share";
        "class" = "Class"; "self" = "Self"; "3d" = "3D"; "🎉" = "Party"; "größe" = "Size"; "URLPath" = "Path";
        "a-b" = "one";
        "quote\\"\\n\\\\(evil)" = "*/ \\"\\\\(1+1)\\n\\U2028 let x = 1";
        "notes" = "%d notes"; "sent" = "%1$@ sent %2$lld of %3$.1f"; "half" = "50 % of all";
        "icu" = "{name} has {count, plural, one {# file} other {# files}}"; "limit" = "4"; "on" = "YES"; "yes" = "Yes"; "ratio" = "0.5";
        "tint" = "#102030"; "image" = "logo.png";
        """,
        "en.lproj/Errors.strings": "\"offline\" = \"Offline\";",
        "en.lproj/Localizable.stringsdict": """
        <plist version="1.0"><dict><key>files</key><dict>
        <key>NSStringLocalizedFormatKey</key><string>%#@files@ in %@</string>
        <key>files</key><dict><key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string>
        <key>NSStringFormatValueTypeKey</key><string>lld</string><key>one</key><string>one file</string>
        <key>other</key><string>%lld files</string></dict></dict></dict></plist>
        """,
        "fr.lproj/Localizable.strings": "\"note.share\" = \"Partager\";",
        "fr-CA.lproj/Localizable.strings": "\"class\" = \"Classe\";",
        "en.lproj/logo@2x.png": "", "acme.lproj/logo.png": "", "acme.lproj/deep~ipad.svg": "",
        "ApplicationConfig.json": """
        {"api": {"timeout": 1.5, "key": "hunter2", "retries": 3, "hosts": ["a", "b"], "mixed": [1, "a"]},
         "com.acme.app": {"api": {"timeout": 9}}, "default": true}
        """,
        "ApplicationConfig.debug.json": #"{"api": {"timeout": 99}}"#,
        "HostMap.json": """
        {"configurations": [{"canonical_host": "api.example.com", "hosts": []}, {"canonical_host": "cdn.a.com", "hosts": []},
         {"canonical_host": "cdn.b.com", "hosts": []}]}
        """,
        "Routes.txt": "note /notes/:id(int)\nhome /\nfile /files/*path\n",
    ]

    @Test("The generated source is that of the golden file, and the same in each run")
    func golden() throws {
        try withFolder(Self.files) { folder in
            let run = try ToolProcess.run(["keys", "."], in: folder)
            let found = run.transcript
            let file = ToolProcess.root.appending(path: "Tests/ToolTests/Fixtures/keys-source.txt")
            if ProcessInfo.processInfo.environment["ASHLAR_RECORD"] == "1" { try Data(found.utf8).write(to: file) }
            #expect(found == (try String(contentsOf: file, encoding: .utf8)))
            #expect(!found.contains("hunter2") && !found.contains("99"))
            #expect(try ToolProcess.run(["keys", "."], in: folder).transcript == found)
        }
    }

    @Test("A setting with an environment variable has an empty default, whatever the variable is on this machine")
    func variables() throws {
        let files = [
            "ApplicationConfig.json": """
            {"url": "https://${env:ASHLAR_HOST}/", "again": "<${url}>", "port": "${env:ASHLAR_PORT:-8080}",
             "hosts": ["a", "${env:ASHLAR_HOST}"], "plain": "${port}"}
            """
        ]
        try withFolder(files) { folder in
            let unset = try ToolProcess.run(["keys", "."], in: folder)
            let set = try ToolProcess.run(
                ["keys", "."], environment: ["ASHLAR_HOST": "build.example.com", "ASHLAR_PORT": "1"], in: folder)
            #expect(unset.status == 0, "\(unset.transcript)")
            #expect(unset.output == set.output)
            for declaration in [
                #"url = ConfigKey<String>("url", default: "")"#, #"again = ConfigKey<String>("again", default: "")"#,
                #"hosts = ConfigKey<[String]>("hosts", default: [])"#,
                #"port = ConfigKey<String>("port", default: "8080")"#,
                #"plain = ConfigKey<String>("plain", default: "8080")"#, "`\"https://${env:ASHLAR_HOST}/\"`",
            ] {
                #expect(unset.output.contains(declaration), "\(declaration)\n\(unset.output)")
            }
        }
    }

    @Test("A reference to a missing setting is an error of the files")
    func missingReference() throws {
        try withFolder(["ApplicationConfig.json": #"{"url": "${no.such}"}"#]) { folder in
            let run = try ToolProcess.run(["keys", "."], in: folder)
            #expect(run.status == 1 && run.errors.contains("${no.such} is not defined"), "\(run.transcript)")
        }
    }

    @Test("An error of a file is reported with its line, and the exit status is 1")
    func errors() throws {
        let files = [
            "Routes.txt": "a /x/:\nb\n", "HostMap.json": "{\n\"configurations\": [}", "en.lproj/x.strings": "",
        ]
        try withFolder(files) { folder in
            let run = try ToolProcess.run(["keys", "."], in: folder)
            #expect(run.status == 1)
            for place in ["./Routes.txt:1: error: ", "./Routes.txt:2: error: ", "./HostMap.json:2: error: "] {
                #expect(run.errors.contains(place), "\(run.errors)")
            }
        }
    }

    // MARK: Arguments

    /// Returns a string catalog whose keys have texts by language, each a JSON text of a localization.
    private static func catalog(_ keys: KeyValuePairs<String, [String: String]>) -> String {
        let entries = keys.map { key, languages in
            let texts = languages.sorted { $0.key < $1.key }.map { "\"\($0)\": \($1)" }.joined(separator: ", ")
            return "\"\(key)\": {\"localizations\": {\(texts)}}"
        }
        return
            "{\"sourceLanguage\": \"en\", \"version\": \"1.0\", \"strings\": {\n\(entries.joined(separator: ",\n"))}}"
    }

    private static func unit(_ text: String) -> String {
        "{\"stringUnit\": {\"state\": \"translated\", \"value\": \"\(text)\"}}"
    }

    private static func plural(_ one: String, _ other: String) -> String {
        "{\"variations\": {\"plural\": {\"one\": \(unit(one)), \"other\": \(unit(other))}}}"
    }

    private static func devices(_ choices: KeyValuePairs<String, String>) -> String {
        "{\"variations\": {\"device\": {" + choices.map { "\"\($0)\": \($1)" }.joined(separator: ", ") + "}}}"
    }

    @Test(
        "The arguments of a text are those of the key, of every language and of every device",
        arguments: [
            // Only the key has an argument.
            ("favorite %lld", ["en": unit("Favorite")], "favoriteLld(count: Int)"),
            ("a %@ of %lld", [:], "aOfLld(_ value1: String, _ value2: Int)"),
            // Only another language has one.
            ("left", ["en": unit("Left"), "fr": unit("Il reste %lld")], "left(count: Int)"),
            ("days", ["en": unit("Days"), "fr": plural("un jour", "%lld jours")], "days(count: Int)"),
            ("who", ["en": unit("Someone"), "de": unit("{name} ist da")], "who(name: any FormatArgument)"),
            // Devices of another system.
            (
                "tap", ["en": devices(["mac": unit("Click"), "iphone": plural("Tap once", "Tap %lld times")])],
                "tap(count: Int)"
            ),
            (
                "open", ["en": devices(["applewatch": unit("Open %@"), "other": unit("Open")])],
                "open(_ value1: String)"
            ),
            // A number with decimals.
            (
                "distance",
                [
                    "en": """
                    {"stringUnit": {"state": "translated", "value": "%#@km@ away"}, "substitutions": {"km": {
                    "argNum": 1, "formatSpecifier": "lf", "variations": {"plural": {
                    "one": \(unit("%arg kilometer")), "other": \(unit("%arg kilometers"))}}}}}
                    """
                ], "distance(km: Double)"
            ),
            ("shown", ["en": plural("%@ file", "%@ files")], "shown(count: Int)"),
            // An amount has its currency, which a number doesn't have.
            ("price", ["en": unit("{price, number, currency}")], "price(price: any FormatArgument)"),
            ("fee", ["en": unit("{fee, number, ::currency/EUR}")], "fee(fee: Double)"),
        ] as [(String, [String: String], String)])
    func signature(_ key: String, _ texts: [String: String], _ expected: String) throws {
        try withFolder(["Localizable.xcstrings": Self.catalog([key: texts])]) { folder in
            let run = try ToolProcess.run(["keys", "."], in: folder)
            #expect(run.output.contains("static func \(expected) -> CustomizationText"), "\(run.transcript)")
            #expect(run.status == 0)
        }
    }

    @Test(
        "Texts that contradict each other are errors with file and line",
        arguments: [
            (["en": unit("%@"), "fr": unit("%lld")], "argument 1 is a whole number in fr and a text in en"),
            (["en": unit("%lld"), "fr": unit("%.1f")], "argument 1 is a number in fr and a whole number in en"),
            (["en": unit("%1$@ %1$lld")], "argument 1 is a whole number in en and a text in en"),
            (
                ["en": unit("100 % sure %@")],
                "\"% s\" in en is read as a placeholder; write %% for a percent sign"
            ),
            (["en": unit("{n}"), "fr": unit("%lld")], "fr has arguments by position, and en has them by name"),
            (
                ["en": unit("{n, number}"), "fr": unit("{n, select, a {x} other {y}}")],
                "argument n is a text in fr and a number in en"
            ),
        ] as [([String: String], String)])
    func contradictions(_ texts: [String: String], _ problem: String) throws {
        try withFolder(["Localizable.xcstrings": Self.catalog(["k": texts])]) { folder in
            let run = try ToolProcess.run(["keys", "."], in: folder)
            #expect(run.status == 1)
            #expect(run.errors.contains("./Localizable.xcstrings:2:"), "\(run.errors)")
            #expect(run.errors.contains("error: 'k': \(problem)"), "\(run.errors)")
        }
    }

    @Test("A key with arguments by position contradicts a text with arguments by name")
    func keyContradiction() throws {
        let catalog = Self.catalog(["%lld items": ["en": Self.unit("{count} items")]])
        try withFolder(["Localizable.xcstrings": catalog]) { folder in
            let run = try ToolProcess.run(["keys", "."], in: folder)
            #expect(run.status == 1)
            #expect(run.errors.contains("the key has arguments by position, and en has them by name"), "\(run.errors)")
        }
    }

    // MARK: Names

    @Test("Two keys with one name are an error that names both, in the command and in the source")
    func collisions() throws {
        let files = [
            "en.lproj/Localizable.strings": "\"BookNow\" = \"Book\";\n\"Book Now\" = \"Book it\";",
            "Routes.txt": "home /\nhome /start\n",
        ]
        try withFolder(files) { folder in
            let run = try ToolProcess.run(["keys", "."], in: folder)
            #expect(run.status == 1)
            for line in [
                "./en.lproj/Localizable.strings:1:1: error: 'Book Now' and 'BookNow' have the same name bookNow",
                "./Routes.txt:2: error: the route 'home' is also at line 1",
            ] { #expect(run.errors.contains(line), "\(run.errors)") }
            #expect(run.output.contains("#error(\"'Book Now' and 'BookNow' have the same name bookNow\")"))
            #expect(!run.output.contains("let bookNow"))
        }
    }

    @Test("A dot in a key is part of the name, in texts and in settings")
    func nesting() throws {
        let files = [
            "en.lproj/Localizable.strings": "\"list.title\" = \"Notes\"; \"list\" = \"List\";",
            "ApplicationConfig.json": #"{"list": {"title": "Notes"}, "a": {"b": {"c": 1}}}"#,
        ]
        try withFolder(files) { folder in
            let run = try ToolProcess.run(["keys", "."], in: folder)
            for line in [
                #"static let listTitle = CustomizationText("list.title")"#,
                #"static let list = CustomizationText("list")"#,
                #"static let listTitle = ConfigKey<String>("list.title""#, #"static let aBC = ConfigKey<Int>("a.b.c""#,
            ] { #expect(run.output.contains(line), "\(run.transcript)") }
            #expect(run.status == 0)
        }
    }

    @Test("A text of the base language always has a value; one of a theme alone doesn't")
    func themes() throws {
        let files = [
            "en.lproj/Localizable.strings": "\"both\" = \"Base\";",
            "Themes.json": #"{"themes": [{"name": "Night", "attributes": {"both": "Theme", "own": "Theme"}}]}"#,
        ]
        try withFolder(files) { folder in
            let run = try ToolProcess.run(["keys", "."], in: folder)
            #expect(run.output.contains(#"both = CustomizationText("both")"#), "\(run.transcript)")
            #expect(run.output.contains(#"own = CustomizationKey<String>("own")"#), "\(run.transcript)")
            #expect(run.status == 0)
        }
    }

    @Test("An image with files of several types has its name without a type, so that a new file doesn't move it")
    func imageTypes() throws {
        let files = [
            "en.lproj/logo.png": "", "acme.lproj/icon@2x.png": "", "en.lproj/icon.png": "", "en.lproj/.png": "",
        ]
        try withFolder(files) { folder in
            #expect(try ToolProcess.run(["keys", "."], in: folder).output.contains("static let logo = \"logo.png\""))
            try Data().write(to: folder.appending(path: "acme.lproj/logo.jpg"))
            let run = try ToolProcess.run(["keys", "."], in: folder)
            #expect(run.status == 0 && run.output.contains("static let logo = \"logo\""), "\(run.transcript)")
            #expect(run.output.contains("static let icon = \"icon.png\""))
        }
    }

    #if os(Linux)
        /// Type-checks the generated source with a use of it; returns the errors.
        private func check(_ use: String, in folder: URL) throws -> String {
            let source = folder.appending(path: "Keys.swift").path
            _ = try ToolProcess.run(["keys", ".", "-o", source, "-m", "Ashlar"], in: folder)
            try Data(
                "import Ashlar\nfunc use(strings: Customization, config: ApplicationConfig) throws {\n\(use)\n}\n".utf8
            )
            .write(to: folder.appending(path: "Use.swift"))
            let build = try ToolProcess.program().deletingLastPathComponent().path
            let manager = FileManager.default
            let sources = ToolProcess.root.appending(path: "Sources").path
            let includes =
                try manager.contentsOfDirectory(atPath: sources).filter { $0.hasPrefix("CAshlar") }
                .map { "\(sources)/\($0)/include" }
                + manager.contentsOfDirectory(atPath: build).map { "\(build)/\($0)" }
                .filter { !$0.hasSuffix("-tool.build") && manager.fileExists(atPath: $0 + "/module.modulemap") }
            let paths = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            let compiler = try #require(
                paths.map { "\($0)/swiftc" }.first(where: FileManager.default.isExecutableFile(atPath:)))
            let run = try ToolProcess.run(
                URL(filePath: compiler),
                ["-typecheck", "-swift-version", "6", "-I", build + "/Modules"]
                    + includes.flatMap { ["-Xcc", "-I\($0)", "-I", $0] } + [source, "Use.swift"],
                ["PATH": paths.joined(separator: ":"), "HOME": folder.path], in: folder)
            return run.status == 0 ? "" : run.errors + run.output
        }

        @Test("The generated source compiles, and a misspelled key or an argument of the wrong type doesn't")
        func compiles() throws {
            try withFolder(Self.files) { folder in
                let use = """
                    let texts: [String] = [
                        strings[Strings.noteShare], strings[Strings.notes(count: 3)],
                        strings[Strings.sent("Zoë", 3, 0.5)], strings[Strings.files(files: 2, "x")],
                        strings[Strings.icu(name: "Zoë", count: 2)], strings[Strings.errors.offline],
                        strings[Strings.`class`], strings[Strings.self_], strings[Strings._3d],
                    ]
                    let color: RGBAColor? = strings[Colors.tint]
                    let (limit, isOn, ratio): (Int?, Bool?, Double?) =
                        (strings[Values.limit], strings[Values.on], strings[Values.ratio])
                    let (timeout, hosts): (Double, [String]) = (config[Settings.apiTimeout], config[Settings.apiHosts])
                    let host: EndpointHost = Hosts.api
                    let image = strings.image(Images.logo)
                    let path = try Routes.note(id: 5) + Routes.home() + Routes.file(path: "a/b") + Routes.patterns.note
                    print(texts, color as Any, limit as Any, isOn as Any, ratio as Any, timeout, hosts, host)
                    print(image as Any, path)
                    """
                let errors = try check(use, in: folder)
                #expect(errors.isEmpty, "\(errors)")
                for wrong in [
                    "print(strings[Strings.noteShar] as Any)", "print(strings[Strings.notes(count: \"3\")])",
                    "print(strings[Strings.notes()])", "let x: Int = config[Settings.apiTimeout]",
                    "print(try Routes.note(id: \"a\"))",
                ] {
                    #expect(try check(wrong, in: folder).contains("error: "), "\(wrong)")
                }
            }
        }
    #endif

    @Test("Parameters of a route have names of their own")
    func routeParameters() throws {
        try withFolder(["Routes.txt": "sum /sum/:values\npair /:user_id/:userId\n"]) { folder in
            let run = try ToolProcess.run(["keys", "."], in: folder)
            #expect(run.output.contains("func sum(values_: String)"))
            #expect(run.output.contains("func pair(userId: String, userId_: String)"))
        }
    }
}
