import AshlarAppConfig
import AshlarTestSupport
import Foundation
import Testing

/// A source whose content is set by tests.
private final class StubSource: ConfigSource, @unchecked Sendable {
    let name = "stub"
    private let lock = NSLock()
    private var current: Result<ConfigSourceContent, any Error>
    private var streams: [AsyncStream<Void>.Continuation] = []

    init(_ content: ConfigSourceContent) { current = .success(content) }

    func set(_ content: Result<ConfigSourceContent, any Error>) {
        let streams = lock.withLock {
            current = content
            return self.streams
        }
        for stream in streams { stream.yield() }
    }

    func content() throws -> ConfigSourceContent { try lock.withLock { current }.get() }

    func changes() -> AsyncStream<Void>? {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        lock.withLock { streams.append(continuation) }
        return stream
    }

    func refresh() async throws { set(.success(.document(ConfigDocument(["fresh": true])))) }
}

/// Lines `path = value`, for the tests of formats.
private struct LinesFormat: ConfigFormat {
    func document(from bytes: [UInt8], limits: ConfigLimits) throws -> ConfigDocument {
        var document = ConfigDocument()
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        for (number, line) in lines.enumerated() where !line.isEmpty {
            let parts = line.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard parts.count == 2 else { throw ConfigError.malformed("expected path = value", line: number + 1) }
            try document.set(.string(parts[1]), at: ConfigPath(parts[0]), line: number + 1)
        }
        return document
    }
}

@Suite struct SourceTests {
    private static let base = ["ApplicationConfig.json": #"{"http": {"timeout": 30, "host": "h"}, "title": "base"}"#]

    @Test(
        "Bytes that set, remove or hide a reserved value are an error that names the place; others aren't",
        arguments: [
            (#"{"network": {"idleTimeout": 1}}"#, nil), (#"{"network.pinned": 1}"#, nil),
            (#"{"network.pinnedKeysOf": 1}"#, nil), (#"{"x.y": {"network": {"idleTimeout": 1}}}"#, nil),
            (#"{"x.y": 5}"#, nil), ("{}", nil), (#"{"network": {"pinnedKeys": 1}}"#, "network.pinnedKeys"),
            (#"{"network": 5}"#, "network"), (#"{"network.pinnedKeys": 1}"#, #"network\.pinnedKeys"#),
            (#"{"network.pinnedKeys.a": 1}"#, #"network\.pinnedKeys\.a"#),
            (#"{"com.acme.app": {"network": null}}"#, #"com\.acme\.app.network"#),
            (#"{"com.acme.app": {"network": {"pinnedKeys": {}}}}"#, #"com\.acme\.app.network.pinnedKeys"#),
            (#"{"com.acme.app": {"network.pinnedKeys": {}}}"#, #"com\.acme\.app.network\.pinnedKeys"#),
        ])
    func reserved(text: String, place: String?) {
        let result = Result { () throws(ConfigError) in
            try ApplicationConfig.revision(
                of: Array(text.utf8), as: nil, at: ConfigLocation(file: "remote.json"), reserved: ["network.pinnedKeys"]
            )
        }
        switch result {
        case .success(let revision): #expect(place == nil && revision == nil)
        case .failure(let error): #expect(error.code == .invalidValue && error.key?.description == place)
        }
    }

    @Test("A source merges over the local file and under variables, and is in explanations")
    func merges() throws {
        var document = ConfigDocument()
        try document.set(15, at: "http.timeout", line: 4, column: 2)
        try document.set("on ${http.host}", at: "title")
        var plan = plan(Self.base)
        plan.variablePrefix = "APP_"
        plan.variables = ["APP_HTTP__RETRIES": "3"]
        plan.add(StubSource(.document(document)))
        let config = try ApplicationConfig.load(plan)
        #expect(config.values == ["http": ["timeout": 15, "host": "h", "retries": "3"], "title": "on h"])
        #expect(
            config.explain("http.timeout").description == """
                http.timeout = 15
                  from stub:4 (source)
                  over 30 from ApplicationConfig.json:1 (base)
                """)
        #expect(config.explain("title").parts.map(\.text) == ["\"h\""])
    }

    @Test(
        "A source has the precedence of the layer that it is added over",
        arguments: [
            (ConfigLayerKind.defaults, "base"), (.base, "debug"), (.environment, "section"), (.bundle, "local"),
            (.local, "variable"), (.variables, "argument"), (.arguments, "source"),
        ])
    func strength(over kind: ConfigLayerKind, winner: String) throws {
        let scratch = try TemporaryFolder([:])
        try scratch.write(#"{"title": "local"}"#, to: "local.json", atomically: false)
        var plan = plan(
            [
                "ApplicationConfig.json": #"{"title": "base", "com.acme.App": {"title": "section"}}"#,
                "ApplicationConfig.debug.json": #"{"title": "debug"}"#,
            ], environments: [.debug], bundle: "com.acme.App")
        plan.defaults = ["title": "defaults"]
        plan.localFile = scratch.file("local.json")
        plan.variablePrefix = "APP_"
        plan.variables = ["APP_TITLE": "variable"]
        plan.arguments = ["--title=argument"]
        plan.add(StubSource(.document(ConfigDocument(["title": "source"]))), over: kind)
        // Without the layers above it, the source's value applies.
        #expect(
            try ApplicationConfig.load(plan).string(forKey: "title") == (kind == .arguments ? "source" : "argument"))
        let order = ["defaults", "base", "debug", "section", "local", "variable", "argument"]
        let config = try ApplicationConfig.load(plan)
        let texts = [config.explain("title").winner?.text] + config.explain("title").shadowed.map(\.text)
        let position = try #require(texts.firstIndex(of: "\"source\""))
        #expect(position == order.count - (order.firstIndex(of: winner) ?? order.count))
    }

    @Test("A format applies to files with its extension, and its errors name file and line")
    func formats() throws {
        var plan = plan([
            "ApplicationConfig.json": #"{"http": {"timeout": 30}, "url": "https://${http.host}"}"#,
            "ApplicationConfig.lines": "\nhttp.host = example.org\nhttp.timeout = 5",
            "ApplicationConfig.debug.lines": "broken",
        ])
        plan.formats["lines"] = LinesFormat()
        let config = try ApplicationConfig.load(plan)
        #expect(config.int(forKey: "http.timeout") == 5)
        #expect(config.string(forKey: "url") == "https://example.org")
        #expect(config.explain("http.host").winner?.location.description == "ApplicationConfig.lines:2")
        plan.environments = [.debug]
        #expect(
            ApplicationConfig.loadReport(plan).errors.map(\.description) == [
                "expected path = value (ApplicationConfig.debug.lines:1)"
            ])
    }

    @Test("JSON with comments keeps the positions of its values")
    func comments() throws {
        let text = """
            { // a comment with "quotes" and , commas
              "a": 1, /* over
              two lines */ "b": ["http://x // no comment", 2]
            }
            """
        var plan = plan(["ApplicationConfig.json": text])
        #expect(throws: ConfigError.self) { try ApplicationConfig.load(plan) }
        plan.formats["json"] = JSONWithCommentsFormat()
        let config = try ApplicationConfig.load(plan)
        #expect(config.values == ["a": 1, "b": ["http://x // no comment", 2]])
        #expect(config.explain("b").winner?.location.line == 3)
        plan.formats["json"] = JSONWithCommentsFormat()
        for bad in ["{\"a\": 1 /* open", "{\"a\": [,]}", "[1]", "{\"a\": 1,}"] {
            plan.files = .memory(["ApplicationConfig.json": bad])
            let error = ApplicationConfig.loadReport(plan).errors.first
            #expect(error?.location?.name == "ApplicationConfig.json", "\(bad)")
            #expect(error?.location?.line == 1, "\(bad)")
        }
    }

    @Test("A source that fails is omitted completely, and its error names it")
    func failures() throws {
        struct Broken: Error {}
        let source = StubSource(.missing)
        var plan = plan(Self.base)
        plan.add(source)
        #expect(try ApplicationConfig.load(plan).diagnostics.map(\.message).contains("no content of stub"))
        source.set(.failure(Broken()))
        let report = ApplicationConfig.loadReport(plan)
        #expect(report.errors.map(\.description) == ["the source can't be read (stub)"])
        #expect(report.errors.first?.underlying is Broken)
        #expect(report.config.string(forKey: "title") == "base")
        source.set(.success(.bytes(Array(#"{"title": }"#.utf8))))
        #expect(ApplicationConfig.loadReport(plan).errors.first?.location?.description == "stub:1")
        source.set(.success(.document(ConfigDocument(["$oops": 1]))))
        #expect(ApplicationConfig.loadReport(plan).errors.map(\.code) == [.unknownDirective])
    }

    @Test("A required source that has no content is an error")
    func required() throws {
        var plan = plan(Self.base)
        plan.add(StubSource(.missing), isRequired: true)
        #expect(ApplicationConfig.loadReport(plan).errors.map(\.code) == [.missingSource])
    }

    @Test("A change of a source between a load and the start of a watch isn't lost", .timeLimit(.minutes(2)))
    func changesBeforeWatch() throws {
        let source = StubSource(.document(ConfigDocument(["n": 1])))
        var plan = plan(Self.base)
        plan.add(source)
        let store = try ConfigStore(loading: plan)
        source.set(.success(.document(ConfigDocument(["n": 2]))))
        let watch = store.watch(every: .milliseconds(5))
        #expect(store.current.int(forKey: "n") == 2)
        watch.cancel()
    }

    @Test("A watching store follows the changes of a source, and refresh brings it up to date", .timeLimit(.minutes(5)))
    func followsChanges() async throws {
        let source = StubSource(.document(ConfigDocument(["n": 1])))
        var plan = plan(Self.base)
        plan.add(source)
        let store = try ConfigStore(loading: plan)
        let watch = store.watch(every: .milliseconds(5))
        var values = store.changes(of: ConfigKey("n", default: 0)).makeAsyncIterator()
        #expect(await values.next() == 1)
        source.set(.success(.document(ConfigDocument(["n": 2]))))
        #expect(await values.next() == 2)
        let diff = try await store.refresh()
        #expect(store.current.bool(forKey: "fresh") == true)
        #expect(diff.description == "fresh: nothing → true\nn: 2 → nothing")
        watch.cancel()
    }

    @Test("Ten thousand refreshes report the sources that fail and update the others", .timeLimit(.minutes(5)))
    func refreshes() async throws {
        struct BrokenSource: ConfigSource {
            let name = "broken"
            func content() -> ConfigSourceContent { .missing }
            func refresh() async throws { throw CocoaError(.fileReadUnknown) }
        }
        struct CountingSource: ConfigSource {
            let name = "counting"
            let count = Counter()
            func content() -> ConfigSourceContent { .document(ConfigDocument(["n": .integer(Int64(count.value))])) }
            func refresh() async throws { _ = count.next() }
        }
        var (good, bad) = (plan([:]), plan([:]))
        good.add(CountingSource())
        bad.add(BrokenSource())
        bad.add(CountingSource())
        let (goodStore, badStore) = (try ConfigStore(loading: good), try ConfigStore(loading: bad))
        // A task's result was destroyed wrongly in optimized builds, which few refreshes don't show.
        for number in 1...5_000 {
            try await goodStore.refresh()
            let error = await #expect(throws: ConfigError.self) { try await badStore.refresh() }
            #expect(error?.code == .unreadableSource && error?.location?.file == "broken")
            #expect(goodStore.current.int(forKey: "n") == number && badStore.current.int(forKey: "n") == number)
        }
    }

    @Test("A value of a document that was made from values can be replaced")
    func changedDocument() throws {
        var document = ConfigDocument(["a": 1, "b": ["c": 2]])
        try document.set(3, at: "b")
        var plan = plan([:])
        plan.add(StubSource(.document(document)))
        #expect(try ApplicationConfig.load(plan).values == ["a": 1, "b": 3])
    }

    @Test("Sources that read files keep the limits of the plan")
    func limits() throws {
        let scratch = try TemporaryFolder([:])
        for number in 0..<5 { try scratch.write("\(number)", to: "f\(number)", atomically: false) }
        try scratch.write(#"{"a": "0123456789"}"#, to: "file.json", atomically: false)
        func error(_ source: any ConfigSource, _ adjust: (inout ConfigLimits) -> Void) -> ConfigError? {
            var plan = plan([:])
            plan.add(source)
            adjust(&plan.limits)
            return ApplicationConfig.loadReport(plan).errors.first
        }
        let (folder, file) = (FolderConfigSource(scratch.path), FileConfigSource(scratch.file("file.json")))
        #expect(error(folder) { _ in } == nil && error(file) { _ in } == nil)
        #expect(error(folder) { $0.values = 3 }?.code == .limitExceeded)
        #expect(error(folder) { $0.bytes = 10 }?.code == .unreadableSource)
        #expect(error(file) { $0.bytes = 10 }?.code == .unreadableSource)
        #expect(error(FolderConfigSource(scratch.path, under: "a.b.c")) { $0.depth = 3 }?.code == .limitExceeded)
        let document = StubSource(.document(ConfigDocument(["a": [1, 2, 3]])))
        #expect(error(document) { $0.values = 4 }?.code == .limitExceeded)
        #expect(error(document) { $0.values = 5 } == nil)
    }

    @Test("A refresh throws the problems of sources and of the load")
    func refreshProblems() async throws {
        struct Offline: ConfigSource {
            let name = "offline"
            func content() -> ConfigSourceContent { .missing }
            func refresh() async throws { throw CocoaError(.fileReadUnknown) }
        }
        let scratch = try TemporaryFolder([:])
        try scratch.write("{}")
        var plan = scratch.plan()
        plan.add(Offline())
        let store = try ConfigStore(loading: plan)
        try scratch.write("{")
        let error = await #expect(throws: ConfigError.self) { try await store.refresh() }
        #expect(error?.problems.map(\.code) == [.unreadableSource, .malformedSource])
    }
}

@Suite struct DotEnvTests {
    @Test(
        "Lines of .env files have the value that Node's dotenv and python-dotenv read",
        arguments: [
            ("APP_A=1", "1"), ("export APP_A=1", "1"), ("export\tAPP_A=1", "1"), ("APP_A = 1 ", "1"), ("APP_A=", ""),
            ("APP_A=a b # c", "a b"), ("APP_A=b #c", "b"), ("APP_A='a # $b \\n'", "a # $b \\n"),
            ("APP_A=\"a\\nb \\$c\\d\" # d", "a\nb \\$c\\d"),
            ("APP_A=\"two\nlines\"", "two\nlines"), ("APP_A=\"two\r\nlines\rmore\"", "two\nlines\nmore"),
            ("# x\r\n\r\nAPP_A=1\r\n", "1"), ("\u{FEFF}APP_A=ü", "ü"), ("APP_A=1\nAPP_A=2", "2"),
            ("APP_A=${b}", "${b}"), ("APP_A=''", ""), ("APP_A=\"\"", ""), ("APP_A='    x    '", "    x    "),
            ("APP_A='double \"quotes\" in single'", "double \"quotes\" in single"),
            ("APP_A=\"{ port: $MONGOLAB_PORT}\"", "{ port: $MONGOLAB_PORT}"),
            ("APP_A=\"single 'quotes'\"", "single 'quotes'"),
            ("APP_A='`backticks`'", "`backticks`"), ("APP_A=\"`backticks`\"", "`backticks`"),
            ("APP_A=\"expand\\nnew\\nlines\"", "expand\nnew\nlines"),
            ("APP_A=dontexpand\\nnewlines", "dontexpand\\nnewlines"),
            ("APP_A=inline comments # work #very #well", "inline comments"), ("APP_A='#hash' # work", "#hash"),
            ("APP_A=\"#hash\"# work", "#hash"), ("APP_A=equals==", "equals=="),
            ("APP_A={\"foo\": \"bar\"}", "{\"foo\": \"bar\"}"),
            ("APP_A='{\"foo\": \"bar\"}'", "{\"foo\": \"bar\"}"),
            ("APP_A=    some spaced out string", "some spaced out string"),
            ("APP_A=therealnerdybeast@example.tld", "therealnerdybeast@example.tld"), ("    APP_A = parsed", "parsed"),
        ])
    func lines(text: String, value: String) throws {
        let scratch = try TemporaryFolder([:])
        try scratch.write(text, to: ".env", atomically: false)
        var plan = plan([:])
        (plan.variablePrefix, plan.variables, plan.variableFiles) = ("APP_", [:], [scratch.file(".env")])
        #expect(try ApplicationConfig.load(plan).string(forKey: "a") == value)
    }

    @Test(
        "Malformed lines are errors with their position",
        arguments: [
            ("A=1\nnonsense", "expected NAME=value, found other text (.env:2:1)"),
            ("=1", "expected NAME=value, found other text (.env:1:1)"),
            ("A=\"open", "expected a closing quote, found the end of the file (.env:1:3)"),
            ("A='a' b", "expected the end of the line, found more text after the closing quote (.env:1:7)"),
            // Node's dotenv and python-dotenv read these differently.
            ("A=`b c`", "expected a value in quotes, found a value in backticks (.env:1:3)"),
            ("A=1\nB=a#b # c", "expected a value in quotes, found a # without text and a space before it (.env:2:4)"),
            ("A=b# c", "expected a value in quotes, found a # without text and a space before it (.env:1:4)"),
            ("A=#b", "expected a value in quotes, found a # without text and a space before it (.env:1:3)"),
            ("A= # b", "expected a value in quotes, found a # without text and a space before it (.env:1:4)"),
            (
                "A=\"say \\\"x\\\"\"",
                "expected text that all readers of .env files read alike, found the escape \\\" (.env:1:8)"
            ),
            ("A=\"a\\tb\"", "expected text that all readers of .env files read alike, found the escape \\t (.env:1:5)"),
            ("A='a\\\\b'", "expected text that all readers of .env files read alike, found the escape \\\\ (.env:1:5)"),
            ("A='a\\'b'", "expected text that all readers of .env files read alike, found the escape \\' (.env:1:5)"),
            ("A=a\u{A0}", "expected a value in quotes, found unusual whitespace (.env:1:3)"),
        ])
    func malformed(text: String, message: String) throws {
        let scratch = try TemporaryFolder([:])
        try scratch.write(text, to: ".env", atomically: false)
        var plan = plan([:])
        plan.variableFiles = [scratch.file(".env")]
        #expect(ApplicationConfig.loadReport(plan).errors.map(\.description) == [message])
    }

    @Test("The environment takes precedence over variables of files, which are explained with their line")
    func strength() throws {
        let scratch = try TemporaryFolder([:])
        try scratch.write("APP_HTTP__TIMEOUT=5\nAPP_HTTP__HOST=file\nHOME=/file", to: ".env", atomically: false)
        var plan = plan(["ApplicationConfig.json": #"{"http": {"timeout": 30, "host": "h"}, "home": "${env:HOME}"}"#])
        plan.variablePrefix = "APP_"
        plan.variables = ["APP_HTTP__HOST": "process"]
        plan.variableFiles = ["/no/such/file", scratch.file(".env")]
        let config = try ApplicationConfig.load(plan)
        #expect(config["http"] == ["timeout": "5", "host": "process"])
        #expect(config.explain("http.timeout").winner?.location.description == ".env:1")
        #expect(config.explain("home").parts.first?.winner?.location.description == ".env:3")
        #expect(config.diagnostics.map(\.message).contains("no /no/such/file"))
    }
}
