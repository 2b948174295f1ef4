import AshlarCustomization
import AshlarTestSupport
import Testing

@Suite struct StackUseTests {
    /// A half of the stack of a secondary thread on Apple systems. Without optimization, a function uses several times as much.
    #if DEBUG
        static let limit = 2 << 20
    #else
        static let limit = 256 << 10
    #endif

    static func nest(_ head: String, _ open: String, _ core: String, _ close: String, _ tail: String) -> [UInt8] {
        Array((head + String(repeating: open, count: 99) + core + String(repeating: close, count: 99) + tail).utf8)
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
        #expect(use.bytes <= Self.limit)
    }

    @Test(
        "Reading the deepest theme uses less than a half of a small stack",
        arguments: [nest("{\"a\": ", "{\"b\": ", "1", "}", "}"), nest("{\"a\": ", "[", "1", "]", "}")])
    func themes(bytes: [UInt8]) async throws {
        let use = try await stackUse { Theme.parse(bytes).themes.count }
        #expect(use.bytes <= Self.limit)
    }
}
