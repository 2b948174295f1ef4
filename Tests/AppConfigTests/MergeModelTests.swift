import AshlarAppConfig
import AshlarTestSupport
import Foundation
import Testing

/// The merge in its simplest form.
enum MergeModel {
    /// Returns the result of a layer's value and the one below it; nil means no value.
    static func merge(_ low: ConfigValue?, _ high: ConfigValue) -> ConfigValue? {
        switch high {
        case .null: return nil
        case .array(let elements): return .array(elements.map { merge(nil, $0) ?? .null })
        case .dictionary(let entries):
            if case .dictionary(let elements)? = entries["$set"] {
                var array = low?.array ?? []
                for (index, element) in elements.compactMap({ key, value in Int(key).map { ($0, value) } }) {
                    if index < array.count { array[index] = element } else { array.append(element) }
                }
                return .array(array)
            }
            var merged = low?.dictionary ?? [:]
            for (key, value) in entries where !key.hasPrefix("$") { merged[key] = merge(merged[key], value) }
            return .dictionary(merged)
        default: return high
        }
    }

    static func sections(_ files: [[String: ConfigValue]], _ identifier: String) -> [ConfigValue] {
        let patterns = ["com.*", "com.acme.*", "com.acme.beta.*", "com.acme.beta.App"]
        return patterns.flatMap { pattern in files.compactMap { $0[pattern] }.filter { $0.dictionary != nil } }
    }

    static func deep(_ files: [[String: ConfigValue]], _ identifier: String) -> [String: ConfigValue] {
        let layers = files.map { ConfigValue.dictionary($0) } + sections(files, identifier)
        return layers.reduce(.dictionary([:])) { merge($0, $1) ?? [:] }.dictionary ?? [:]
    }

    /// The merge of NEIApplicationConfig: that of `addEntriesFromDictionary:`.
    static func seed(_ files: [[String: ConfigValue]], _ identifier: String) -> [String: ConfigValue] {
        var root: [String: ConfigValue] = [:]
        for file in files { root.merge(file) { $1 } }
        if let section = root[identifier]?.dictionary { root.merge(section) { $1 } }
        return root
    }
}

@Suite struct MergeModelTests {
    static let identifier = "com.acme.beta.App"

    struct Stacks {
        var random: SeededRandom
        var hasNull: Bool

        mutating func value(_ depth: Int) -> ConfigValue {
            switch random.below(depth > 0 ? 8 : 4) {
            case 0: return .integer(Int64(random.below(5)))
            case 1: return .string(random.pick(["x", "y"]))
            case 2: return hasNull ? .null : .boolean(true)
            case 3: return .array((0..<random.below(3)).map { _ in value(max(0, depth - 1)) })
            default: return .dictionary(entries(depth - 1))
            }
        }

        mutating func entries(_ depth: Int) -> [String: ConfigValue] {
            var entries: [String: ConfigValue] = [:]
            for _ in 0..<random.below(4) { entries[random.pick(["a", "b", "c", "d.e"])] = value(depth) }
            if hasNull, random.chance(10) { entries["$secret"] = [.string(random.pick(["a", "b", "d.e"]))] }
            return entries
        }

        mutating func file() -> [String: ConfigValue] {
            var file = entries(3)
            for pattern in ["com.*", "com.acme.*", "com.acme.beta.*", "com.acme.beta.App", "com.acme.beta.Other"]
            where random.chance(25) {
                file[pattern] = random.chance(85) ? .dictionary(entries(2)) : value(1)
            }
            return file
        }
    }

    static func json(_ value: ConfigValue) -> [UInt8] {
        let data = try? JSONSerialization.data(withJSONObject: Oracle.any(value), options: [.fragmentsAllowed])
        return data.map { Array($0) } ?? []
    }

    private func text(_ value: ConfigValue) -> String { String(decoding: Self.json(value), as: UTF8.self) }

    static func plan(_ files: [[String: ConfigValue]], _ policy: ConfigMergePolicy) -> ConfigPlan {
        let names = ["ApplicationConfig.json", "ApplicationConfig.debug.json", "ApplicationConfig.simulator.json"]
        let contents = Dictionary(uniqueKeysWithValues: zip(names, files.map { json(.dictionary($0)) }))
        var plan = ConfigPlan(
            files: .memory(contents), environments: [.debug, .simulator], bundleIdentifier: identifier)
        plan.merge = policy
        return plan
    }

    @Test("Stacks of layers merge like the model, and every leaf is explained", .timeLimit(.minutes(8)))
    func deep() throws {
        var stacks = Stacks(random: SeededRandom(seed: 11), hasNull: true)
        for round in 0..<rounds(800, soak: 200_000) {
            let files = (0..<3).map { _ in stacks.file() }
            let config = try ApplicationConfig.load(Self.plan(files, .deep))
            let expected = MergeModel.deep(files, Self.identifier)
            guard config.values == expected else {
                Issue.record(
                    "round \(round): \(files.map { text(.dictionary($0)) }) merged to \(text(.dictionary(config.values)))"
                )
                return
            }
            guard let problem = explanationProblem(config, files) else { continue }
            Issue.record("round \(round): \(problem) in \(files.map { text(.dictionary($0)) })")
            return
        }
    }

    /// Returns the first error in the explanations of the leaves, or nil.
    private func explanationProblem(_ config: ApplicationConfig, _ files: [[String: ConfigValue]]) -> String? {
        let layers = files + MergeModel.sections(files, Self.identifier).compactMap(\.dictionary)
        let places = Dictionary(
            uniqueKeysWithValues: config.debugDescription.split(separator: "\n").map { line in
                let parts = line.components(separatedBy: " = ")
                return (parts[0], line.components(separatedBy: "  // ").last ?? "")
            })
        for path in config.paths() {
            let explanation = config.explain(path)
            guard let winner = explanation.winner else { return "\(path) has no winner" }
            if let value = config[path], value.array == nil, value.dictionary == nil {
                if winner.text != explanation.text {
                    return "\(path): \(winner.text) won, not \(explanation.text ?? "")"
                }
                if places[path.description] != winner.location.description {
                    return "\(path) is from \(winner.location)"
                }
            }
            // Every layer that has a value at the path is named once.
            let named = 1 + explanation.merged.count + explanation.shadowed.count
            let holding = layers.count { holds($0, path) }
            if named != holding { return "\(path): \(named) of \(holding) layers named" }
        }
        return nil
    }

    private func holds(_ layer: [String: ConfigValue], _ path: ConfigPath) -> Bool {
        var value = ConfigValue.dictionary(layer)
        for case .key(let key) in path.components {
            guard let next = value.dictionary?[key], next != .null else { return false }
            value = next
        }
        return true
    }

    @Test("The compatible mode merges like a model of NEIApplicationConfig", .timeLimit(.minutes(8)))
    func seed() throws {
        var stacks = Stacks(random: SeededRandom(seed: 12), hasNull: false)
        for round in 0..<rounds(800, soak: 100_000) {
            let files = (0..<3).map { _ in stacks.file() }
            let config = try ApplicationConfig.load(Self.plan(files, .seed))
            let expected = MergeModel.seed(files, Self.identifier)
            guard config.values == expected else {
                Issue.record("round \(round): \(files) merged to \(config.values), not \(expected)")
                return
            }
            for path in config.paths() where config.explain(path).winner == nil {
                Issue.record("round \(round): \(path) has no winner in \(files)")
                return
            }
        }
    }

    @Test("A dictionary and a value of another kind cause a diagnostic that names both files")
    func kindConflict() throws {
        let config = try ApplicationConfig.load(
            AshlarAppConfigTests.plan(
                [
                    "ApplicationConfig.json": "{\"x\": {\"p\": 1}}",
                    "ApplicationConfig.debug.json": "\n{\"x\": 5}",
                ], environments: [.debug]))
        #expect(config.int(forKey: "x") == 5)
        #expect(
            config.diagnostics.map(\.description) == [
                "x: integer replaces dictionary from ApplicationConfig.json:1 (ApplicationConfig.debug.json:2)"
            ])
    }

    @Test("The diagnostic of a conflict in a bundle section has the path after the merge")
    func kindConflictInSection() throws {
        let config = try ApplicationConfig.load(
            AshlarAppConfigTests.plan(
                ["ApplicationConfig.json": "{\"x\": {\"p\": 1},\n\"com.acme.*\": {\"x\": [5]}}"], bundle: "com.acme.App"
            ))
        #expect(
            config.diagnostics.map(\.description) == [
                "x: array replaces dictionary from ApplicationConfig.json:1 (ApplicationConfig.json:2)"
            ])
    }

    @Test(
        "Unknown and malformed directives are errors with file and key",
        arguments: [
            ("{\"a\": {\"$merge\": 1}}", "a.$merge: expected a key that does not begin with $, or one of $secret"),
            ("{\"$secret\": \"a\"}", "$secret: expected an array of strings, found <redacted>"),
            ("{\"a\": {\"$secret\": [1]}}", "a.$secret: expected an array of strings, found <redacted>"),
            ("{\"a\": {\"$revision\": 1}}", "a.$revision: expected an integer or a date in the root, found integer"),
            ("{\"$revision\": true}", "$revision: expected an integer or a date in the root, found boolean"),
        ])
    func directives(text: String, message: String) throws {
        let error = try #require(loadError(text))
        #expect(error.code == .unknownDirective)
        #expect(error.description.contains(message), "\(error)")
        #expect(error.location?.line == 1)
        #expect(loadError(text) { $0.literalLayers = [.base] } == nil)
    }

    @Test("A file can mark its own secrets")
    func secretDirective() throws {
        let config = try ApplicationConfig.load(
            AshlarAppConfigTests.plan([
                "ApplicationConfig.json": "{\"db\": {\"$secret\": [\"user\"], \"user\": \"root\", \"host\": \"h\"}}"
            ]))
        #expect(config.description == "db.host = \"h\"\ndb.user = <redacted>")
        #expect(config.values == ["db": ["user": "root", "host": "h"]])
    }
}
