import AshlarTrees
import Testing

/// Reads from documents whose containers are small, larger, and so large that they have an index.
@Suite struct JSONContainerTests {
    /// Numbers of elements on both sides of the sizes at which a container is stored differently.
    static let sizes = [1, 13, 14, 15, 32, 33, 34, 1000]

    @Test("Elements of arrays of every size are counted, found and have their path", arguments: sizes)
    func arrays(count: Int) throws {
        let text = "[\((0..<count).map { "[\($0)]" }.joined(separator: ","))]"
        let document = try JSONDocument(Array(text.utf8))
        #expect(document.count(of: 0) == count)
        for number in [0, count / 2, count - 1] {
            let element = try #require(document.element(number, of: 0))
            #expect(document.int64(at: element + 1) == Int64(number))
            #expect(document.path(to: element) == "$[\(number)]" && document.path(to: element + 1) == "$[\(number)][0]")
        }
        #expect(document.element(count, of: 0) == nil && document.element(-1, of: 0) == nil)
    }

    @Test("Members of objects of every size are counted, found and have their path", arguments: sizes)
    func objects(count: Int) throws {
        let text = "{\((0..<count).map { #""k\#($0)":{"n":\#($0)}"# }.joined(separator: ","))}"
        let document = try JSONDocument(Array(text.utf8))
        #expect(document.count(of: 0) == count)
        for number in [0, count / 2, count - 1] {
            let key = try #require(document.find("k\(number)", in: 0))
            let inner = try #require(document.find("n", in: key + 1))
            #expect(document.int64(at: inner + 1) == Int64(number))
            #expect(document.path(to: inner + 1) == "$.k\(number).n")
        }
        #expect(document.find("k\(count)", in: 0) == nil)
    }

    @Test("A scalar and a key are copied as in the text")
    func copies() throws {
        let text = #"{"a\u0062":["x\n",-1.50e+3,true,null]}"#
        let document = try Array(text.utf8).withUnsafeBufferPointer { try JSONDocument($0) }
        func copy(_ index: Int) -> String {
            var bytes = Array("<".utf8)
            document.copy(index, to: &bytes)
            return String(decoding: bytes, as: UTF8.self)
        }
        #expect(copy(1) == #"<"a\u0062""#)
        #expect(document.children(of: 2).map(copy) == [#"<"x\n""#, "<-1.50e+3", "<true", "<null"])
        #expect(document.children(of: 0).map { JSONTape.isContainer(document.word(at: $0 + 1)) } == [true])
        #expect(!document.children(of: 2).contains { JSONTape.isContainer(document.word(at: $0)) })
    }

    @Test("An empty document is null")
    func empty() {
        let document = JSONDocument()
        #expect(document.kind(at: 0) == .null && document.bytes(at: 0).isEmpty && document.next(after: 0) == 1)
    }

    @Test("Decimals with the same value are equal, whatever their notation")
    func decimals() throws {
        func decimal(_ text: String) -> JSONDecimal { Array(text.utf8).withUnsafeBufferPointer { JSONDecimal($0) } }
        let equal = [
            ["0", "-0", "0.00", "0e9", "-0E-400000000000000001"], ["120", "12e1", "1.2E+2", "120.000", "12000e-2"],
            ["-1.5", "-15e-1", "-0.0015e3"], ["1e400000000000000001", "1e999999999999999999999"],
        ]
        for (number, texts) in equal.enumerated() {
            #expect(Set(texts.map(decimal)).count == 1, "\(texts)")
            for other in equal[(number + 1)...] { #expect(decimal(texts[0]) != decimal(other[0])) }
        }
        #expect(decimal("12e1").integer() == Int8(120) && decimal("1280e-1").integer() as Int8? == nil)
        #expect(decimal("1e999999999999999999999").integer() as Int128? == nil)
        #expect(decimal("1e-999999999999999999999").integer() as Int128? == nil)
    }

    @Test("A float is the nearest one, unless the number is too large")
    func floats() {
        func float(_ text: String) -> Float? { Array(text.utf8).withUnsafeBufferPointer { JSONNumber(text: $0).float } }
        #expect(float("16777217") == 16_777_216 && float("0.1") == 0.1)
        #expect(float("3.4028235e38") == .greatestFiniteMagnitude && float("3.5e38") == nil && float("-1e99") == nil)
    }
}
