/// URLs with one verdict and one normal form, for requests and for routes.
public enum URLTable {
    /// A URL, and its normal form; nil if it is invalid.
    public static let rows: [(text: String, normalForm: String?)] = [
        // Schemes
        ("http://a", "http://a/"), ("HTTPS://A.Example/B", "https://a.example/B"),
        ("myapp://notes/5", "myapp://notes/5"),
        ("git+ssh://h/x", "git+ssh://h/x"), ("file:///etc/a", "file:///etc/a"), ("a.b-c+1://h/", "a.b-c+1://h/"),
        ("", nil), ("a", nil), ("/path", nil), ("//host/", nil), ("http:", nil), ("http:/", nil), ("http:/a", nil),
        ("http:a", nil), ("1app://h/", nil), ("://h/", nil), ("my_app://h/", nil), ("mailto:a@b", nil),
        (" http://a/", nil),
        // Names of the web
        ("https://a..b/", nil), ("https://.a/", nil), ("https://a./", "https://a./"),
        ("https://a_b-c~d.example/", "https://a_b-c~d.example/"), ("https://a!b/", nil), ("https://a<b/", nil),
        ("https://%61.example/", "https://a.example/"),
        ("https://a%2Eb/", "https://a.b/"), ("https://a%2Fb/", nil), ("https://a%00/", nil), ("https://a%/", nil),
        ("https://%FF/", nil), ("https:///x", nil), ("https://?q", nil), ("https://:80/", nil), ("https://u@/", nil),
        ("https://\(String(repeating: "a", count: 254))/", nil),
        // International names
        ("https://xn--bcher-kva.example/", "https://xn--bcher-kva.example/"),
        ("https://XN--bcher-kva.Example/", "https://xn--bcher-kva.example/"),
        ("https://bücher.example/", nil), ("https://b%C3%BCcher.example/", nil), ("https://a.ü./", nil),
        ("https://ex／a.com/", nil), ("https://a。example/", nil), ("https://\u{202E}a.de/", nil),
        ("https://ａ.com/", nil), ("https://\u{212A}.com/", nil), ("https://\u{AD}/", nil),
        // Names of other schemes
        ("myapp://a..b/", "myapp://a..b/"), ("myapp://a!b/", "myapp://a!b/"), ("myapp://A%62/", "myapp://ab/"),
        ("myapp://ü/", "myapp://ü/"), ("myapp://%C3%BC/", "myapp://ü/"), ("myapp://a%20b/", nil),
        ("myapp:///a", "myapp:///a"), ("myapp://:80/", nil), ("myapp://u@/", nil),
        // Addresses
        ("https://[::1]:81/", "https://[::1]:81/"), ("https://[2001:DB8::1.2.3.4]/", "https://[2001:db8::1.2.3.4]/"),
        ("https://[1:2]/", nil), ("https://[]/", nil), ("https://[::1/", nil), ("https://[::1]x/", nil),
        ("https://[1::2::3]/", nil), ("https://[::256.1.1.1]/", nil), ("https://[v1.a:b]/", nil),
        ("https://[fe80::1%25eth0]/", "https://[fe80::1%25eth0]/"),
        ("https://[FE80::1%25Eth0]/", "https://[fe80::1%25Eth0]/"),
        ("https://[fe80::1%eth0]/", nil), ("https://[fe80::1%25]/", nil), ("https://127.0.0.1/", "https://127.0.0.1/"),
        ("myapp://[1:2]/", nil),
        ("https://[::]/", "https://[::]/"), ("https://[1::]/", "https://[1::]/"), ("https://[12345::]/", nil),
        ("https://[1:2:3:4:5:6:7:8]/", "https://[1:2:3:4:5:6:7:8]/"), ("https://[1:2:3:4:5:6:7]/", nil),
        ("https://[1:2:3:4:5:6:7:8:9]/", nil), ("https://[1:2:3:4:5:6:7::]/", "https://[1:2:3:4:5:6:7::]/"),
        ("https://[1:2:3:4:5:6:7:8::]/", nil), ("https://[1:2:3::5:6:7:8]/", "https://[1:2:3::5:6:7:8]/"),
        ("https://[1:2:3:4::5:6:7:8]/", nil), ("https://[1:2:3:4:5:6:7.8.9.0]/", "https://[1:2:3:4:5:6:7.8.9.0]/"),
        ("https://[1:2:3:4:5:6:7:7.8.9.0]/", nil), ("https://[::1.2.3.255]/", "https://[::1.2.3.255]/"),
        ("https://[::1.2.3]/", nil), ("https://[::1.2.3.4.5]/", nil), ("https://[::1.2.3.0004]/", nil),
        ("https://[::1.2.3.x]/", nil), ("https://[::1.2..4]/", nil), ("https://[::1.2.3.4:5]/", nil),
        // User information and ports
        ("https://u:p@a/", "https://u:p@a/"), ("https://ü@a/", "https://%C3%BC@a/"), ("https://u@v@a/", nil),
        ("https://a%zz@b/", nil), ("https://a:443/", "https://a/"), ("http://a:443/", "http://a:443/"),
        ("https://a:/", "https://a/"), ("https://a:000081/", "https://a:81/"), ("https://a:0/", nil),
        ("https://a:65536/", nil), ("https://a:99999999999999999999/", nil), ("https://a:8x/", nil),
        ("https://a:-1/", nil), ("myapp://h:0/", "myapp://h:0/"),
        // Paths, queries and fragments
        ("https://a?q=1#f", "https://a/?q=1#f"), ("https://a/x?", "https://a/x?"),
        ("https://a/../b//c", "https://a/../b//c"),
        ("https://a/%41%2f", "https://a/%41%2f"), ("https://a/ü?ö=\"", "https://a/%C3%BC?%C3%B6=%22"),
        ("https://a/?q=a+b&c[]=1", "https://a/?q=a+b&c%5B%5D=1"), ("https://a/?/?", "https://a/?/?"),
        ("https://a/{x}|^", "https://a/%7Bx%7D%7C%5E"), ("https://a/%FF", "https://a/%FF"),
        ("https://a/?%FF", "https://a/?%FF"), ("https://a/b c", nil),
        ("https://a/?b c", nil), ("https://a/b\\c", nil), ("https://a/\t", nil), ("https://a/\u{7F}", nil),
        ("https://a/\r\nX: y", nil), ("https://a/%", nil), ("https://a/%4", nil), ("https://a/?%zz", nil),
        ("https://a/#100%", "https://a/#100%25"), ("https://a/#b#c", "https://a/#b%23c"),
        ("https://a/#b?c", "https://a/#b?c"),
    ]
}
