import AshlarTrees
import Testing

@testable import AshlarCore

@Suite struct TreeEncoderTests {
    /// A list of lists, an object of objects, or a value that encodes itself as another one, of any depth.
    private struct Deep: Encodable {
        enum Form: CaseIterable { case array, object, single, nestedArrays, nestedObjects }
        let form: Form
        let depth: Int

        func encode(to encoder: any Encoder) throws {
            let next = Deep(form: form, depth: depth - 1)
            switch form {
            case .array:
                var container = encoder.unkeyedContainer()
                if depth > 0 { try container.encode(next) }
            case .object:
                var container = encoder.container(keyedBy: TreeKey.self)
                if depth > 0 { try container.encode(next, forKey: TreeKey("k")) }
            case .single:
                var container = encoder.singleValueContainer()
                if depth > 0 { try container.encode(next) } else { try container.encode(1) }
            case .nestedArrays:
                var container = encoder.unkeyedContainer()
                for _ in 0..<depth { container = container.nestedUnkeyedContainer() }
            case .nestedObjects:
                var container = encoder.container(keyedBy: TreeKey.self)
                for _ in 0..<depth {
                    container = container.nestedContainer(keyedBy: TreeKey.self, forKey: TreeKey("k"))
                }
            }
        }
    }

    /// A value that uses every container of an encoder.
    private struct Manual: Encodable {
        func encode(to encoder: any Encoder) throws {
            precondition(encoder.userInfo.isEmpty)
            var members = encoder.container(keyedBy: TreeKey.self)
            try members.encodeNil(forKey: TreeKey("nothing"))
            try members.encodeIfPresent(Int128.max, forKey: TreeKey("int"))
            try members.encodeIfPresent(UInt128?.none, forKey: TreeKey("uint"))
            var list = members.nestedUnkeyedContainer(forKey: TreeKey("list"))
            try list.encodeNil()
            try list.encode(Int128.min)
            try list.encode(UInt128.max)
            var object = list.nestedContainer(keyedBy: TreeKey.self)
            try object.encode(list.count, forKey: TreeKey("count"))
            try object.encode(Self.text(object.codingPath), forKey: TreeKey("path"))
            var single = list.superEncoder().singleValueContainer()
            try single.encode(Self.text(list.codingPath) + "|" + Self.text(single.codingPath))
            var number = members.superEncoder(forKey: TreeKey("own")).singleValueContainer()
            try number.encode(Int128(-7))
            number = members.superEncoder(forKey: TreeKey("unsigned")).singleValueContainer()
            try number.encode(UInt128(7))
            try members.encode(Self.text(members.codingPath + encoder.codingPath), forKey: TreeKey("root"))
        }

        private static func text(_ path: [any CodingKey]) -> String { path.map(\.stringValue).joined(separator: ".") }
    }

    private func text(_ value: EncodedValue) -> String {
        switch value.content {
        case .empty: "empty"
        case .null: "null"
        case .scalar(let scalar): "\(scalar)"
        case .array(let elements): "[\(elements.map(text).joined(separator: ", "))]"
        case .object(let members): "{\(members.map { "\($0.key): \(text($0.value))" }.joined(separator: ", "))}"
        }
    }

    @Test("Every container of the encoder adds its values at their places")
    func containers() throws {
        let list = "[null, \(Int128.min), \(UInt128.max), {count: 4, path: list.Index 3}, list|list.Index 4]"
        let encoded = text(try TreeEncoder.encode(Manual()))
        #expect(
            encoded == "{nothing: null, int: \(Int128.max), uint: empty, list: \(list), own: -7, unsigned: 7, root: }")
    }

    @Test("Property lists have at most as many levels as can be decoded")
    func sameDepth() { #expect(PropertyListLimits.deepest == TreeDecoder.deepest) }

    #if os(Linux) || os(macOS)
        @Test("A value with too many levels is an error instead of an exhausted stack", arguments: 0..<5)
        func deep(number: Int) async {
            let form = Deep.Form.allCases[number]
            #expect(throws: Never.self) { try TreeEncoder.encode(Deep(form: form, depth: 99)) }
            await #expect(processExitsWith: .success) { [number = number as Int] in
                let form = Deep.Form.allCases[number]
                for depth in [form == .single ? 201 : 100, 2_000_000] {
                    do {
                        _ = try TreeEncoder.encode(Deep(form: form, depth: depth))
                        preconditionFailure("\(depth) levels were encoded")
                    } catch is EncodingError {}
                }
            }
        }
    #endif
}
