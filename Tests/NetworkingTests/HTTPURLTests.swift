import AshlarNetworking
import AshlarTestSupport
import Testing

@Suite struct HTTPURLTests {
    @Test(
        "A URL is split, its scheme and host are lower-cased, and its text is encoded where necessary",
        arguments: [
            ("http://a", "http://a/"), ("HTTP://A.Example/B", "http://a.example/B"),
            ("https://a:443/x?", "https://a/x?"), ("http://a:8080?q=1#f", "http://a:8080/?q=1#f"),
            ("http://[::1]:81/", "http://[::1]:81/"), ("http://[2001:DB8::1.2.3.4]/", "http://[2001:db8::1.2.3.4]/"),
            ("http://a/ü?ö=\"", "http://a/%C3%BC?%C3%B6=%22"), ("http://a/%41%2f", "http://a/%41%2f"),
            ("http://a/../b//c", "http://a/../b//c"), ("http://u:p@a/", "http://<redacted>@a/"),
            ("http://a/?q=a+b&c[]=1", "http://a/?q=a+b&c%5B%5D=1"),
            ("http://xn--bcher-kva.example", "http://xn--bcher-kva.example/"),
            ("http://a_b.example./", "http://a_b.example./"), ("http://a:80/", "http://a/"),
            ("http://a:/", "http://a/"), ("http://a%41/", "http://aa/"),
            ("http://[FE80::1%25Eth0]:81/", "http://[fe80::1%25Eth0]:81/"),
        ])
    func reads(text: String, expected: String) throws {
        #expect(try HTTPURL(text).description == expected)
    }

    @Test("A request has the verdict and the normal form of routes", arguments: URLTable.rows)
    func table(text: String, normalForm: String?) {
        let isWeb = normalForm?.hasPrefix("http") ?? false
        let url = try? HTTPURL(text)
        #expect((url != nil) == isWeb)
        if isWeb, url?.userInfo == nil { #expect(url?.description == normalForm) }
    }

    @Test(
        "An invalid URL is rejected before any I/O",
        arguments: [
            "", "a", "/path", "//host/", "http:", "http:/", "http://", "http:///x", "http://:80/", "http://?q",
            "ftp://a/", "file:///etc/passwd", "data:,x", "javascript:alert(1)", "http://a b/", "http://a/b c",
            "http://a/\r\nX: y", "http://a/\0", "http://a\u{7F}/", "http://a/\t", "http://a\\b/", "http://a:0/",
            "http://a:65536/", "http://a:8x/", "http://a:-1/", "http://a:123456/", "http://a/%", "http://a/%4",
            "http://a/%zz", "http://a/?%", "http://[::1/", "http://[]/", "http://[1]/",
            "http://[::1]x/", "http://[1:2:3:4:5:6:7:8:9]/", "http://[1::2::3]/", "http://[fe80::1%25]/",
            "http://[fe80::1%eth0]/", "http://[%25eth0]/",
            "http://[fe80::1%25e/0]/", "http://[fe80::1%25%65]/",
            "http://u@v@a/", "http://a%2f/", "http://.a/", "http://[::256.1.1.1]/", "http://a<b/", " http://a/",
        ])
    func refuses(text: String) {
        let error = #expect(throws: NetworkError.self) { try HTTPURL(text) }
        #expect(error?.code == .invalidURL)
    }

    @Test("Origins are equal when scheme, host and port are")
    func origins() throws {
        let base = try HTTPURL("http://a.example/x")
        #expect(base.hasSameOrigin(as: try HTTPURL("http://A.example:80/y?z")))
        #expect(!base.hasSameOrigin(as: try HTTPURL("https://a.example/x")))
        #expect(!base.hasSameOrigin(as: try HTTPURL("http://a.example:81/x")))
        #expect(!base.hasSameOrigin(as: try HTTPURL("http://b.example/x")))
        #expect(base.origin == "http://a.example:80")
        #expect(try HTTPURL("http://u:p@a:81/x?y#z").requestText == "http://a:81/x?y")
    }

    @Test("Secret query values and user information are hidden, and the rest is unchanged")
    func redaction() throws {
        let url = try HTTPURL("https://u:p@a/x?page=2&access_token=abc&API%4bey=d&flag&=e")
        #expect(
            NetworkRedaction.standard.redact(url)
                == "https://<redacted>@a/x?page=2&access_token=<redacted>&API%4bey=<redacted>&flag&=e")
    }
}
