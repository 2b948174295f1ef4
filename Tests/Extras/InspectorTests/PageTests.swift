import AshlarBase
import AshlarCore
import AshlarLogging
import AshlarNetworking
import AshlarTestSupport
import AshlarTesting
import Testing

@testable import AshlarInspector

/// The page of a document.
@Suite struct PageTests {
    /// The JSON of a page's document.
    private func data(_ page: String) throws -> String {
        let start = try #require(page.range(of: #"<script type="application/json" id="data">"#))
        let end = try #require(page.range(of: "</script>", in: start.upperBound))
        return String(page[start.upperBound..<end.lowerBound])
    }

    @Test(
        "A text of a document isn't markup, and the page's JSON has it unchanged",
        arguments: [
            "</script><script>x()</script>", "<!--", "-->", "<img src=x onerror=x()>", "&lt;", "a\u{2028}b\u{2029}c",
            "]]>",
            "\u{202E}abc", "\"\\", "", "\u{E2}\u{80}", "日本", "\u{2027}\u{202A}",
        ])
    func escaping(text: String) throws {
        let document = InspectorDocument(title: text)
        let page = try document.page()
        let data = try data(page)
        #expect(!data.contains("<") && !data.contains(">") && !data.contains("&"))
        #expect(!data.unicodeScalars.contains("\u{2028}") && !data.unicodeScalars.contains("\u{2029}"))
        let read = try InspectorDocument(json: Array(data.utf8))
        #expect(Array(read.title.utf8) == Array(text.utf8))
        // Outside of the data, pages of different documents are the same.
        let other = try InspectorDocument(title: "x").page()
        let otherData = try self.data(other)
        #expect(page.replacing(data, with: "") == other.replacing(otherData, with: ""))
    }

    @Test("Random texts survive the page, and never contain markup")
    func randomTexts() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededRandom(seed: seed)
        let parts = [
            "<", ">", "&", "/", "script", "\u{2028}", "\u{2029}", "\u{2027}", "é", "\u{E2}", "\"", "\\", "u003c", "\0",
            "😀",
        ]
        for _ in 0..<200 {
            let text = (0..<random.below(20)).map { _ in random.pick(parts) }.joined()
            let data = try data(try InspectorDocument(title: text).page())
            #expect(!data.contains("<"), "seed \(seed)")
            #expect(try InspectorDocument(json: Array(data.utf8)).title.utf8.elementsEqual(text.utf8), "seed \(seed)")
        }
    }

    @Test("The policy allows the page's own script and style, and nothing else")
    func policy() throws {
        let page = try InspectorDocument(title: "x").page()
        let script = try #require(page.range(of: "<script>"))
        let end = try #require(page.range(of: "</script>", in: script.upperBound))
        let style = try #require(page.range(of: "<style>"))
        let styleEnd = try #require(page.range(of: "</style>", in: style.upperBound))
        func hash(_ text: Substring) -> String { Base64.encode(SHA256.hash(Array(text.utf8))) }
        #expect(page.contains("script-src 'sha256-\(hash(page[script.upperBound..<end.lowerBound]))';"))
        #expect(page.contains("style-src 'sha256-\(hash(page[style.upperBound..<styleEnd.lowerBound]))';"))
        #expect(page.contains("default-src 'none';") && !page.contains("unsafe"))
    }

    @Test("The script inserts texts as text, and has no way to run or load one")
    func script() {
        let script = PageScript.text
        for word in [
            "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "fetch(",
            "XMLHttpRequest",
            "import(", "WebSocket", "</script",
        ] {
            #expect(!script.contains(word), "\(word)")
            // The page of a running app sends actions.
            #expect(!PageScript.liveText.contains(word) || word == "fetch(", "\(word)")
        }
    }

    @Test("The page of a running app may connect to the app, and to nothing else")
    func livePolicy() throws {
        var document = InspectorDocument(title: "x")
        document.live = InspectedState(
            cursor: "a-0-0-0-0", lineLimit: 1, requestLimit: 1, eventLimit: 1, hasRecorder: false)
        let page = try document.page()
        #expect(page.contains("default-src 'none';") && page.contains(" connect-src 'self';"))
        #expect(page.contains("EventSource") && !page.contains("unsafe"))
        #expect(try !InspectorDocument(title: "x").page().contains("EventSource"))
    }
}

extension String {
    fileprivate func range(of text: String, in start: Index? = nil) -> Range<Index>? {
        self[(start ?? startIndex)...].firstRange(of: text)
    }
}
