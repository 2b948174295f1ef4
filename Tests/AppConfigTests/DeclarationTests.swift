import AshlarAppConfig
import Testing

/// Settings that a plan declares below an index, in elements of elements, and as collections.
@Suite struct DeclarationTests {
    private struct Node: ConfigSettings {
        var maxSize = 0
        var plainCode = ""
        var children: [Node] = []
        static let fields = [ConfigField("plainCode", isSecret: true)]
    }

    private func load(_ variables: [String: String], _ declare: (inout ConfigPlan) -> Void) -> ConfigLoadReport {
        var plan = plan([:])
        (plan.variablePrefix, plan.variables) = ("APP_", variables)
        declare(&plan)
        return ApplicationConfig.loadReport(plan)
    }

    @Test("Settings that are declared at an element of an array are found by their declared names")
    func elementPath() throws {
        let variables = ["APP_JOBS__0__MAX_SIZE": "5", "APP_JOBS__1__MAX_SIZE": "6"]
        let report = load(variables) { $0.declare(Node.self, at: "jobs[0]") }
        #expect(report.errors.isEmpty)
        #expect(report.config.values == ["jobs": [["maxSize": "5"], ["maxSize": "6"]]])
        #expect(try report.config.bind(Node.self, at: "jobs[0]").maxSize == 5)
    }

    @Test("Two declarations of the same array, element or dictionary both apply")
    func twoDeclarations() {
        struct Job: ConfigSettings {
            var isOpen = false
        }
        struct Nodes: ConfigSettings {
            var list: [Node] = []
            var byName: [String: Node] = [:]
        }
        struct Jobs: ConfigSettings {
            var list: [Job] = []
            var byName: [String: Job] = [:]
        }
        var variables: [String: String] = [:]
        for section in ["JOBS__0", "LIST__0", "BY_NAME__A"] {
            variables["APP_\(section)__MAX_SIZE"] = "5"
            variables["APP_\(section)__IS_OPEN"] = "true"
        }
        let report = load(variables) { plan in
            plan.declare(Node.self, at: "jobs[0]")
            plan.declare(Job.self, at: "jobs[0]")
            plan.declare(Nodes.self)
            plan.declare(Jobs.self)
        }
        let both: ConfigValue = ["maxSize": "5", "isOpen": "true"]
        #expect(report.config.values == ["jobs": [both], "list": [both], "byName": ["a": both]])
    }

    @Test("The declarations of elements within elements end at the fourth level")
    func levels() {
        func word(_ levels: Int) -> String { "APP_" + String(repeating: "CHILDREN__0__", count: levels) }
        func path(_ levels: Int, _ key: String) -> ConfigPath {
            ConfigPath(String(repeating: "children[0].", count: levels) + key)
        }
        for levels in 0...5 {
            let variables = [word(levels) + "MAX_SIZE": "5", word(levels) + "PLAINCODE": "hunter2"]
            let config = load(variables) { $0.declare(Node.self) }.config
            #expect(config[path(levels, "maxSize")] == (levels < 5 ? "5" : nil))
            #expect(config[path(levels, "max_size")] == (levels < 5 ? nil : "5"))
            let code = levels < 5 ? "plainCode" : "plaincode"
            #expect(config[path(levels, code)] == "hunter2")
            #expect(config.explain(path(levels, code)).isSecret == (levels < 5))
        }
        // The declared path of a secret ends at the same level, whatever sets the value.
        var plan = plan(["ApplicationConfig.json": Self.nested(5)])
        plan.declare(Node.self)
        let config = ApplicationConfig.loadReport(plan).config
        #expect(
            (0...5).map { config.explain(path($0, "plainCode")).isSecret } == [true, true, true, true, true, false])
    }

    private static func nested(_ levels: Int) -> String {
        #"{"plainCode": "c", "children": [\#(levels == 0 ? "" : nested(levels - 1))]}"#
    }

    @Test("A secret collection is hidden with all that its elements contain")
    func secretCollection() throws {
        struct Accounts: ConfigSettings {
            var list: [Node] = []
            static let fields = [ConfigField("list", isSecret: true)]
        }
        var plan = plan(["ApplicationConfig.json": #"{"list": [{"maxSize": 77}], "maxSize": 5}"#])
        plan.declare(Accounts.self)
        let config = try ApplicationConfig.load(plan)
        #expect(config.explain("list").isSecret && config.explain("list[0].maxSize").isSecret)
        #expect(!config.description.contains("77") && !config.explain("maxSize").isSecret)
    }

    @Test("A set and an array of optional values are given as text, as an array is")
    func collections() throws {
        struct Settings: ConfigSettings {
            var names: Set<String> = []
            var ports: [Int?] = []
            var flags: [String: Bool?] = [:]
        }
        let variables = ["APP_NAMES": "a, b", "APP_PORTS": "1,2", "APP_FLAGS__IS_ON": "true"]
        let report = load(variables) { $0.declare(Settings.self) }
        #expect(report.config.values == ["names": ["a", "b"], "ports": ["1", "2"], "flags": ["is_on": "true"]])
        let settings = try report.config.bind(Settings.self)
        #expect(settings.names == ["a", "b"] && settings.ports == [1, 2] && settings.flags == ["is_on": true])
    }
}
