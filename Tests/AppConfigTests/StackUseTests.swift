import AshlarAppConfig
import AshlarTestSupport
import Foundation
import Testing

@Suite struct StackUseTests {
    /// A type that decodes and encodes containers of any depth.
    indirect enum Nest: Codable {
        case value(Int)
        case array([Nest])
        case dictionary([String: Nest])

        init(from decoder: any Decoder) throws {
            if let entries = try? [String: Nest](from: decoder) {
                self = .dictionary(entries)
            } else if let elements = try? [Nest](from: decoder) {
                self = .array(elements)
            } else {
                self = .value(try Int(from: decoder))
            }
        }

        func encode(to encoder: any Encoder) throws {
            switch self {
            case .value(let number): try number.encode(to: encoder)
            case .array(let elements): try elements.encode(to: encoder)
            case .dictionary(let entries): try entries.encode(to: encoder)
            }
        }
    }

    struct Form: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let head: String
        let open: String
        let core: String
        let close: String
        let tail: String
        var step = ConfigPath.Component.key("a")

        /// The bytes of a file with 100 nested containers.
        var bytes: [UInt8] {
            let count = head.contains("a") ? 99 : 100
            return BadInputTests.nest(head, open, core, close, tail, count)
        }

        var path: ConfigPath { ConfigPath([.key("a")] + [ConfigPath.Component](repeating: step, count: 99)) }
    }

    static let forms = [
        Form(testDescription: "JSON objects", head: "", open: "{\"a\":", core: "1", close: "}", tail: ""),
        Form(
            testDescription: "JSON arrays", head: "{\"a\":", open: "[", core: "1", close: "]", tail: "}",
            step: .index(0)),
        Form(
            testDescription: "XML dictionaries", head: "<plist>", open: "<dict><key>a</key>",
            core: "<integer>1</integer>", close: "</dict>", tail: "</plist>"),
    ]

    static func load(_ bytes: [UInt8]) throws -> ApplicationConfig {
        var plan = ConfigPlan(
            files: .memory([
                "ApplicationConfig.json": bytes, "ApplicationConfig.debug.json": bytes,
                "ApplicationConfig.last.json": Array(#"{"x": "${y}", "y": "1"}"#.utf8),
            ]), environments: [.debug, "last"])
        plan.limits.depth = 10_000
        return try ApplicationConfig.load(plan)
    }

    @Test("All work on a document of the greatest depth uses less than a half of a small stack", arguments: forms)
    func deepest(form: Form) async throws {
        let bytes = form.bytes
        let path = form.path
        let config = try Self.load(bytes)
        let other = try Self.load(bytes.map { $0 == UInt8(ascii: "1") ? UInt8(ascii: "2") : $0 })
        let value = ConfigValue.dictionary(config.values)
        let copy = ConfigValue.dictionary(try Self.load(bytes).values)
        #expect(value == copy && config[path] == 1)
        let json = try JSONEncoder().encode(value)
        @Sendable func write(_ value: ConfigValue?) -> ApplicationConfig {
            var copy = config
            copy[path] = value
            return copy
        }
        @Sendable func document() throws -> ConfigDocument {
            var document = ConfigDocument()
            try document.set(5, at: path)
            return document
        }
        let work: [(String, @Sendable () throws -> Void)] = [
            ("load and free", { _ = try Self.load(bytes) }),
            ("values", { _ = config.values }),
            ("create", { _ = ApplicationConfig(config.values) }),
            ("compare values", { _ = value == copy }),
            ("hash a value", { _ = value.hashValue }),
            ("compare", { _ = config == other }),
            ("differences", { _ = ConfigDiff(from: config, to: other).description }),
            ("more differences", { _ = ConfigDiff(from: config, to: [:]).changes.map(\.oldValue) }),
            ("description", { _ = config.debugDescription }),
            ("paths", { _ = config.paths() }),
            ("scope", { _ = config.scoped(to: "a") }),
            ("merge", { _ = config.merging(["b": ["c": 1]]) }),
            ("explain", { _ = config.explain(path).description }),
            ("missing", { _ = try? config.get("nope", as: Int.self) }),
            ("mismatch", { _ = try? config.get(path, as: Bool.self) }),
            ("write", { _ = write(5) }),
            ("remove", { _ = write(nil) }),
            ("decode", { _ = try config.decode(Nest.self) }),
            ("decode values", { _ = try config.decode([String: ConfigValue].self) }),
            ("encode a value", { _ = try JSONEncoder().encode(value) }),
            ("decode a value", { _ = try JSONDecoder().decode(ConfigValue.self, from: json) }),
            ("set in a document", { _ = try document() }),
        ]
        for (name, body) in work {
            let use = try await stackUse(body)
            #expect(use.bytes <= stackLimit, "\(name)")
        }
    }

    @Test(
        "A value is decoded from at most 100 nested containers, and a deeper one is an error",
        arguments: [100, 101, 500])
    func foreignDecoder(depth: Int) async throws {
        let json = Data(BadInputTests.nest("", "[", "1", "]", "", depth))
        let use = try await stackUse { (try? JSONDecoder().decode(ConfigValue.self, from: json)) != nil }
        #expect(use.value == (depth <= 100))
        #expect(use.bytes <= stackLimit)
    }
}
