import Testing

@testable import AshlarNetworking

/// Changing and resolving URLs.
@Suite struct URLEditingTests {
    @Test("A changed scheme keeps all other parts")
    func scheme() throws {
        var url = try HTTPURL("http://u:p@B.Example:8080/ü/a%2Fb?q=1#top/ü")
        url.scheme = .https
        #expect(url.requestText == "https://b.example:8080/%C3%BC/a%2Fb?q=1")
        #expect(url.fragment == "top/%C3%BC" && url.userInfo == "u:p")
    }

    struct Edit: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let run: @Sendable (inout HTTPURL) throws -> Void
        init(_ name: String, _ run: @escaping @Sendable (inout HTTPURL) throws -> Void) {
            (testDescription, self.run) = (name, run)
        }
    }

    @Test(
        "An invalid addition is rejected and leaves the URL unchanged",
        arguments: [
            Edit("dots as a value") { try $0.append("a/\("..")/b") }, Edit("empty value") { try $0.append("a/\("")") },
            Edit("another scheme") { $0 = try $0.resolve(location: Array("mailto:a@b".utf8)) },
            Edit("user in a reference") { $0 = try $0.resolve(location: Array("http://b@c@d/".utf8)) },
        ])
    func refused(edit: Edit) throws {
        var url = try HTTPURL("http://a:80/x?y#z")
        let old = url
        #expect(throws: NetworkError.self) { try edit.run(&url) }
        #expect(url == old)
    }

    @Test("Segments and query items are appended")
    func appending() throws {
        var url = try HTTPURL("http://a")
        try url.append("users/\("a/b")")
        try url.append("/notes/")
        try url.append("\(7)")
        url.append(["q": "x y"])
        url.append(["r": 1])
        url.append([:])
        #expect(url.target == "/users/a%2Fb/notes/7?q=x%20y&r=1")
        try url.append("")
        #expect(url.path == "/users/a%2Fb/notes/7")
    }

    @Test(
        "References resolve as in RFC 3986, section 5.4",
        arguments: [
            ("g", "/b/c/g"), ("./g", "/b/c/g"), ("g/", "/b/c/g/"), ("/g", "/g"), ("?y", "/b/c/d;p?y"),
            ("g?y", "/b/c/g?y"), ("#s", "/b/c/d;p?q"), ("g#s", "/b/c/g"), (";x", "/b/c/;x"),
            (".", "/b/c/"), ("./", "/b/c/"), ("..", "/b/"), ("../", "/b/"), ("../g", "/b/g"), ("../..", "/"),
            ("../../g", "/g"), ("../../../g", "/g"), ("/./g", "/g"), ("/../g", "/g"), ("g.", "/b/c/g."),
            ("..g", "/b/c/..g"), ("./../g", "/b/g"), ("g;x=1/../y", "/b/c/y"), ("g?y/../x", "/b/c/g?y/../x"),
            ("http://a/x", "/x"), ("//a/y", "/y"),
        ])
    func resolving(reference: String, target: String) throws {
        let base = try HTTPURL("http://a/b/c/d;p?q")
        let url = try base.resolve(location: Array(reference.utf8))
        #expect(url.target == target && url.host == "a")
    }
}
