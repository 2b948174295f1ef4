import AshlarCore
import AshlarTrees
import Testing

@Suite struct PlacedValueTests {
    /// The values and places of a tree, one line each.
    private func outline(_ value: PlacedValue, _ key: String = "") -> [String] {
        let start = "\(value.place)\(key):"
        return switch value.content {
        case .null: ["\(start) null"]
        case .boolean(let flag): ["\(start) \(flag)"]
        case .integer(let number): ["\(start) \(number)"]
        case .unsigned(let number): ["\(start) unsigned \(number)"]
        case .real(let number): ["\(start) real \(number)"]
        case .string(let text): ["\(start) \"\(text)\""]
        case .date(let seconds): ["\(start) date \(seconds)"]
        case .data(let bytes): ["\(start) data \(bytes)"]
        case .array(let elements): ["\(start) array"] + elements.flatMap { outline($0) }
        case .dictionary(let members):
            ["\(start) dictionary"] + members.flatMap { outline($0.value, " \($0.place) \($0.key)") }
        case .unsupported(let found, let expected): ["\(start) \(found) instead of \(expected)"]
        }
    }

    @Test("A JSON text becomes values with the offsets of values and keys")
    func json() throws {
        let text = #"{"a": [null, true, false, -1, 9223372036854775808, 1.5, "x\n"], "b": 1e400, "c": 1e3, "d": {}}"#
        let document = try JSONDocument(Array(text.utf8))
        #expect(
            outline(PlacedValue(document)) == [
                "0: dictionary", "6 1 a: array", "7: null", "13: true", "19: false", "26: -1",
                "30: unsigned 9223372036854775808", "51: real 1.5", "56: \"x\n\"",
                "69 64 b: a larger number instead of a finite number", "81 76 c: real 1000.0", "91 86 d: dictionary",
            ])
        let large = try JSONDocument(Array("18446744073709551616".utf8))
        #expect(outline(PlacedValue(large)) == ["0: a larger number instead of a 64-bit integer"])
    }

    @Test("A property list becomes values with the offsets of values and keys")
    func propertyList() throws {
        let text = """
            <plist><dict><key>a</key><array><true/><integer>-1</integer><integer>9223372036854775808</integer>\
            <real>1.5</real><string>x</string><date>2001-01-01T00:00:01Z</date><data>AQ==</data></array></dict></plist>
            """
        let document = try XMLPropertyListParser.parse(Array(text.utf8))
        #expect(
            outline(PlacedValue(document)) == [
                "7: dictionary", "25 13 a: array", "32: true", "39: -1", "60: unsigned 9223372036854775808",
                "98: real 1.5", "114: \"x\"", "132: date 1.0", "165: data [1]",
            ])
        let archive = try BinaryPropertyListParser.parse(BinaryPropertyListTests.file([[0x80, 7]]))
        #expect(outline(PlacedValue(archive)) == ["8: a UID of a keyed archive instead of a value"])
    }

    @Test("The last member with a key is the value of the key")
    func members() throws {
        let value = PlacedValue(try JSONDocument(Array(#"{"a": 1, "b": 2, "a": 3}"#.utf8)))
        #expect(value.members?.map(\.key) == ["a", "b", "a"])
        #expect(value["a"].map { outline($0) } == ["22: 3"] && value["b"].map { outline($0) } == ["14: 2"])
        #expect(value["c"] == nil && PlacedValue(.integer(1)).members == nil && PlacedValue(.integer(1))["a"] == nil)
    }
}
