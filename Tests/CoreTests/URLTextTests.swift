import AshlarCore
import AshlarTestSupport
import Testing

@Suite struct URLTextTests {
    @Test("Each URL of the table has its verdict and normal form", arguments: URLTable.rows)
    func table(text: String, normalForm: String?) throws {
        #expect((try? URLText(text))?.text == normalForm)
        guard let normalForm else { return }
        #expect(try URLText(normalForm).text == normalForm, "a normal form is its own")
    }

    @Test("The table is large enough to compare parsers")
    func size() {
        #expect(URLTable.rows.count >= 60)
        #expect(Set(URLTable.rows.map { Array($0.text.utf8) }).count == URLTable.rows.count)
    }

    @Test("A URL is split into its parts")
    func parts() throws {
        let url = try URLText("MyApp://u:p@[::1]:8080/a/b?c=d#e")
        #expect(url.scheme == "myapp" && url.userInfo == "u:p" && url.host == "[::1]" && url.port == 8080)
        #expect(url.path == "/a/b" && url.query == "c=d" && url.fragment == "e")
        let path = try URLText.tail(Array("/a?b#c".utf8)[...])
        #expect(path.path == "/a" && path.query == "b" && path.fragment == "c")
    }

    @Test(
        "A fault has the offset of the first wrong byte",
        arguments: [
            ("https://a b/", .character, 9), ("https://a\\@b/", .character, 9), ("/a", .scheme, 0),
            ("https:/a", .scheme, 6),
            ("https://a@b@c/", .authority, 9), ("https://a%2fb/", .authority, 9), ("https://a:44x/", .authority, 12),
            ("https://a:65536/", .authority, 10), ("https://[::1/", .authority, 8), ("https://[::1]x/", .authority, 13),
            ("https://u@/", .authority, 10), ("https://a%4/", .escape, 9), ("https://a%zz@b/", .escape, 9),
            ("https://a%FF/", .utf8, 9), ("https://a/b%", .escape, 11),
            ("https://aü.b/", .authority, 9), ("https://a%C3%BC/", .authority, 9), ("myapp://a%FF/", .utf8, 9),
        ] as [(String, URLFault.Kind, Int)])
    func faults(text: String, kind: URLFault.Kind, offset: Int) {
        let fault = #expect(throws: URLFault.self) { try URLText(text) }
        #expect(fault?.kind == kind && fault?.offset == offset)
    }

    @Test("A received URL is read as browsers do")
    func received() throws {
        func text(_ text: String) -> String? { (try? URLText(Array(text.utf8), isReceived: true))?.text }
        #expect(text("https://a/b c?d e") == "https://a/b%20c?d%20e")
        #expect(text("https://a/100%/%zz") == "https://a/100%25/%25zz")
        #expect(text("https://[fe80::1%25eth0]/") == nil)
        #expect(text("https://a b/") == nil && text("https://a/\n") == nil && text("https://a/\\") == nil)
    }
}
