import Ashlar
import AshlarAppConfig
import AshlarBase
import AshlarCore
import AshlarCustomization
import AshlarEventBus
import AshlarLogging
import AshlarNetworking
import AshlarTestSupport
import AshlarTesting
import AshlarTexts
import Foundation
import Testing

@testable import AshlarInspector

/// The sections of a document.
@Suite struct DocumentTests {
    #if os(Linux) || os(macOS)
        @Test("Runs have their outcomes, levels, contexts and fields; a limit keeps the newest lines")
        func runs() async throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
            defer { try? FileManager.default.removeItem(atPath: folder) }
            for run in ["first", "second"] {
                await #expect(processExitsWith: .success) { [folder = folder as String, run = run as String] in
                    LogSystem.start(LogConfiguration(folder: folder, sinks: []))
                    Log("Net").info("\(run) info")
                    Log("Net").error("\(run) <error>\nwith two lines", ["code": 7, "password": "planted-secret"])
                }
            }
            var document = InspectorDocument(title: "Runs")
            document.addRuns(in: folder)
            var runs = try #require(document.runs)
            #expect(runs.map(\.number) == [1, 2] && runs.allSatisfy { $0.outcome == "clean" && $0.omittedLines == 0 })
            #expect(
                runs[0].lines.map(\.level) == [4, 2]
                    && runs[0].lines.map { runs[0].contexts[$0.context] } == ["Net", "Net"])
            #expect(runs[0].lines[1].text.hasPrefix("second <error>") && runs[0].lines[1].text.contains("code=7"))
            #expect(runs[0].lines[0].time >= runs[1].lines[1].time && runs[1].lines[1].time > 1_600_000_000_000_000)
            #expect(!String(decoding: try document.json(), as: UTF8.self).contains("planted-secret"))
            document.addRuns(in: folder, lineLimit: 3)
            runs = try #require(document.runs)
            #expect(runs.map(\.lines.count) == [2, 1] && runs.map(\.omittedLines) == [0, 1])
            #expect(runs[1].lines[0].text.hasPrefix("first <error>"))
        }
    #endif

    @Test("Secrets of an archive that another program recorded aren't in the document")
    func requests() throws {
        let url = try HTTPURL("https://ann:planted1@api.example.com/notes?token=planted2&page=1")
        let request = HARRequest(
            .post, url, headers: ["Authorization": "Bearer planted3", "Content-Type": "application/json", "X-Id": "7"],
            body: Array(#"{"password":"planted4","title":"Milk"}"#.utf8))
        let response = HARResponse(
            status: 200, headers: ["Set-Cookie": "id=planted5", "Content-Type": "application/json"],
            body: Array(#"{"apiKey":"planted6"}"#.utf8))
        var document = InspectorDocument(title: "Requests")
        try document.addRequests(HARArchive([HAREntry(request: request, response: response)]))
        let text = try document.page()
        #expect(!text.contains("planted"))
        #expect(text.contains("page=1") && text.contains("Milk") && text.contains("X-Id"))
    }

    @Test("A configuration has the origins and overridden values of its keys, without secrets")
    func configuration() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, text) in [
            ("ApplicationConfig.json", #"{"timeout": 30, "db": {"password": "planted"}}"#),
            ("ApplicationConfig.debug.json", #"{"timeout": 15}"#),
        ] {
            try Data(text.utf8).write(to: folder.appending(path: name))
        }
        let report = ApplicationConfig.loadReport(
            ConfigPlan(files: .directory(folder.path), environments: ["debug"]))
        #expect(report.errors.isEmpty)
        var document = InspectorDocument(title: "Configuration")
        document.addConfiguration(report.config)
        let values = try #require(document.configuration)
        #expect(values.map(\.key) == ["db.password", "timeout"])
        #expect(values[0].isSecret && values[1].text == "15" && values[1].overridden.map(\.text) == ["30"])
        #expect(!String(decoding: try document.json(), as: UTF8.self).contains("planted"))
    }

    @Test("Lists, dictionaries and long texts are there in full, without the secrets in them")
    func fullValues() throws {
        let long = String(repeating: "long ", count: 60)
        var document = InspectorDocument(title: "Configuration")
        document.addConfiguration([
            "tags": ["one", "two"], "empty": [], "short": "text", "number": 5, "long": .string(long),
            "proxies": [["host": "a.example.com", "password": "planted", "url": "https://ann:planted@b.example.com/"]],
            "password": ["planted"],
        ])
        let values = try #require(document.configuration)
        let full = Dictionary(uniqueKeysWithValues: values.map { ($0.key, $0.full) })
        #expect(
            full["tags"] == #"""
                [
                  "one",
                  "two"
                ]
                """#)
        for key in ["empty", "short", "number", "password"] { #expect(full[key] == .some(nil), "\(key)") }
        #expect(full["long"] == "\"\(long)\"" && values.first { $0.key == "long" }?.text.hasSuffix("…\"") == true)
        let proxies = try JSONEntity(parsing: try #require(values.first { $0.key == "proxies" }?.full))
        #expect(
            proxies[0]["host"].string() == "a.example.com" && proxies[0]["url"].string("").contains("b.example.com"))
        #expect(!String(decoding: try document.json(), as: UTF8.self).contains("planted"))
    }

    @Test("A document without the newer fields is read")
    func olderDocument() throws {
        let read = try InspectorDocument(
            json: Array(
                #"""
                {"title": "old", "createdAt": 1,
                 "configuration": [{"key": "a", "text": "1", "isSecret": false, "merged": [], "overridden": []}],
                 "strings": {"base": "en", "brands": [""], "languages": [{"tag": "en", "cells": [{"total": 1, "missing": []}]}]}}
                """#.utf8))
        #expect(read.configuration?[0].text == "1" && read.configuration?[0].full == nil)
        #expect(read.strings?.languages[0].tag == "en" && read.strings?.keys == nil)
        #expect(try read.page().contains("\"tag\":\"en\""))
    }

    @Test("A matrix of languages and brands has the strings that are shown in the base language")
    func strings() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (path, text) in [
            ("en.lproj", #""a" = "A"; "b" = "B"; "c" = "C";"#), ("de.lproj", #""a" = "Ä";"#),
            ("acme.lproj", #""b" = "Acme";"#), ("acme.lproj/en.lproj", #""a" = "Acme A"; "d" = "D";"#),
            ("acme.lproj/de.lproj", #""d" = "Dé";"#),
        ] {
            let place = folder.appending(path: path)
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: place.appending(path: "Localizable.strings"))
        }
        var document = InspectorDocument(title: "Strings")
        document.addStrings(Customization(path: folder.path))
        let strings = try #require(document.strings)
        #expect(strings.brands == ["", "acme"] && strings.languages.map(\.tag) == ["en", "de"])
        let german = strings.languages[1].cells
        #expect(german[0].missing == ["Localizable: b", "Localizable: c"] && german[0].total == 3)
        // The brand's own English text hides the German one without the brand; its text without a language has all.
        #expect(german[1].missing == ["Localizable: a", "Localizable: c"] && german[1].total == 4)
        #expect(strings.languages[0].cells.allSatisfy { $0.missing.isEmpty })
        // The own texts in English, English for the brand, German and German for the brand; a brand's text without a language
        // is one of the base language.
        let texts = Dictionary(uniqueKeysWithValues: try #require(strings.keys).map { ($0.key, $0.texts) })
        #expect(
            texts == [
                "a": ["A", "Acme A", "Ä", nil], "b": ["B", "Acme", nil, nil], "c": ["C", nil, nil, nil],
                "d": [nil, "D", nil, "Dé"],
            ])
    }

    @Test("Hosts, routes, services and events are those of their sources")
    func others() async throws {
        var document = InspectorDocument(title: "Others")
        document.addHosts(HostSwitch(try HostMap(json: Array(exampleMapText.utf8)), store: .none))
        #expect(document.hosts?.isEmpty == false)
        document.addRoutes(
            try RouteTable(["/notes/:id(int)", "/notes/new"]),
            names: ["/notes/new": (name: "new", location: "routes.txt:2")])
        // The literal route comes first.
        #expect(
            document.routes?.map(\.pattern) == ["/notes/new", "/notes/:id(int)"] && document.routes?[0].name == "new")
        let services = ServiceRegistry(bus: EventBus())
        try await services.register("store") { NoService($0) }
        try await services.register("sync", needs: ["store"]) { NoService($0) }
        await document.addServices(services)
        #expect(document.services?.map(\.needs) == [[], ["store"]] && document.services?[0].state == "registered")
        document.events = [
            InspectedEvent(
                number: 4, name: "a:b", time: 1_764_000_000_500_000, payload: #"{"x":1}"#, source: nil,
                location: "M/F.swift:3")
        ]
        let read = try InspectorDocument(json: try document.json())
        let values = [try JSONEntity(parsing: try read.json()), try JSONEntity(parsing: try document.json())]
        #expect(values[0] == values[1] && read.runs == nil && !read.isEmpty)
    }

    @Test("A damaged document is an error with the path of the value")
    func damaged() {
        for text in ["", "[]", #"{"title":1,"createdAt":1}"#, #"{"title":"x","createdAt":1,"runs":[{"number":1}]}"#] {
            #expect(throws: NetworkError.self, "\(text)") { try InspectorDocument(json: Array(text.utf8)) }
        }
    }

    @Test("A text of a language is one of its regions, too")
    func coverage() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = [
            "en.lproj": ["a", "b", "c"], "fr.lproj": ["a", "b"], "fr-CA.lproj": ["a"], "frr.lproj": ["c"],
            "acme.lproj/fr.lproj": ["a"], "acme.lproj/en.lproj": ["a"],
        ]
        for (name, keys) in files {
            let path = folder.appending(path: name)
            try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
            try Data(keys.map { "\"\($0)\" = \"\(name)\";\n" }.joined().utf8).write(
                to: path.appending(path: "Localizable.strings"))
        }
        let coverage = StringsCoverage(Customization(path: folder.path, base: "en"))
        #expect(coverage.missing("fr").map(\.key) == ["c"] && coverage.missing("fr-CA").map(\.key) == ["c"])
        #expect(coverage.missing("frr").map(\.key) == ["a", "b"])
        #expect(coverage.count("fr-CA") == 2 && coverage.count("fr") == 2)
        #expect(coverage.missing("fr-CA", brand: "acme").map(\.key) == ["c"])
        #expect(coverage.missing("frr", brand: "acme").map(\.key) == ["a", "b"])
    }

    @Test("Values that nobody translates are not missing; a button's title is")
    func untranslated() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = [
            "en.lproj/Localizable.strings": """
            "yes" = "Yes"; "isOn" = "YES"; "limit" = "4"; "tint" = "#102030"; "logo" = "logo.png"; "page" = "a/b.png";
            "two" = "two";
            """,
            "de.lproj/Localizable.strings": "\"two\" = \"2\";",
            "More.xcstrings": """
            {"sourceLanguage": "en", "version": "1.0", "strings": {
                "": {}, "fixed": {"shouldTranslate": false}, "open": {}}}
            """,
        ]
        for (name, text) in files {
            let path = folder.appending(path: name)
            try FileManager.default.createDirectory(
                at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: path)
        }
        let coverage = StringsCoverage(Customization(path: folder.path, base: "en"))
        #expect(
            coverage.missing("de").map { "\($0.table).\($0.key)" } == [
                "Localizable.page", "Localizable.yes", "More.open",
            ])
        #expect(coverage.total == 4 && coverage.count("de") == 1)
    }
}

private struct NoService: Service {
    init(_ context: ServiceContext) {}
}
