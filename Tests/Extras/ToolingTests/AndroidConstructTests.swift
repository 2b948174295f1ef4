import AshlarTestSupport
import AshlarTooling
import Foundation
import Testing

/// Imports and exports every construct of Android's documentation of string resources in folders of every spelling.
///
/// `aapt2` reads the resources before and after.
@Suite(.enabled(if: AndroidCompiler.path != nil, "aapt2 is not installed (Debian package aapt)"))
struct AndroidConstructTests {
    /// Elements whose resource names are `r0`, `r1` and so on; `NAME` is replaced by the name.
    static let constructs: [String] =
        [
            // Plain text and escapes
            "plain", "", "two words", "It\\'s", "\"It's\"", "\\\"quoted\\\"", "back\\\\slash", "line\\nbreak",
            "tab\\tstop",
            "\\@home", "me@home", "@home", "\\?why", "why?", "\\#tag", "\\u0041\\u00e9", "\\u2026",
            "\\uD83C\\uDFC3 run",
            "caf\u{E9} 日本 👍", "&lt;b>not markup&lt;/b>", "a &amp; b &gt; c", "&#169; &#x2014;", "&quot;x&quot;",
            "<![CDATA[<b>x</b> & y]]>", "unknown \\q escape",
            // Whitespace
            "  edges  ", "\n    many\n    lines\n", "\" kept \"", "a \"  b  \" c", "a&#160; b\\u0020", "\\u0020x",
            "a<!-- comment -->b",
            // Formats
            "100% sure", "50%", "100%%", "5 % of", "%s", "%d", "%1$s and %2$s", "%1$s has %2$,d", "%1$.2f km", "%05d",
            "%tB", "%1$tY-%1$tm-%1$td", "%n", "%b", "%h", "%(d", "%+,d", "%x %%", "%-10s|", "%S", "%c",
            // Markup
            "a <b>bold</b> c", "<b> edge </b> c", "<i>x</i>", "<b><i>nested</i></b>", "a<br/>b", "<u>u</u><tt>t</tt>",
            "<a href=\"https://example.com/?a=1&amp;b=2\">link</a>", "<font color=\"#ff0000\" size=\"2\">f</font>",
            "<annotation font=\"title\">best</annotation>", "%1$s <b>bold</b>", "<xliff:g id=\"n\">%1$s</xliff:g> days",
            "<xliff:g id=\"n\" example=\"5\">%d</xliff:g>", "a <sup>2</sup> it\\'s \\n", "<li>one</li><li>two</li>",
            // References
            "@string/base", "?attr/foo", "@null", "@empty", " @string/base ",
        ].map { "<string name=\"NAME\">\($0)</string>" } + [
            "<string name=\"NAME\" formatted=\"false\">%s and %s</string>",
            "<string name=\"NAME\" formatted=\"false\">%1$s %&lt;s</string>",
            "<string name=\"NAME\" translatable=\"false\">%s or %s</string>",
            "<string name=\"NAME\" tools:ignore=\"TypographyDashes\">a - b</string>",
            "<string name=\"NAME\" msgid=\"123\">x</string>", "<string name=\"NAME\"/>",
            "<string name=\"NAME\" product=\"tablet\">Tablet</string><string name=\"NAME\" product=\"default\">Phone</string>",
            "<item name=\"NAME\" type=\"string\">item</item>",
            "<item name=\"NAME\" type=\"string\">@string/base</item>",
            "<string-array name=\"NAME\"><item>a</item><item>it\\'s <b>b</b></item></string-array>",
            "<string-array name=\"NAME\"><item>@string/base</item><item>c</item></string-array>",
            "<string-array name=\"NAME\"/>",
            "<array name=\"NAME\"><item>1</item><item>true</item><item>x</item></array>",
            "<integer-array name=\"NAME\"><item>1</item><item>0x2</item></integer-array>",
            "<plurals name=\"NAME\"><item quantity=\"one\">%d file</item><item quantity=\"other\">%d files</item></plurals>",
            "<plurals name=\"NAME\"><item quantity=\"few\">%1$s: %2$,d</item><item quantity=\"other\">@string/base</item></plurals>",
            "<plurals name=\"NAME\"><item quantity=\"other\">\\uD83C\\uDFC3 <b>x</b></item></plurals>",
            "<plurals name=\"NAME\"><item quantity=\"one\">@string/base</item><item quantity=\"other\">%d</item></plurals>",
            "<bool name=\"NAME\">true</bool>", "<bool name=\"NAME\">False</bool>",
            "<integer name=\"NAME\">42</integer>",
            "<integer name=\"NAME\">0x10</integer>", "<color name=\"NAME\">#abc</color>",
            "<color name=\"NAME\">#8abc</color>",
            "<color name=\"NAME\">#AABBCC</color>", "<color name=\"NAME\">#80AABBCC</color>",
            "<item name=\"NAME\" type=\"dimen\" format=\"float\">1.5</item>", "<dimen name=\"NAME\">16dp</dimen>",
            "<fraction name=\"NAME\">10%</fraction>",
        ]

    static let folders = [
        "values", "values-fr", "values-fr-rCA", "values-iw", "values-he", "values-in", "values-b+sr+Latn", "values-sh",
        "values-kmr", "values-tl", "values-b+fil", "values-b+es+419", "values-zh-rTW", "values-b+zh+Hant+TW",
    ]

    /// The files of a tree, each construct in each folder, some in a second file.
    static func files() -> [AndroidResources.File] {
        folders.flatMap { folder in
            [("strings.xml", 0), ("strings_topics.xml", 1)].map { file, part in
                let elements = constructs.enumerated().filter { $0.offset % 2 == part }.map { index, xml in
                    "    " + xml.replacingOccurrences(of: "NAME", with: "r\(index)_x2\(part)_y")
                }
                let base = part == 0 ? "    <string name=\"base\">base</string>\n" : ""
                return AndroidResources.File(
                    path: "app/src/main/res/\(folder)/\(file)",
                    text: """
                        <?xml version="1.0" encoding="utf-8"?>
                        <resources xmlns:xliff="urn:oasis:names:tc:xliff:document:1.2"
                            xmlns:tools="http://schemas.android.com/tools">
                        \(base)\(elements.joined(separator: "\n"))
                        </resources>
                        """)
            }
        }
    }

    /// The values that aapt2 reads from the files: the value of each resource in each configuration.
    static func dump(_ files: [AndroidResources.File], product: String) throws -> [String: String] {
        let tree = try TemporaryFolder([
            "AndroidManifest.xml":
                "<manifest xmlns:android=\"http://schemas.android.com/apk/res/android\" package=\"com.example.app\"/>",
            "app/src/main/res/values/attrs.xml": "<resources><attr name=\"foo\" format=\"string\"/></resources>",
        ])
        for file in files { try tree.write(file.text, to: file.path) }
        for arguments in [
            ["compile", "--dir", "app/src/main/res", "-o", "out.zip"],
            ["link", "--product", product, "--manifest", "AndroidManifest.xml", "-o", "out.apk", "out.zip"],
        ] {
            let result = try AndroidCompiler.run(arguments, in: tree.path)
            try #require(result.status == 0, "\(result.output)")
        }
        var values: [String: String] = [:]
        var (name, key) = ("", "")
        for line in try AndroidCompiler.run(["dump", "resources", "out.apk"], in: tree.path).output.split(
            separator: "\n")
        {
            if line.hasPrefix("    resource 0x") {
                name = String(line.split(separator: " ").last ?? "")
            } else if line.hasPrefix("      ("), let end = line.firstIndex(of: ")") {
                key = name + " " + line[...end].dropFirst(6)
                values[key] = String(line[end...])
            } else if line.hasPrefix("  type ") {
                key = ""
            } else {
                values[key, default: ""] += "\n" + line
            }
        }
        values[""] = nil
        return values
    }

    @Test("aapt2 reads the same values after an import and an export", .timeLimit(.minutes(5)))
    func roundTrip() throws {
        #expect(Self.constructs.count >= 60 && Self.folders.count >= 12)
        let files = Self.files()
        let (layers, diagnostics) = AndroidResources(files: files).layers()
        let resources = AndroidResources(layers)
        #expect(resources.diagnostics == [])
        #expect(resources.files.map(\.path).sorted() == files.map(\.path).sorted())
        let reported = Set(diagnostics.filter { $0.code == .androidNotImported }.map { $0.key ?? "" })
        #expect(reported.count <= 3, "the dimension, the fraction and the variant for a product")
        #expect(diagnostics.allSatisfy { $0.line > 0 && $0.key != nil && $0.file.hasPrefix("app/src/main/res/values") })
        for product in ["default", "tablet"] {
            let before = try Self.dump(files, product: product)
            let after = try Self.dump(resources.files, product: product)
            #expect(before.count > 1_000)
            var differences: [String] = []
            for (key, value) in before.sorted(by: { $0.key < $1.key }) where after[key] != value {
                let name = key.split(separator: " ")[0].split(separator: "/").last.map(String.init) ?? ""
                if after[key] == nil, reported.contains(name) { continue }
                differences.append("\(key): \(value) became \(after[key] ?? "nothing")")
            }
            #expect(differences.isEmpty, "\(differences.prefix(20).joined(separator: "\n"))")
            #expect(Set(after.keys).isSubset(of: before.keys))
        }
    }

    @Test("A second import gives the same layers, and no changed byte crashes the import")
    func stability() {
        let files = Self.files().filter { $0.path.contains("/values-fr/") }
        let first = AndroidResources(AndroidResources(files: files).layers().layers)
        let second = AndroidResources(first.layers().layers)
        #expect(second.files == first.files && first.files.count == 2)
        var random = SeededRandom(seed: 18)
        var imported = 0
        for file in first.files {
            let bytes = Array(file.text.utf8)
            for _ in 0..<(soaks ? 20_000 : 200) {
                var changed = bytes
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    changed[Int.random(in: 0..<changed.count, using: &random)] = UInt8.random(
                        in: 0...255, using: &random)
                }
                let text = String(decoding: changed, as: UTF8.self)
                let layers = AndroidResources(files: [.init(path: file.path, text: text)]).layers().layers
                imported += AndroidResources(layers).files.count
            }
        }
        #expect(imported > 100)
    }
}
