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
