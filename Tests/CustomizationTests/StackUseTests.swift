import AshlarCustomization
import AshlarTestSupport
import Testing

@Suite struct StackUseTests {
    static func nest(
        _ head: String, _ open: String, _ core: String, _ close: String, _ tail: String, count: Int = 99
    ) -> [UInt8] {
        Array(
            (head + String(repeating: open, count: count) + core + String(repeating: close, count: count) + tail).utf8)
    }

    @Test(
        "Reading the deepest file uses less than a half of a small stack",
        arguments: [
            nest("\"a\" = ", "(", "b", ")", ";"), nest("\"a\" = ", "{ b = ", "c", "; }", ";"),
            nest("<plist><dict><key>a</key>", "<array>", "<true/>", "</array>", "</dict></plist>"),
            nest("<plist>", "<dict><key>a</key>", "<true/>", "</dict>", "</plist>"),
        ])
    func strings(bytes: [UInt8]) async throws {
        let use = try await stackUse { () -> Bool in
            let value = StringsTable.parse(strings: bytes).table["a"]
            return value != nil && value == StringsTable.parse(strings: bytes).table["a"]
        }
        #expect(use.value)
        #expect(use.bytes <= stackLimit)
    }

    @Test(
        "Reading the deepest theme uses less than a half of a small stack",
        arguments: [
            nest("{\"a\": ", "{\"b\": ", "1", "}", "}"), nest("{\"a\": {\"b\": ", "[", "1", "]", "}}", count: 98),
        ])
    func themes(bytes: [UInt8]) async throws {
        let use = try await stackUse { Theme.parse(bytes).themes.count }
        #expect(use.value == 1)
        #expect(use.bytes <= stackLimit)
    }

    @Test("A long chain of variables doesn't exhaust the stack")
    func variables() async throws {
        let variables = Dictionary(
            uniqueKeysWithValues: (0..<5_000).map { number in
                ("v\(number)", CustomizationMessage.Variable(forms: [.other: "%#@v\(number + 1)@"]))
            })
        let use = try await stackUse {
            CustomizationMessage(format: "%#@v0@", variables: variables)
                .formatted(Array(repeating: FormatValue.int(2), count: 50)).problems.map(\.code)
        }
        #expect(use.value == [.cyclicVariable])
        #expect(use.bytes <= stackLimit)
    }
}
