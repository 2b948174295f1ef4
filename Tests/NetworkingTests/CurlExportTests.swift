import AshlarNetworking
import Foundation
import Testing

@Suite struct CurlExportTests {
    @Test("Secrets are hidden in URL, fields and form; files are named, and streams get a comment")
    func redacted() throws {
        var request = NetworkRequest(.post, try HTTPURL("https://u:p@a.example/x?token=1&page=2"))
        request.headers = ["Authorization": "Bearer t", "Cookie": "s=1", "X-Empty": "", "Accept": "*/*"]
        request.headers.append("X-Mine", "secret", isSensitive: true)
        request.body = .form(["password": "hunter2", "name": "it's"])
        #expect(
            request.curl() == """
                curl -X POST 'https://<redacted>@a.example/x?token=<redacted>&page=2' \\
                  -H 'Authorization: <redacted>' \\
                  -H 'Cookie: <redacted>' \\
                  -H 'X-Empty;' \\
                  -H 'Accept: */*' \\
                  -H 'X-Mine: <redacted>' \\
                  -H 'Content-Type: application/x-www-form-urlencoded' \\
                  --data-raw 'password=<redacted>&name=it%27s'
                """)
        request = NetworkRequest(.put, try HTTPURL("http://a/"), body: .file("/tmp/it's"))
        #expect(request.curl().hasSuffix("--data-binary '@/tmp/it'\\''s'"))
        #expect(NetworkRequest(.get, try HTTPURL("http://a/")).curl() == "curl http://a/")
        #expect(NetworkRequest(.head, try HTTPURL("http://a/")).curl() == "curl -I http://a/")
        request.body = .bytes([0, 255])
        #expect(request.curl().contains("<2 bytes of binary data>"))
        #expect(request.curl(redacting: .none).contains("http://a/"))
    }

    @Test("A form is printed part by part, JSON without its secrets, and curl adds no content type")
    func bodies() throws {
        var form = MultipartForm()
        form.append("title", "it's @home")
        form.append("api_token", "t-1")
        form.append("raw", [0, 1], filename: "raw.bin")
        form.append("photo", file: "/tmp/a \"b\".jpg", contentType: "image/jpeg")
        var request = NetworkRequest(.post, try HTTPURL("http://a/"), body: .multipart(form))
        #expect(
            request.curl() == #"""
                curl -X POST http://a/ \
                  --form-string 'title=it'\''s @home' \
                  --form-string 'api_token=<redacted>' \
                  --form-string 'raw=<2 bytes>' \
                  -F 'photo=@"/tmp/a \"b\".jpg";filename="a \"b\".jpg";type=image/jpeg'
                """#)
        request.body = .bytes(
            Array(#"{"user":"u","login":{"password":"p-1"},"n":1.50}"#.utf8), contentType: "application/json")
        #expect(
            request.curl().hasSuffix(#"--data-raw '{"user":"u","login":{"password":"<redacted>"},"n":1.50}'"#),
            "\(request.curl())")
        request.body = .bytes(Array("x".utf8), contentType: nil)
        #expect(request.curl() == "curl -X POST http://a/ \\\n  -H Content-Type: \\\n  --data-raw x")
        request.method = .head
        #expect(request.curl().hasPrefix("curl -X HEAD http://a/"))
        let redirected = NetworkRequest(.get, try HTTPURL("http://a/#access_token=f-1"))
        #expect(redirected.curl() == "curl 'http://a/#access_token=<redacted>'")
    }

    @Test("Dots in a path aren't removed by curl")
    func pathAsIs() throws {
        func command(_ url: String) throws -> String { NetworkRequest(.get, try HTTPURL(url)).curl() }
        #expect(try command("http://a/b.c/..d") == "curl http://a/b.c/..d")
        #expect(try command("http://a/b/../c").hasPrefix("curl --path-as-is "))
        #expect(try command("http://a/.").hasPrefix("curl --path-as-is "))
    }

    #if os(Linux) || os(macOS)
        @Test(
            "The bytes of fields arrive as sent, whatever their encoding",
            arguments: [[0xE9], [0xC3, 0xA9], [0x27, 0xE9, 0x25, 0x5C, 0x22, 0x24, 0x60, 0xFF]] as [[UInt8]])
        func fieldBytes(bytes: [UInt8]) throws {
            var request = NetworkRequest(.get, try HTTPURL("http://a/"))
            request.headers["X"] = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-c", "curl() { printf '%s' \"$3\"; }; " + request.curl()]
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            let data = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            #expect(Array(data) == Array("X: ".utf8) + bytes)
        }

        @Test(
            "A shell splits the command into exactly the intended words",
            arguments: ["it's", "$(touch x)", "`id`", "a\nb", "\\", "\"; rm -rf /", "é 日本", "!x", "~", "--"])
        func shell(text: String) throws {
            var request = NetworkRequest(.post, try HTTPURL("http://a/"))
            request.body = .text(text)
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = [
                "-c", "curl() { for a in \"$@\"; do printf '%s\\0' \"$a\"; done; }; " + request.curl(),
            ]
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            let data = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            let words = data.split(separator: 0, omittingEmptySubsequences: false).map {
                String(decoding: $0, as: UTF8.self)
            }
            #expect(
                words == [
                    "-X", "POST", "http://a/", "-H", "Content-Type: text/plain; charset=utf-8", "--data-raw", text, "",
                ])
        }
    #endif
}
