import AshlarAppConfig
import AshlarTestSupport
import Foundation
import Testing

/// Random stacks of every format and source, compared with the model of the merge.
@Suite struct StackTests {
    @Test(
        "Stacks of all formats and sources merge like the model, and every leaf names its layer",
        .timeLimit(.minutes(20)), arguments: [UInt64(41), 42, 43])
    func stacks(seed: UInt64) throws {
        var maker = StackMaker(random: SeededRandom(seed: seed))
        for round in 0..<rounds(40, soak: 4_000) {
            let scratch = try TemporaryFolder([:])
            let stack = try maker.stack(in: scratch)
            let report = ApplicationConfig.loadReport(stack.plan)
            let place = "seed \(seed), round \(round)"
            guard report.errors.isEmpty, report.config.values == stack.model else {
                let layers = stack.layers.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
                Issue.record(
                    "\(place): \(report.errors)\n\(report.config)\n\(ApplicationConfig(stack.model))\n\(layers)")
                return
            }
            if let problem = stack.problem(in: report.config) { Issue.record("\(place): \(problem)") }
        }
    }
}

/// A plan, and the same layers as plain values.
private struct Stack {
    struct Layer {
        /// The name in explanations: of a file, a variable, an argument, or a source.
        var name: String
        var value: ConfigValue
    }

    var plan = ConfigPlan(files: .memory([String: String]()), environments: [.debug], bundleIdentifier: "com.acme.App")
    /// In order of precedence, lowest first.
    var layers: [Layer] = []

    var merged: ConfigValue { layers.reduce(.dictionary([:])) { MergeModel.merge($0, $1.value) ?? [:] } }
    var model: [String: ConfigValue] { merged.dictionary ?? [:] }

    /// Returns the first error in the explanations of the scalars, or nil.
    func problem(in config: ApplicationConfig) -> String? {
        for path in config.paths() {
            let explanation = config.explain(path)
            guard let winner = explanation.winner else { return "\(path) has no winner" }
            guard let value = config[path], value.array == nil, value.dictionary == nil else { continue }
            // A scalar replaces all values below it, so the highest layer with a value at its path defines it.
            guard let layer = layers.last(where: { holds($0.value, path) }) else { return "no layer has \(path)" }
            if winner.location.name != layer.name { return "\(path) is from \(layer.name), not \(winner.location)" }
            if winner.text != explanation.text { return "\(path): \(winner.text), not \(explanation.text ?? "")" }
        }
        return nil
    }

    private func holds(_ layer: ConfigValue, _ path: ConfigPath) -> Bool {
        var value = layer
        for component in path.components {
            let next =
                switch component {
                case .key(let key): value.dictionary?[key]
                case .index(let index): value.dictionary?["$set"]?.dictionary?["\(index)"]
                }
            guard let next, next != .null else { return false }
            value = next
        }
        return true
    }
}

/// Creates stacks: each layer has a random format or source.
private struct StackMaker {
    private static let keys = ["a", "b", "c", "host", "häuser", "<&>", "x y"]
    private static let plainKeys: Set<String> = ["a", "b", "c", "host"]

    var random: SeededRandom

    mutating func stack(in scratch: TemporaryFolder) throws -> Stack {
        var stack = Stack()
        stack.plan.formats["jsonc"] = JSONWithCommentsFormat()
        var files: [String: [UInt8]] = [:]
        if random.chance(50) {
            let values = values(hasNull: true)
            stack.plan.defaults = values.dictionary ?? [:]
            stack.layers.append(.init(name: "defaults", value: values))
        }
        var fileValues: [[String: ConfigValue]] = []
        for stem in ["ApplicationConfig", "ApplicationConfig.debug"] {
            for suffix in ["plist", "json", "jsonc"] where random.chance(60) {
                var values = values(hasNull: suffix != "plist", isJSON: suffix != "plist").dictionary ?? [:]
                for pattern in ["com.*", "com.acme.*", "com.acme.App"] where random.chance(20) {
                    values[pattern] = self.values(hasNull: suffix != "plist", isJSON: suffix != "plist")
                }
                files["\(stem).\(suffix)"] = try bytes(.dictionary(values), suffix)
                fileValues.append(values)
                stack.layers.append(.init(name: "\(stem).\(suffix)", value: .dictionary(values)))
            }
        }
        for pattern in ["com.*", "com.acme.*", "com.acme.App"] {
            for layer in stack.layers where layer.name.hasPrefix("ApplicationConfig") {
                guard let section = layer.value.dictionary?[pattern], section.dictionary != nil else { continue }
                stack.layers.append(.init(name: layer.name, value: section))
            }
        }
        stack.plan.files = .memory(files)
        if random.chance(50) {
            let suffix = random.pick(["plist", "json", "jsonc"])
            let values = values(hasNull: suffix != "plist", isJSON: suffix != "plist")
            let path = scratch.file("local.\(suffix)")
            try Data(bytes(values, suffix)).write(to: URL(fileURLWithPath: path))
            stack.plan.localFile = path
            stack.layers.append(.init(name: "local.\(suffix)", value: values))
        }
        for number in 0..<random.below(4) { try addSource(number, to: &stack, scratch) }
        try addVariables(to: &stack, scratch)
        addArguments(to: &stack)
        return stack
    }

    // MARK: Values

    /// A dictionary without the kinds that a format lacks.
    private mutating func values(hasNull: Bool, isJSON: Bool = false) -> ConfigValue {
        .dictionary(entries(3, hasNull, isJSON))
    }

    private mutating func entries(_ depth: Int, _ hasNull: Bool, _ isJSON: Bool) -> [String: ConfigValue] {
        var entries: [String: ConfigValue] = [:]
        for _ in 0..<random.below(5) { entries[random.pick(Self.keys)] = value(depth, hasNull, isJSON) }
        return entries
    }

    private mutating func value(_ depth: Int, _ hasNull: Bool, _ isJSON: Bool) -> ConfigValue {
        if depth > 0, random.chance(40) { return .dictionary(entries(depth - 1, hasNull, isJSON)) }
        if depth > 0, random.chance(20) {
            return .array((0..<random.below(4)).map { _ in value(depth - 1, false, isJSON) })
        }
        if hasNull, random.chance(15) { return .null }
        var maker = ValueMaker(random: random)
        defer { random = maker.random }
        while true {
            let scalar = maker.scalar()
            switch scalar {
            case .date where isJSON, .data where isJSON: continue
            default: return scalar
            }
        }
    }

    // MARK: Formats

    private mutating func bytes(_ value: ConfigValue, _ suffix: String) throws -> [UInt8] {
        switch suffix {
        case "plist" where random.chance(50):
            let plist = try PropertyListSerialization.data(
                fromPropertyList: Oracle.any(value), format: .binary, options: 0)
            return [UInt8](plist)
        case "plist":
            var writer = PlistWriter(random: random)
            defer { random = writer.random }
            return Array(writer.document(value.dictionary ?? [:]).utf8)
        default: return Array(json(value, hasComments: suffix == "jsonc").utf8)
        }
    }

    private mutating func json(_ value: ConfigValue, hasComments: Bool) -> String {
        func gap(_ random: inout SeededRandom) -> String {
            random.pick(hasComments ? ["", " ", "\n", "// , } \" \n", "/* { */"] : ["", " ", "\n", "\t"])
        }
        func list(_ items: [String], _ random: inout SeededRandom) -> String {
            items.map { gap(&random) + $0 + gap(&random) }.joined(separator: ",") + gap(&random)
        }
        switch value {
        case .array(let elements):
            let items = elements.map { json($0, hasComments: hasComments) }
            return "[" + list(items, &random) + "]"
        case .dictionary(let entries):
            let items = entries.sorted { $0.key < $1.key }.map { key, value in
                "\(quoted(key)):\(gap(&random))\(json(value, hasComments: hasComments))"
            }
            return "{" + list(items, &random) + "}"
        case .string(let text): return quoted(text)
        case .real(let number): return "\(number)"
        case .integer(let number): return "\(number)"
        case .unsigned(let number): return "\(number)"
        case .boolean(let flag): return "\(flag)"
        default: return "null"
        }
    }

    private func quoted(_ text: String) -> String {
        String(decoding: MergeModelTests.json(.string(text)), as: UTF8.self)
    }

    // MARK: Sources

    private mutating func addSource(_ number: Int, to stack: inout Stack, _ scratch: TemporaryFolder) throws {
        let name = "source\(number)"
        switch random.below(5) {
        case 0:
            // The values of a folder are all strings; a second version replaces the first as Kubernetes does.
            var texts: [String: String] = [:]
            for version in 0...random.below(3) {
                texts = [:]
                for key in ["a", "b.c", "host.b", "new\(number)"] where random.chance(50) { texts[key] = text() }
                let folder = "\(name)/..v\(version)"
                try FileManager.default.createDirectory(
                    atPath: scratch.file(folder), withIntermediateDirectories: true)
                for (key, text) in texts { try scratch.write(text + "\n", to: "\(folder)/\(key)", atomically: false) }
                let link = scratch.file("\(name)/..data_tmp")
                try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "..v\(version)")
                guard rename(link, scratch.file("\(name)/..data")) == 0 else { throw CocoaError(.fileWriteUnknown) }
            }
            stack.plan.add(FolderConfigSource(scratch.file(name)))
            for (key, text) in texts.sorted(by: { $0.key < $1.key }) {
                stack.layers.append(.init(name: key, value: nested(ConfigPath(key).components, .string(text))))
            }
        case 1:
            let values = values(hasNull: true, isJSON: true)
            let document = try bytes(values, "json")
            stack.plan.add(BytesSource(name: name, bytes: document))
            stack.layers.append(.init(name: name, value: values))
        case 2:
            let suffix = random.pick(["plist", "json", "jsonc"])
            let values = values(hasNull: suffix != "plist", isJSON: suffix != "plist")
            try Data(bytes(values, suffix)).write(to: URL(fileURLWithPath: scratch.file("\(name).\(suffix)")))
            let format = suffix == "jsonc" ? JSONWithCommentsFormat() : nil
            stack.plan.add(FileConfigSource(scratch.file("\(name).\(suffix)"), format: format))
            stack.layers.append(.init(name: "\(name).\(suffix)", value: values))
        default:
            let values = values(hasNull: true)
            stack.plan.add(FixedSource(name: name, document: ConfigDocument(values.dictionary ?? [:])))
            stack.layers.append(.init(name: name, value: values))
        }
    }

    private struct BytesSource: ConfigSource {
        let name: String
        let bytes: [UInt8]

        func content() -> ConfigSourceContent { .bytes(bytes) }
    }

    private struct FixedSource: ConfigSource {
        let name: String
        let document: ConfigDocument

        func content() -> ConfigSourceContent { .document(document) }
    }

    // MARK: Variables and arguments

    /// Sets some values in `.env` files and the environment.
    private mutating func addVariables(to stack: inout Stack, _ scratch: TemporaryFolder) throws {
        stack.plan.variablePrefix = "APP_"
        let below = stack.merged
        var texts: [[String: String]] = [[:], [:], [:]]
        var winners: [String: (path: [ConfigPath.Component], text: String, layer: String)] = [:]
        for target in targets(in: below) {
            let name = "APP_" + target.map { $0.name.uppercased() }.joined(separator: "__")
            for place in 0..<3 where random.chance(50) {
                // Quotes of .env files can contain any text except the same quote.
                let text = text().filter { $0 != "'" }
                texts[place][name] = text
                winners[name] = (target, text, place == 2 ? name : "\(place).env")
            }
        }
        stack.plan.variables = texts[2].merging(["OTHER": "x"]) { $1 }
        for place in 0..<2 {
            let lines = texts[place].map { "\(random.pick(["", "export "]))\($0.key)='\($0.value)'" }
            try scratch.write(lines.joined(separator: "\n"), to: "\(place).env", atomically: false)
            stack.plan.variableFiles.append(scratch.file("\(place).env"))
        }
        for (_, winner) in winners.sorted(by: { $0.key < $1.key }) { add(winner, over: below, to: &stack) }
    }

    private mutating func addArguments(to stack: inout Stack) {
        let below = stack.merged
        for target in targets(in: below) {
            let (path, text) = (ConfigPath(target).description, text())
            if random.chance(50) || target.last?.name.hasPrefix("new") == true {
                stack.plan.arguments += ["--set", "\(path)=\(text)"]
                add((target, text, "--set \(path)"), over: below, to: &stack)
            } else {
                stack.plan.arguments.append("--\(path)=\(text)")
                add((target, text, "--\(path)"), over: below, to: &stack)
            }
        }
    }

    private func add(
        _ given: (path: [ConfigPath.Component], text: String, layer: String), over below: ConfigValue,
        to stack: inout Stack
    ) {
        let value = ConfigValue.string(given.text)
        guard case .index(let index)? = given.path.last else {
            stack.layers.append(.init(name: given.layer, value: nested(given.path, value)))
            return
        }
        stack.layers.append(
            .init(name: given.layer, value: nested(Array(given.path.dropLast()), ["$set": ["\(index)": value]])))
    }

    /// Paths of scalars and of elements that variables can name, none within another, and sometimes a new key.
    private mutating func targets(in value: ConfigValue) -> [[ConfigPath.Component]] {
        var found: [[ConfigPath.Component]] = []
        collect(value, [], &found)
        var chosen: [[ConfigPath.Component]] = found.filter { _ in random.chance(25) }
        // Two elements of one array would be two consecutive assignments.
        var arrays: Set<[ConfigPath.Component]> = []
        chosen.removeAll { path in
            if case .index? = path.last { !arrays.insert(path.dropLast()).inserted } else { false }
        }
        if random.chance(30) { chosen.append([.key("new\(random.below(3))")]) }
        return chosen
    }

    private func collect(
        _ value: ConfigValue, _ path: [ConfigPath.Component], _ found: inout [[ConfigPath.Component]]
    ) {
        switch value {
        case .dictionary(let entries):
            for (key, value) in entries.sorted(by: { $0.key < $1.key }) where Self.plainKeys.contains(key) {
                collect(value, path + [.key(key)], &found)
            }
        case .array(let elements):
            for (index, element) in elements.enumerated() where element.array == nil && element.dictionary == nil {
                found.append(path + [.index(index)])
            }
            found.append(path + [.index(elements.count)])
        default: found.append(path)
        }
    }

    private mutating func text() -> String {
        random.pick(["", "x", "1", "true", "a b # c", "ü", "=", "\"q\"", "2.5", "\\n", "$", "null"])
    }

    private func nested(_ path: [ConfigPath.Component], _ value: ConfigValue) -> ConfigValue {
        path.reversed().reduce(value) { [$1.name: $0] }
    }
}

extension ConfigPath.Component {
    /// The key, or the index as text.
    fileprivate var name: String {
        switch self {
        case .key(let key): key
        case .index(let index): "\(index)"
        }
    }
}
