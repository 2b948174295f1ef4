import AshlarAppConfig
import AshlarTestSupport
import Foundation
import Testing

/// A configuration in its simplest form: each path is computed by itself from the layers that have it.
private struct SimpleModel {
    /// The layers with their names, the weakest first.
    var layers: [(name: String, values: ConfigValue)]

    /// The value at a path and the strongest layer that sets it, unless a stronger one removes it or replaces a value above.
    func value(of path: [String]) -> (layer: String, value: ConfigValue)? {
        var found: (layer: String, value: ConfigValue)?
        for (name, values) in layers {
            var node: ConfigValue? = values
            for key in path.dropLast() {
                node = node?.dictionary?[key]
                if node != nil, node?.dictionary == nil { found = nil }
            }
            guard let own = path.last.flatMap({ node?.dictionary?[$0] }) else { continue }
            found = own == .null ? nil : (name, own)
        }
        return found
    }

    /// The values at all paths of all layers.
    func values() -> [[String]: (layer: String, value: ConfigValue)] {
        func paths(_ value: ConfigValue) -> [[String]] {
            value.dictionary?.flatMap { key, value in [[key]] + paths(value).map { [key] + $0 } } ?? []
        }
        let known = Set(layers.flatMap { paths($0.values) }).compactMap { path in
            value(of: path).map { (path, $0) }
        }
        return Dictionary(uniqueKeysWithValues: known)
    }

    /// Replaces the references in a text: `${path}` and `${path:-default}`; nil if one isn't defined.
    static func resolved(
        _ text: String, _ values: [[String]: (layer: String, value: ConfigValue)], depth: Int = 0
    ) -> ConfigValue? {
        guard text.contains("${") else { return .string(text) }
        if depth > 20 { return nil }
        var parts: [ConfigValue] = []
        var rest = text[...]
        while let start = rest.range(of: "${"), let end = rest[start.upperBound...].firstIndex(of: "}") {
            if start.lowerBound > rest.startIndex {
                parts.append(.string(String(rest[..<start.lowerBound])))
            }
            let reference = rest[start.upperBound..<end].components(separatedBy: ":-")
            if let target = values[reference[0].components(separatedBy: ".")]?.value {
                guard case .string(let inner) = target else {
                    if target.array != nil || target.dictionary != nil { return nil }
                    parts.append(target)
                    rest = rest[rest.index(after: end)...]
                    continue
                }
                guard let value = resolved(inner, values, depth: depth + 1) else { return nil }
                parts.append(value)
            } else if reference.count > 1 {
                parts.append(.string(reference[1]))
            } else {
                return nil
            }
            rest = rest[rest.index(after: end)...]
        }
        if !rest.isEmpty { parts.append(.string(String(rest))) }
        if parts.count == 1 { return parts[0] }
        return .string(
            parts.map { part in
                switch part {
                case .string(let text): text
                case .integer(let number): "\(number)"
                case .boolean(let flag): "\(flag)"
                default: ""
                }
            }.joined())
    }
}

@Suite struct RandomStackTests {
    private struct Maker {
        static let keys = ["a", "b", "c", "d"]
        var random: SeededRandom

        mutating func entries(_ depth: Int, hasNull: Bool = true) -> ConfigValue {
            var entries: [String: ConfigValue] = [:]
            for _ in 0..<random.below(4) {
                entries[random.pick(Self.keys)] = value(depth, hasNull: hasNull)
            }
            return .dictionary(entries)
        }

        private mutating func value(_ depth: Int, hasNull: Bool) -> ConfigValue {
            switch random.below(10) {
            case 0..<4 where depth > 0: entries(depth - 1, hasNull: hasNull)
            case 4 where hasNull: .null
            case 5: .integer(Int64(random.below(10)))
            case 6: .boolean(random.chance(50))
            case 7: .array([.integer(Int64(random.below(3))), "x"])
            case 8: .string(template())
            default: .string(random.pick(["x", "y", ""]))
            }
        }

        /// The keys of a variable or an argument, sometimes.
        mutating func keys() -> [String]? {
            random.chance(50) ? (0...random.below(2)).map { _ in random.pick(Self.keys) } : nil
        }

        private mutating func template() -> String {
            let path = (0...random.below(2)).map { _ in random.pick(Self.keys) }.joined(separator: ".")
            let reference = "${\(path)\(random.chance(60) ? ":-z" : "")}"
            return random.pick([reference, "<\(reference)>", "\(reference)\(reference)"])
        }
    }

    private struct Document: ConfigSource {
        let name = "source"
        let values: [String: ConfigValue]
        func content() -> ConfigSourceContent { .document(ConfigDocument(values)) }
    }

    @Test("Random stacks have the values and the origins of a simple model", .timeLimit(.minutes(20)))
    func stacks() throws {
        let seed: UInt64 = 51
        var maker = Maker(random: SeededRandom(seed: seed))
        var leafCount = 0
        for round in 0..<rounds(300, soak: 10_000) {
            let (plan, model) = Self.stack(&maker)
            let report = ApplicationConfig.loadReport(plan)
            let values = model.values()
            var leaves = values.filter { $0.value.value.dictionary == nil }
            var undefined: Set<[String]> = []
            for (path, leaf) in leaves {
                guard case .string(let text) = leaf.value else { continue }
                if let value = SimpleModel.resolved(text, values) {
                    leaves[path]?.value = value
                } else {
                    undefined.insert(path)
                }
            }
            // A value with an undefined reference is omitted; of a cycle, one value is named.
            for path in undefined { leaves[path] = nil }
            let place = "seed \(seed), round \(round): \(model.layers)"
            let failed = Set(report.errors.compactMap { $0.key?.components.compactMap(\.key) })
            try #require(
                failed.isSubset(of: undefined) && failed.isEmpty == undefined.isEmpty,
                "\(place): \(report.errors)")
            let config = report.config
            let paths = config.paths().filter { config[$0]?.dictionary == nil }.map {
                $0.components.compactMap(\.key)
            }
            try #require(Set(paths) == Set(leaves.keys), "\(place): \(config)")
            for (path, leaf) in leaves {
                let path = ConfigPath(components: path)
                try #require(config[path] == leaf.value, "\(place): \(path)")
                let winner = try #require(config.explain(path).winner, "\(place): \(path)")
                try #require(Self.name(of: winner) == leaf.layer, "\(place): \(path) from \(winner)")
                leafCount += 1
            }
        }
        #expect(leafCount > 300)
    }

    private static func name(of entry: ConfigExplanation.Entry) -> String {
        switch entry.layer {
        case .variables: "variable"
        case .arguments: "argument"
        case .bundle: "section"
        default: entry.label
        }
    }

    /// Returns a plan and the same layers as values.
    private static func stack(_ maker: inout Maker) -> (plan: ConfigPlan, model: SimpleModel) {
        func json(_ value: ConfigValue) -> [UInt8] { MergeModelTests.json(value) }
        let (defaults, base, section) = (maker.entries(2), maker.entries(2), maker.entries(2))
        let (debug, source) = (maker.entries(2), maker.entries(2))
        var file = base.dictionary ?? [:]
        file["com.acme.*"] = section
        var plan = ConfigPlan(
            files: .memory([
                "ApplicationConfig.json": json(.dictionary(file)),
                "ApplicationConfig.debug.json": json(debug),
            ]), environments: [.debug], bundleIdentifier: "com.acme.App")
        plan.defaults = defaults.dictionary ?? [:]
        plan.add(Document(values: source.dictionary ?? [:]))
        var layers: [(name: String, values: ConfigValue)] = [
            ("defaults", defaults), ("base", .dictionary(file)), ("debug", debug), ("section", section),
            ("source", source),
        ]
        plan.variablePrefix = "APP_"
        plan.variables = [:]
        func isText(_ keys: [String]) -> Bool {
            // Text for a container is an error.
            let below = SimpleModel(layers: layers).value(of: keys)?.value
            return below?.array == nil && below?.dictionary == nil
        }
        if let keys = maker.keys(), isText(keys) {
            plan.variables = ["APP_" + keys.joined(separator: "__").uppercased(): "v"]
            layers.append(("variable", keys.reversed().reduce("v") { .dictionary([$1: $0]) }))
        }
        if let keys = maker.keys(), isText(keys) {
            plan.arguments = ["--set", "\(keys.joined(separator: "."))=w"]
            layers.append(("argument", keys.reversed().reduce("w") { .dictionary([$1: $0]) }))
        }
        return (plan, SimpleModel(layers: layers))
    }
}
