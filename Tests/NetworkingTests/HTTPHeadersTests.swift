import AshlarNetworking
import Testing

@Suite struct HTTPHeadersTests {
    @Test("Names are found regardless of case; order and repeats are preserved")
    func lookup() {
        var headers: HTTPHeaders = ["Accept": "a", "Set-Cookie": "x=1", "set-cookie": "y=2"]
        #expect(headers["ACCEPT"] == "a")
        #expect(headers.values(for: "SET-COOKIE") == ["x=1", "y=2"])
        headers.set("Set-Cookie", "z=3")
        #expect(headers.map(\.name) == ["Accept", "Set-Cookie"])
        headers["accept"] = nil
        #expect(headers == ["SET-COOKIE": "z=3"])
        headers.append("Vary", "a")
        headers.append("vary", "b, c ,")
        #expect(headers.list(for: "vary") == ["a", "b", "c"])
    }

    @Test(
        "An invalid field is rejected; the error contains its name but not its value",
        arguments: [
            ("Bad Name", "v"), ("", "v"), ("Näme", "v"), ("a:b", "v"), ("X\r\nInjected", "v"), ("X", "a\r\nB: c"),
            ("X", "a\nb"), ("X", "a\0b"), ("X", "a\u{7F}"), ("X", "\u{1B}[0m"), ("X", " lead"), ("X", "trail\t"),
            ("X", "日本"), ("X", "€"), ("Content-Length", "1"), ("transfer-encoding", "chunked"), ("HOST", "h"),
            ("expect", "100-continue"),
        ])
    func refused(name: String, value: String) {
        let headers = HTTPHeaders([HTTPField("Fine", "yes"), HTTPField(name, value)])
        let error = #expect(throws: NetworkError.self) { try headers.validate() }
        #expect(error?.code == .invalidHeader)
        #expect(error?.key?.contains("\r") == false)
        #expect(error?.description.contains("Injected: ") == false)
        if value.count > 3 { #expect(error?.description.contains(value) == false) }
    }

    @Test(
        "Tabs inside values, empty values and Latin-1 characters can be sent",
        arguments: ["a\tb", "", "é", "\u{FF}x", "\u{80}"])
    func accepted(value: String) throws {
        try HTTPHeaders([HTTPField("X-a!#$%&'*+-.^_`|~9", value)]).validate()
    }

    @Test("Secrets are not printed, by name, by fragment or by mark")
    func printing() {
        var headers: HTTPHeaders = ["Authorization": "Bearer abc", "X-Api-Key": "k123", "Accept": "*/*"]
        headers.append("X-Plain", "s3cret", isSensitive: true)
        #expect(
            headers.description
                == "Authorization: <redacted>\nX-Api-Key: <redacted>\nAccept: */*\nX-Plain: <redacted>")
        #expect(HTTPField("X", "s", isSensitive: true).description == "X: <redacted>")
        #expect(headers[3].valueBytes == Array("s3cret".utf8))
    }
}
