import AshlarNetworking
import AshlarTestSupport
import Foundation
import Testing

/// Hostile JSON must not exhaust the stack of the thread that reads it.
@Suite struct JSONStackTests {
    /// A type that decodes and encodes containers of any depth.
    indirect enum Nest: Codable, Sendable {
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

    /// JSON with a number of containers within each other.
    struct Form: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let open: String
        let close: String

        func text(_ depth: Int, core: String = "1") -> String {
            String(repeating: open, count: depth) + core + String(repeating: close, count: depth)
        }

        func nest(_ depth: Int) -> Nest {
            (0..<depth).reduce(.value(1)) { nest, _ in open == "[" ? .array([nest]) : .dictionary(["a": nest]) }
        }
    }

    static let forms = [
        Form(testDescription: "arrays", open: "[", close: "]"),
        Form(testDescription: "objects", open: "{\"a\":", close: "}"),
    ]

    @Test("All work on a document of the greatest depth uses less than a half of a small stack", arguments: forms)
    func deepest(form: Form) async throws {
        let limits = JSONLimits(depth: .max)
        let text = form.text(1024)
        let json = try JSONEntity(parsing: text, limits: limits)
        let same = try JSONEntity(parsing: form.text(1024, core: "1.0"), limits: limits)
        let other = try JSONEntity(parsing: form.text(1024, core: "2"), limits: limits)
        #expect(json == same && json.hashValue == same.hashValue && json != other)
        let work: [(String, @Sendable () throws -> Void)] = [
            ("parse", { _ = try JSONEntity(parsing: text, limits: limits) }),
            ("write", { _ = json.text(indent: 2) }),
            ("compare", { _ = json == same }),
            ("hash", { _ = json.hashValue }),
            ("remove nulls", { _ = json.withoutNulls() }),
            ("copy", { _ = json.detached() }),
            ("build", { _ = (0..<1023).reduce(JSONEntity(1)) { json, _ in [json] } }),
            ("decode as JSON", { _ = try json.decode(JSONEntity.self) }),
        ]
        for (name, body) in work {
            let use = try await stackUse(body)
            #expect(use.bytes <= stackLimit, "\(name)")
        }
    }

    @Test(
        "A type decodes and encodes at most 100 containers within each other, and more are an error",
        arguments: forms, [100, 101, 512])
    func types(form: Form, depth: Int) async throws {
        let json = try JSONEntity(parsing: form.text(depth))
        let decoding = try await stackUse { (try? json.decode(Nest.self)) != nil }
        #expect(decoding.value == (depth <= 100))
        #expect(decoding.bytes <= stackLimit)
        // Freeing a deep value of the test needs stack, too, so it isn't a part of what is measured.
        let nest = form.nest(depth)
        let encoding = try await stackUse { (try? JSONEntity(encoding: nest)) == json }
        #expect(encoding.value == (depth <= 100))
        #expect(encoding.bytes <= stackLimit)
    }

    @Test(
        "Other decoders and encoders pass at most 50 containers of JSON, and more are an error", arguments: forms,
        [50, 51, 500])
    func otherFormats(form: Form, depth: Int) async throws {
        let json = try JSONEntity(parsing: form.text(depth))
        let data = Data(form.text(depth).utf8)
        let decoding = try await stackUse { (try? JSONDecoder().decode(JSONEntity.self, from: data)) == json }
        #expect(decoding.value == (depth <= 50))
        #expect(decoding.bytes <= stackLimit)
        let encoding = try await stackUse { (try? JSONEncoder().encode(json)) == data }
        #expect(encoding.value == (depth <= 50))
        #expect(encoding.bytes <= stackLimit)
    }
}
