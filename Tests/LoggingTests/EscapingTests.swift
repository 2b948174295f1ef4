import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarLogging

@Suite struct EscapingTests {
    @Test(
        "Characters that could forge or disturb a line are escaped in text",
        arguments: [
            ("a\nb", #"a\nb"#), ("a\rb", #"a\rb"#), ("a\r\nb", #"a\r\nb"#), ("a\tb", "a\tb"), ("\0", #"\x00"#),
            ("\u{1B}[31mred", #"\x1B[31mred"#), ("\u{7F}", #"\x7F"#), ("\u{80}\u{9F}", #"\x80\x9F"#),
            ("\u{85}", #"\x85"#), ("\u{2028}\u{2029}", #"\u{2028}\u{2029}"#),
            ("\u{202A}\u{202E}", #"\u{202A}\u{202E}"#), ("\u{2066}\u{2069}", #"\u{2066}\u{2069}"#),
            (#"C:\path"#, #"C:\path"#), ("\"q\"", "\"q\""),
            ("ü €  \u{A0}\u{200B}\u{FEFF}👩‍👩‍👧", "ü €  \u{A0}\u{200B}\u{FEFF}👩‍👩‍👧"),
            ("\u{200E}\u{200F}\u{61C}", #"\u{200E}\u{200F}\u{061C}"#),
            ("\u{61B}\u{61D}\u{200D}", "\u{61B}\u{61D}\u{200D}"),
            ("\u{2027}\u{202F}\u{2065}\u{206A}", "\u{2027}\u{202F}\u{2065}\u{206A}"), ("", ""),
            ("0123456789abcdef\u{1}0123456789abcdef\n", #"0123456789abcdef\x010123456789abcdef\n"#),
        ])
    func table(raw: String, printed: String) {
        let system = TestSystem()
        system.log(raw).info("\(raw)", [raw: 1])
        let key =
            printed.isEmpty
            ? "_"
            : String(
                printed.map { !$0.isASCII || $0.isLetter || $0.isNumber || "-._".contains($0) ? $0 : "_" as Character })
        #expect(system.live == "[INFO] \(printed) - \(printed) \(key)=1\n")
    }

    @Test("Fields are quoted where necessary; quotes and backslashes are escaped inside")
    func fieldValues() {
        let system = TestSystem()
        system.log().info(
            "m",
            [
                "a": "plain", "b": "two words", "c": "q\"b\\", "d": "", "e": "k=v", "f": "x\ny\tz", "g": 1.5, "h": true,
                "i": Int?.none, "j": UInt64.max, "k": -3,
            ])
        #expect(
            system.live == #"[INFO] A - m a=plain b="two words" c="q\"b\\" d="" e="k=v" f="x\ny\tz" g=1.5 h=true i=nil"#
                + " j=18446744073709551615 k=-3\n")
    }

    @Test(
        "In every format, contexts, keys, values, functions and files produce no further line and no control byte"
    )
    func everyPlace() throws {
        var scalars = Array(0..<32 as Range<UInt32>) + Array(0x7F...0x9F) + Array(0x2028...0x202E)
        scalars += Array(0x2066...0x2069) + [0x061C, 0x200E, 0x200F]
        let hostile =
            scalars.compactMap { UnicodeScalar($0).map { String($0) } }
            + ["\r\n", "\n[ERROR] root - forged", "a\u{1B}[2Jb", "\u{FEFF}", "\u{E0041}", "\\n", "\"", "=", " ", ""]
        var gutter = LogFormat.standard
        gutter.continuesLines = true
        let all = try LogFormat(
            "{time} {file} {function} {method} {line} {thread} {sequence} {number} {ftlevel} {level} {context} "
                + "{indent}{message}|{fields}")
        for format in [.myLogger, .standard, .ftToolBox, .jsonLines, .logfmt, gutter, all] {
            let system = TestSystem { $0.format = format }
            for text in hostile {
                let before = system.live.utf8.count
                system.log("ctx\(text)end").logRaw(
                    .error, "m\(text)n", context: "c\(text)d",
                    fields: ["k\(text)l": "v\(text)w", "p\(text)": .private("secret"), "o": Int?.none],
                    function: "f\(text)()", file: "M/\(text).swift", line: 3)
                let written = String(decoding: system.live.utf8.dropFirst(before), as: UTF8.self)
                let gutters = written.components(separatedBy: "\n  | ").count - 1
                #expect(written.utf8.count { $0 == 10 } - gutters == 1, "\(written)")
                #expect(!written.contains("secret") && written.contains("<private>"))
                let raw = written.unicodeScalars.filter { scalars.contains($0.value) && $0 != "\n" && $0 != "\t" }
                #expect(raw.isEmpty, "\(written)")
                guard case .json = format.compiled.kind else { continue }
                let object = try #require(
                    JSONSerialization.jsonObject(with: Data(written.utf8)) as? [String: Any], "\(written)")
                #expect((object["message"] as? String)?.utf8.elementsEqual("m\(text)n".utf8) == true)
                #expect((object["context"] as? String)?.utf8.elementsEqual("c\(text)d".utf8) == true)
                let fields = try #require(object["fields"] as? [String: Any])
                #expect((fields["k\(text)l"] as? String)?.utf8.elementsEqual("v\(text)w".utf8) == true)
            }
        }
    }

    @Test("With continuation, further lines follow a gutter")
    func continuation() {
        let system = TestSystem { $0.format.continuesLines = true }
        system.log("A\nB").info("one\n[ERROR] forged\r\nthree\rfour", ["k": "v\nw"])
        #expect(system.live == "[INFO] A\\nB - one\n  | [ERROR] forged\n  | three\\rfour k=\"v\\nw\"\n")
    }

    @Test("For all scalars, each call is one line without control bytes")
    func allScalars() {
        let system = TestSystem {
            $0.rotation = LogRotation(segmentBytes: 64 << 20, runBytes: 256 << 20)
        }
        let log = system.log()
        var logged = 0
        var group = ""
        func emit() {
            log.info("\(group)", ["k": group])
            logged += 1
            group = ""
        }
        for value in 0...0x10FFFF {
            guard let scalar = Unicode.Scalar(value as Int) else { continue }
            // Below U+3000 each by itself and next to a letter; above, many together.
            if value < 0x3000 {
                group = "x\(scalar)"
                emit()
                group = String(Character(scalar))
                emit()
            } else {
                group.unicodeScalars.append(scalar)
                if value % 256 == 0 { emit() }
            }
        }
        emit()
        let bytes = Array(system.live.utf8)
        #expect(bytes.count { $0 == 10 } == logged)
        #expect(!bytes.contains { $0 < 0x20 && $0 != 9 && $0 != 10 })
        #expect(!bytes.contains(0x7F))
        let text = String(decoding: bytes, as: UTF8.self)
        let bad = text.unicodeScalars.contains {
            (0x80...0x9F).contains($0.value) || [0x2028, 0x2029].contains($0.value)
                || (0x202A...0x202E).contains($0.value) || [0x061C, 0x200E, 0x200F].contains($0.value)
                || (0x2066...0x2069).contains($0.value)
        }
        #expect(!bad)
    }

    @Test("JSON lines preserve every scalar and remain one line each")
    func jsonScalars() throws {
        let system = TestSystem {
            $0.format = .jsonLines
            $0.rotation = LogRotation(segmentBytes: 64 << 20, runBytes: 256 << 20)
        }
        let log = system.log()
        var texts: [String] = []
        var text = ""
        for value in 0...0x10FFFF {
            guard let scalar = Unicode.Scalar(value as Int) else { continue }
            text.unicodeScalars.append(scalar)
            if value % 512 == 511 {
                texts.append(text)
                text = ""
            }
        }
        for text in texts { log.info("\(text)", ["k": text]) }
        let lines = system.live.utf8.split(separator: 10)
        #expect(lines.count == texts.count)
        for (line, text) in zip(lines, texts) {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
            // Compared as scalars: equal strings may differ in normalisation.
            let message = try #require(object["message"] as? String)
            let field = try #require((object["fields"] as? [String: Any])?["k"] as? String)
            guard message.unicodeScalars.elementsEqual(text.unicodeScalars),
                field.unicodeScalars.elementsEqual(text.unicodeScalars)
            else {
                Issue.record("differs from U+\(String(text.unicodeScalars.first!.value, radix: 16)) on")
                return
            }
        }
    }

    @Test("Random hostile texts never produce more lines than calls", arguments: 1...20 as ClosedRange<UInt64>)
    func randomTexts(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let parts = [
            "\n", "\r", "\0", "\u{1B}", "[ERROR] x - y", "\\", "\"", "é", "e\u{301}", "\u{202E}", "👨‍👩‍👧‍👦", "\u{2028}", " ",
            "abcdefgh", "{\"a\":1}", "=", "%@", "\u{85}", "\t", "ﬀ",
        ]
        let formats: [(LogFormat, isJSON: Bool)] = [
            (.myLogger, false), (.ftToolBox, false), (.standard, false), (.jsonLines, true), (.logfmt, false),
        ]
        for (format, isJSON) in formats {
            let system = TestSystem {
                $0.format = format
                $0.maximumLineBytes = 1024
            }
            for _ in 0..<40 {
                let count = Int.random(in: 0...400, using: &random)
                let text = (0..<count).map { _ in parts.randomElement(using: &random)! }.joined()
                system.log(String(text.prefix(9))).info("\(text)", [String(text.suffix(5)): text])
            }
            let bytes = Array(system.live.utf8)
            #expect(bytes.count { $0 == 10 } == 40)
            #expect(!bytes.contains { $0 < 0x20 && $0 != 9 && $0 != 10 })
            for line in bytes.split(separator: 10) {
                #expect(line.count <= 1024)
                let object = try? JSONSerialization.jsonObject(with: Data(line))
                #expect((object != nil) == isJSON)
            }
        }
    }
}
