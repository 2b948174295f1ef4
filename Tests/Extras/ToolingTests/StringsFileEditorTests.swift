import AshlarTestSupport
import AshlarTooling
import Testing

@Suite struct StringsFileEditorTests {
    static let source = """
        /* Buttons,
           all of them */
        "ok"   =  "OK" ;   // keep me
        'cancel' = /* why? */ 'Cancel';

        // lonely
        "esc" = "a\\"b\\U00e9";
        key;
        list = (a, b);
        dup = one;
        dup = two;
        last = end;
        """

    static func edited(_ source: String, _ changes: [String: String?]) throws -> String {
        var editor = try StringsFileEditor(Array(source.utf8))
        try editor.apply(changes)
        return String(decoding: editor.bytes, as: UTF8.self)
    }

    @Test(
        "Only the value changes; comments, whitespace, quotes and order are preserved",
        arguments: [
            ("ok", #""OK""#, #""Fine""#), ("cancel", "'Cancel'", #""Fine""#), ("esc", #""a\"b\U00e9""#, #""Fine""#),
            ("key", "key;", #"key = "Fine";"#), ("list", "(a, b)", #""Fine""#), ("dup", "two", #""Fine""#),
            ("last", "end", #""Fine""#),
        ])
    func set(_ key: String, _ old: String, _ new: String) throws {
        #expect(try Self.edited(Self.source, [key: "Fine"]) == Self.source.replacing(old, with: new))
    }

    @Test("An unchanged value isn't written")
    func unchanged() throws {
        #expect(try Self.edited(Self.source, ["esc": "a\"bé", "cancel": "Cancel", "key": "key"]) == Self.source)
    }

    @Test(
        "New keys are added at the end with the file's line ending and indent, or before its brace",
        arguments: [
            ("a = b;\n", "a = b;\n\"n\" = \"x\\ny\";\n"), ("a = b;", "a = b;\n\"n\" = \"x\\ny\";\n"),
            ("", "\"n\" = \"x\\ny\";\n"),
            ("  a = b;\r\n", "  a = b;\r\n  \"n\" = \"x\\ny\";\r\n"),
            ("{\n  a = b;\n}\n", "{\n  a = b;\n  \"n\" = \"x\\ny\";\n}\n"),
            ("a = b", "a = b;\n\"n\" = \"x\\ny\";\n"), ("{}", "{\n\"n\" = \"x\\ny\";\n}"),
            ("a = b; // c", "a = b; // c\n\"n\" = \"x\\ny\";\n"),
        ])
    func add(_ source: String, _ expected: String) throws {
        #expect(try Self.edited(source, ["n": "x\ny"]) == expected)
    }

    @Test("Removing a key removes all its statements and the comments directly before them")
    func remove() throws {
        #expect(try Self.edited("/* c */\na = b;\nd = e;\n", ["a": String?.none]) == "d = e;\n")
        #expect(try Self.edited("/* head */\n\na = b;\nd = e;\n", ["a": String?.none]) == "/* head */\n\nd = e;\n")
        #expect(try Self.edited("a = b; d = e;\n", ["a": String?.none]) == " d = e;\n")
        #expect(try Self.edited("a = 1;\nb = 2;\na = 3;\n", ["a": String?.none]) == "b = 2;\n")
        #expect(try Self.edited("a = 1;\n", ["z": String?.none]) == "a = 1;\n")
    }

    @Test(
        "Files in every encoding retain their byte order mark and other bytes",
        arguments: [
            StringsEncoding.utf8, .utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian, .utf32BigEndian,
        ])
    func encodings(_ encoding: StringsEncoding) throws {
        let source = "\"é😀\" = \"中\";\n\"z\" = \"1\";\n"
        func encode(_ text: String) -> [UInt8] {
            switch encoding {
            case .utf8: return [0xEF, 0xBB, 0xBF] + Array(text.utf8)
            case .utf16LittleEndian: return [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
            case .utf16BigEndian: return [0xFE, 0xFF] + text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
            case .utf32LittleEndian, .utf32BigEndian:
                var bytes: [UInt8] = encoding == .utf32BigEndian ? [0, 0, 0xFE, 0xFF] : [0xFF, 0xFE, 0, 0]
                for scalar in text.unicodeScalars {
                    let big = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: scalar.value >> $0) }
                    bytes += encoding == .utf32BigEndian ? big : big.reversed()
                }
                return bytes
            }
        }
        var editor = try StringsFileEditor(encode(source))
        #expect(editor.table.encoding == encoding)
        try editor.set("é€\u{1F600}", for: "z")
        #expect(editor.bytes == encode(source.replacing("\"1\"", with: "\"é€\u{1F600}\"")))
        #expect(editor.table["z"] == .string("é€\u{1F600}"))
    }

    @Test("UTF-16 with a lone surrogate and an odd last byte retains both")
    func brokenUTF16() throws {
        let head: [UInt8] = [0xFF, 0xFE] + "\"a\" = \"".utf16.flatMap { [UInt8($0), 0] } + [0x3D, 0xD8]
        let tail: [UInt8] = "\"; b = c;".utf16.flatMap { [UInt8($0), 0] } + [0x41]
        var editor = try StringsFileEditor(head + tail)
        try editor.set("C", for: "b")
        let expected = head + "\"; b = \"C\";".utf16.flatMap { [UInt8($0), 0] } + [0x41]
        #expect(editor.bytes == expected)
    }

    @Test("Readable entries of a malformed file can be changed; a file that isn't text can't")
    func broken() throws {
        #expect(try Self.edited("a = b;; c = d;", ["c": "D"]) == "a = b;; c = \"D\";")
        #expect(throws: CustomizationError.self) { try StringsFileEditor([0x61, 0xFF]) }
        #expect(throws: CustomizationError.self) { try StringsFileEditor(Array("<plist><dict/></plist>".utf8)) }
    }

    /// A strings file of statements in every spelling, in one of three encodings.
    static func file(using random: inout SeededRandom) -> [UInt8] {
        let texts = ["a", "key", "two words", "é", "中文", "😀", "it's", "// no", "/* no */", "a;b", "%1$@"]
        let values = ["'x'", "word", "(a, 'b', \"c\")", "{ k = v; }", "<00 ff>", "\"\\n\\U00e9\\\"\""]
        let gaps = ["", " ", "\n", "\t", "\r\n", " /* c */ ", "// l\n", "/**/", "/* a\n\"b\" = \"c\"; */"]
        var text = ""
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            text += random.pick(gaps) + "\"" + random.pick(texts) + "\"" + random.pick(gaps)
            if random.next() % 8 > 0 {
                let value = random.next() % 3 > 0 ? "\"" + random.pick(texts) + "\"" : random.pick(values)
                text += "=" + random.pick(gaps) + value + random.pick(gaps)
            }
            text += ";"
        }
        text += random.pick(gaps)
        switch random.next() % 8 {
        case 0: return [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        case 1: return [0xEF, 0xBB, 0xBF] + text.utf8
        default: return Array(text.utf8)
        }
    }

    @Test("In generated files, an edit changes only its value", .timeLimit(.minutes(5)))
    func generated() throws {
        var random = SeededRandom(seed: 77)
        var changes = 0
        for _ in 0..<(soaks ? 50_000 : 3_000) {
            let bytes = Self.file(using: &random)
            let before = StringsTable.parse(strings: bytes)
            guard !before.isRejected, !before.hasErrors, let entry = Array(before.table).randomElement(using: &random)
            else {
                continue
            }
            var editor = try StringsFileEditor(bytes)
            try editor.set("new \"value\"\n", for: entry.key)
            let after = StringsTable.parse(strings: editor.bytes)
            #expect(after.table[entry.key] == .string("new \"value\"\n"))
            #expect(after.table.count == before.table.count && !after.hasErrors)
            for other in before.table where other.key != entry.key {
                #expect(after.table[other.key] == other.value)
            }
            // The changed bytes are inside the entry's statement: no other statement starts among them.
            let prefix = zip(bytes, editor.bytes).prefix { $0 == $1 }.count
            let suffix = zip(bytes.dropFirst(prefix).reversed(), editor.bytes.dropFirst(prefix).reversed())
                .prefix { $0 == $1 }.count
            if before.table.encoding == .utf8, bytes.first != 0xEF {
                let offsets = Dictionary(before.table.statements.map { ($0.key, $0.range.lowerBound) }) { $1 }
                for other in before.table where other.key != entry.key {
                    let start = offsets[other.key] ?? 0
                    #expect(start < prefix || start >= bytes.count - suffix)
                }
            }
            try editor.remove(entry.key)
            #expect(editor.table[entry.key] == nil && editor.table.count == before.table.count - 1)
            changes += 1
        }
        #expect(changes > 500)
    }

    @Test("The canonical form is parsed as the same entries")
    func formatted() {
        let table = StringsTable.parse(strings: Array(Self.source.utf8)).table
        let again = StringsTable.parse(strings: Array(table.formatted().utf8))
        #expect(again.diagnostics.isEmpty)
        #expect(again.table.map(\.key) == table.map(\.key))
        #expect(again.table.map(\.value) == table.map(\.value))
        #expect(again.table.map(\.comment) == table.map(\.comment))
        #expect(
            StringsTable(entries: [
                CustomizationEntry(key: "b", value: .list([.string("x"), .data([1])]), comment: "a */ b /* c"),
                CustomizationEntry(key: "a", value: .int(1)),
            ]).formatted(sorted: true) == "\"a\" = \"1\";\n\n/* a * / b / * c */\n\"b\" = (\"x\", <01>);\n")
    }

    @Test(
        "Every comment survives a round trip",
        arguments: ["a */ b", "*/\u{301} x", "/* a", "/", "*", "*/*/", "\u{0} z", "// c", "; = \"x\" = \"y\";"])
    func comments(comment: String) {
        let entry = CustomizationEntry(key: "k", value: .string("v"), comment: comment)
        let text = StringsTable(entries: [entry, CustomizationEntry(key: "l", value: .string("w"))]).formatted()
        let again = StringsTable.parse(strings: Array(text.utf8))
        #expect(again.diagnostics.isEmpty && again.table.count == 2 && again.table["k"] == .string("v"))
        #expect(again.table.entry("k")?.comment?.isEmpty == false)
    }
}
