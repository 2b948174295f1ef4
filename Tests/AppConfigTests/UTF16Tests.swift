import AshlarAppConfig
import Testing

@Suite struct UTF16Tests {
    private func encode(_ text: String, big: Bool) -> [UInt8] {
        text.utf16.flatMap { big ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    }

    @Test("UTF-16 without a byte order mark is read", arguments: [true, false])
    func withoutMark(big: Bool) throws {
        #expect(try read(encode("{\"a\": \"ü🔥\"}", big: big)).get().string(forKey: "a") == "ü🔥")
        let text = plist("<key>a</key><string>ü🔥</string>").replacing("UTF-8", with: "UTF-16")
        #expect(try read(encode(text, big: big)).get().string(forKey: "a") == "ü🔥")
    }

    @Test("Malformed UTF-16 is an error with a line, a column, and an offset", arguments: [true, false])
    func malformed(big: Bool) throws {
        let mark: [UInt8] = big ? [0xFE, 0xFF] : [0xFF, 0xFE]
        let half: [UInt8] = big ? [0xD8, 0x00] : [0x00, 0xD8]
        for (tail, found) in [([0x20], "an odd number of bytes"), (half, "an unpaired surrogate")] {
            let error = #expect(throws: ConfigError.self) { try read(mark + encode("{\n🔥", big: big) + tail).get() }
            #expect(
                error?.description == "expected UTF-16 text, found \(found) (ApplicationConfig.plist:2:5)")
            #expect(error?.location?.offset == 10)
        }
    }
}
