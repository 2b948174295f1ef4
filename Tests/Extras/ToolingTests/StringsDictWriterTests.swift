import AshlarTestSupport
import AshlarTooling
import Foundation
import Testing

@Suite struct StringsDictWriterTests {
    @Test("A file has one canonical form")
    func text() {
        let files = CustomizationMessage(forms: [.one: "%d file", .other: "%d files & <more>"])
        let table = StringsTable(entries: [
            CustomizationEntry(key: "files", value: files.value),
            CustomizationEntry(key: "ok", value: .string("OK")),
        ])
        #expect(
            table.formattedStringsDict().replacing("\t", with: " ") == """
                <?xml version="1.0" encoding="UTF-8"?>
                <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
                <plist version="1.0">
                <dict>
                 <key>files</key>
                 <dict>
                  <key>NSStringLocalizedFormatKey</key>
                  <string>%#@value@</string>
                  <key>value</key>
                  <dict>
                   <key>NSStringFormatSpecTypeKey</key>
                   <string>NSStringPluralRuleType</string>
                   <key>NSStringFormatValueTypeKey</key>
                   <string>lld</string>
                   <key>one</key>
                   <string>%d file</string>
                   <key>other</key>
                   <string>%d files &amp; &lt;more&gt;</string>
                  </dict>
                 </dict>
                </dict>
                </plist>

                """)
        #expect(StringsTable(entries: []).formattedStringsDict().contains("<dict>\n</dict>"))
    }

    @Test("Ashlar and Foundation read the same messages")
    func roundTrip() throws {
        var random = SeededRandom(seed: 5)
        let texts = [
            "", "%d", "a", "  x ", "é 日本 👍", "a & b < c > d", "\"q\"", "line\nbreak", "\r\n", "\t", "]]>", "%#@b@",
        ]
        for _ in 0..<200 {
            var entries: [CustomizationEntry] = []
            for index in 0..<Int.random(in: 1...5, using: &random) {
                let message = CustomizationMessage(
                    format: random.pick(texts) + "%#@a@" + random.pick(texts),
                    variables: [
                        "a": .init(forms: [.one: random.pick(texts), .other: random.pick(texts)]),
                        "b": .init(forms: [.few: random.pick(texts), .other: random.pick(texts)]),
                    ])
                entries.append(
                    CustomizationEntry(key: "\(index)" + random.pick(texts), value: message.value))
            }
            let text = StringsTable(entries: entries).formattedStringsDict(sorted: true)
            let read = StringsTable.parse(stringsDict: Array(text.utf8))
            #expect(!read.diagnostics.contains { $0.severity == .error })
            for entry in entries { #expect(read.table[entry.key] == entry.value) }
            let root = try PropertyListSerialization.propertyList(from: Data(text.utf8), format: nil)
            let members = try #require(root as? [String: [String: Any]])
            for entry in entries {
                #expect(
                    members[entry.key]?["NSStringLocalizedFormatKey"] as? String
                        == entry.value.message?.source().pluralText?.format)
            }
        }
    }
}
