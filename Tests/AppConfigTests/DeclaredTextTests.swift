import AshlarAppConfig
import Testing

/// The declared type decides how the text of a variable or an argument is read.
@Suite struct DeclaredTextTests {
    private struct Server: ConfigSettings {
        var hostName = "localhost"
        var port = 80
    }

    private struct Settings: ConfigSettings {
        struct HTTP: Codable, Equatable {
            var timeout = 30
            var isVerbose = false
        }
        var names: [String] = []
        var ports: [Int] = []
        var list: [String]?
        var servers: [Server] = []
        var limits: [String: Double] = [:]
        var http = HTTP()
        var text = ""
        var pairs: [[Int]] = []
    }

    private func load(
        _ base: String = "{}", variables: [String: String] = [:], arguments: [String] = []
    ) -> ConfigLoadReport {
        var plan = plan(["ApplicationConfig.json": base])
        plan.variablePrefix = "APP_"
        plan.variables = variables
        plan.arguments = arguments
        plan.declare(Settings.self)
        return ApplicationConfig.loadReport(plan)
    }

    @Test("A declared array that no file has is given as JSON, as elements, or between commas")
    func arrays() throws {
        let report = load(variables: [
            "APP_NAMES": #"["x", "y, z"]"#, "APP_PORTS__0": "1", "APP_PORTS__1": "2", "APP_LIST": " a, b ,c",
            "APP_SERVERS__0__HOST_NAME": "h", "APP_SERVERS__1": #"{"port": 9}"#, "APP_LIMITS": #"{"CPU": 0.5}"#,
            "APP_LIMITS__DISK": "2", "APP_PAIRS__0": "[1, 2]", "APP_PAIRS__1__0": "3",
        ])
        #expect(report.errors.isEmpty, "\(report.errors)")
        #expect(report.config.diagnostics.filter { $0.code == .unknownKey }.isEmpty)
        let settings = try report.config.bind(Settings.self, unknownKeys: .refused)
        #expect(settings.names == ["x", "y, z"])
        #expect(settings.ports == [1, 2])
        #expect(settings.list == ["a", "b", "c"])
        #expect(settings.servers == [Server(hostName: "h"), Server(port: 9)])
        #expect(settings.limits == ["CPU": 0.5, "disk": 2])
        #expect(settings.pairs == [[1, 2], [3]])
    }

    @Test("An empty text is an array without elements, and a text with commas stays one text")
    func texts() throws {
        let report = load(#"{"names": ["a"], "text": "t"}"#, variables: ["APP_NAMES": "", "APP_TEXT": "a,b [1]"])
        #expect(report.config.values == ["names": [], "text": "a,b [1]"])
        let list = load(#"{"names": ["a", "b"]}"#, variables: ["APP_NAMES": "c"])
        #expect(list.config["names"] == ["c"])
    }

    @Test("Text that the declared type can't be is an error with the expected form")
    func errors() {
        let forms = [("APP_SERVERS", "a,b", "array"), ("APP_NAMES", "[\"a\"", "array"), ("APP_HTTP", "5", "object")]
        for (name, text, form) in forms {
            let error = load(variables: [name: text]).errors.first
            #expect(error?.location?.description == name && error?.expected?.hasPrefix("a JSON \(form)") == true)
            #expect(error?.code == .malformedSource)
        }
    }

    @Test("Typed keys declare their types")
    func typedKeys() {
        let key = ConfigKey("declaredText.hosts", default: ["x"])
        let report = load(variables: ["APP_DECLAREDTEXT__HOSTS": "a,b"])
        #expect(report.config[key] == ["a", "b"])
    }

    @Test("An option takes the next argument, and a switch takes none")
    func options() throws {
        let report = load(
            arguments: [
                "--http.timeout", "-5", "--http.is-verbose", "--names", "a,b", "--names", "c", "--ports[0]", "7",
                "--text", "x y",
            ])
        #expect(report.errors.isEmpty, "\(report.errors)")
        #expect(report.config.diagnostics.filter { $0.code == .unknownKey }.isEmpty)
        let settings = try report.config.bind(Settings.self)
        #expect(settings.http == .init(timeout: -5, isVerbose: true))
        #expect(settings.names == ["a", "b", "c"])
        #expect(settings.ports == [7] && settings.text == "x y")
        let known = load(#"{"on": true, "n": 1}"#, arguments: ["--on", "false", "--n", "2"])
        #expect(known.config.bool(forKey: "on") == false && known.config.int(forKey: "n") == 2)
    }

    @Test("An option without a value is an error, and an ignored argument has a diagnostic without its text")
    func ignored() {
        let report = load(arguments: ["run", "--text", "--http.timeout=1", "--nope", "hunter2", "-x", "--", "--other"])
        #expect(
            report.errors.map(\.description) == ["text: expected a value, found another option (--text)"])
        #expect(report.config.int(forKey: "http.timeout") == 1)
        #expect(
            report.config.diagnostics.filter { $0.code == .unknownKey }.map(\.description) == [
                "ignored argument: not an option (argument 1)", "nope: ignored argument: unknown key (--nope)",
                "ignored argument: not an option (argument 5)", "ignored argument: not an option (argument 6)",
            ])
        #expect(load(arguments: ["--text"]).errors.first?.found == "nothing")
    }

    @Test("Settings that one plan declares don't affect another plan")
    func plans() throws {
        struct Hidden: ConfigSettings {
            var plainCode = ""
            static let fields = [ConfigField("plainCode", isSecret: true)]
        }
        var first = plan(["ApplicationConfig.json": #"{"plainCode": "visible", "n": "${plainCode}"}"#])
        let second = first
        first.declare(Hidden.self)
        let (hidden, shown) = (try ApplicationConfig.load(first), try ApplicationConfig.load(second))
        #expect(!hidden.description.contains("visible") && shown.description.contains("visible"))
        #expect(!"\(ConfigDiff(from: ApplicationConfig(), to: hidden))".contains("visible"))
        _ = try shown.bind(Hidden.self)
        #expect(!shown.description.contains("visible"), "settings hide their secrets in the configuration they read")
        #expect(try ApplicationConfig.load(second).description.contains("visible"))
        var third = second
        third.variablePrefix = "APP_"
        third.variables = ["APP_PLAIN_CODE": "x"]
        third.files = .memory(["ApplicationConfig.json": "{}"])
        #expect(try ApplicationConfig.load(third).allKeys == ["plain_code"])
        third.declare(Hidden.self)
        #expect(try ApplicationConfig.load(third).allKeys == ["plainCode"])
    }
}
