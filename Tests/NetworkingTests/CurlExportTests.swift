import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
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
        request.headers["X"] = "\u{E9}"
        #expect(request.curl().contains("-H 'X: <1 bytes of binary data>'"))
        #expect(request.curl().hasSuffix("--data-binary '<2 bytes of binary data>'"))
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
        @Test("Generated requests arrive identical if the real curl executes their commands")
        func generated() async throws {
            let seed = UInt64.random(in: 0..<1_000_000)
            var generator = SeededRandom(seed: seed)
            let seen = Mutex<[String: [String]]>([:])
            let server = try FaultServer { connection in
                while let request = connection.request() {
                    // curl adds these itself, with values of its own.
                    let own = ["user-agent", "accept", "accept-encoding", "content-length", "host"]
                    let fields = request.fields.filter { !own.contains($0.name.lowercased()) }
                        .map { "\($0.name.lowercased()): \($0.value)" }.sorted()
                    let text = "\(request.method) \(request.target) \(fields) \(request.body)"
                    seen.withLock { $0[request["X-Number"] ?? "", default: []].append(text) }
                    connection.write(answer(body: request.method == "HEAD" ? "" : "ok"))
                }
            }
            let client = try TransportKind.curl.client()
            var script = "curl() { command curl -s -o /dev/null --max-time 20 --noproxy '*' \"$@\"; }\n"
            var count = 0
            while count < 300 {
                guard var request = try? Self.request(server.url, &generator) else { continue }
                request.headers["X-Number"] = "\(count)"
                count += 1
                _ = try await client.send(request)
                script += request.curl(redacting: .none) + "\n"
            }
            let (status, output) = try await offPool { [script] in try Self.run(script) }
            #expect(status == 0, "\(output)")
            let differing = seen.withLock { $0 }.filter { $0.value.count != 2 || $0.value[0] != $0.value[1] }
            #expect(differing.isEmpty, "seed \(seed): \(differing.count), \(differing.prefix(5))")
            #expect(seen.withLock { $0.count } == 300)
        }

        private static func run(_ script: String) throws -> (status: Int32, output: String) {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            let (input, output) = (Pipe(), Pipe())
            (process.standardInput, process.standardError) = (input, output)
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            try input.fileHandleForWriting.write(contentsOf: Data(script.utf8))
            try input.fileHandleForWriting.close()
            let data = output.readToEnd()
            process.waitUntilExit()
            return (process.terminationStatus, String(decoding: data, as: UTF8.self))
        }

        /// Returns a random request whose parts are special for shells, curl or URLs.
        private static func request(_ url: String, _ generator: inout SeededRandom) throws -> NetworkRequest {
            let pieces = [
                "a", ".", "..", "%2e", "%2E%2e", "...", "b c", "é", "[x]", "[1-3]", "{a,b}", "~", "'", "\"", "$(id)",
                "`id`",
                "!", "*", "@x", "&", ";", "|", "%27", "日本", "\\", "#", "%", "=", "+", "-", "--", "<redacted>",
            ]
            func some(_ most: Int, _ separator: String) -> String {
                (0..<Int.random(in: 0...most, using: &generator))
                    .map { _ in pieces.randomElement(using: &generator)! }.joined(separator: separator)
            }
            let query = Bool.random(using: &generator) ? "?" + some(4, "&").filter { $0 != "#" } : ""
            let path = some(4, "/").filter { $0 != "#" && $0 != "?" }
            let methods = [HTTPMethod.get, .get, .post, .put, .patch, .delete, .options, "PURGE", .head]
            var request = try NetworkRequest(
                methods.randomElement(using: &generator)!, url + "/" + path + query)
            for number in 0..<Int.random(in: 0...3, using: &generator) {
                let bytes = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                    UInt8.random(in: 0x21...0x7E, using: &generator)
                }
                request.headers["X-\(number)"] = String(decoding: bytes, as: UTF8.self)
            }
            guard request.method != .get, request.method != .head else { return request }
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: request.body = .text(some(9, " "))
            case 1: request.body = .form(["a": some(3, " "), "b": "@" + some(3, "&")])
            case 2:
                request.body = .bytes(
                    JSONEntity(object: [("k", JSONEntity(some(5, "\n")))]).bytes(), contentType: "application/json")
            case 3: request.body = .bytes(Array(("@" + some(4, "'")).utf8), contentType: "application/x-own")
            default: break
            }
            return request
        }

        @Test("JSON is redacted if a space follows its type")
        func spacedType() throws {
            var request = NetworkRequest(.post, try HTTPURL("http://a/"))
            request.headers["Content-Type"] = "application/json ; charset=utf-8"
            request.body = .bytes(Array(#"{"password":"p-1"}"#.utf8))
            #expect(!request.curl().contains("p-1"))
        }

        @Test("A form's secret that starts with a combining character is hidden")
        func combiningSecret() throws {
            var request = NetworkRequest(.post, try HTTPURL("http://a/"))
            request.body = .bytes(
                Array("password=\u{301}hunter2".utf8), contentType: "application/x-www-form-urlencoded")
            #expect(!request.curl().contains("hunter2"))
        }

        @Test(
            "A shell splits the command into exactly the intended words",
            arguments: [
                "it's", "it'\u{301}s", "$(touch x)", "`id`", "a\nb", "\\", "\"; rm -rf /", "é 日本", "!x", "~", "--",
            ])
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
            let data = output.readToEnd()
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
