#if os(Linux)
    import Testing

    @testable import AshlarNetworking

    /// The head of the response to an upgrade, without a server.
    @Suite(.timeLimit(.minutes(5))) struct CurlUpgradeTests {
        private static func reader() -> CurlHeadReader {
            var reader = CurlHeadReader()
            reader.reset(CurlHeadReader.Expectation(allowsHTTP2: false, allowsUpgrade: true))
            return reader
        }

        @Test("The head is read in pieces of any size, and the bytes behind it are passed on", arguments: [1, 7, 1000])
        func open(size: Int) async throws {
            var upgrade = CurlUpgrade()
            var reader = Self.reader()
            let pipe = ResponsePipe()
            let bytes = Array("HTTP/1.1 101 Go on\r\nUpgrade: other\r\nX-More: 1\r\n\r\nfirst".utf8)
            for start in stride(from: 0, to: bytes.count, by: size) {
                let piece = Array(bytes[start..<min(start + size, bytes.count)])
                let isRefused = try upgrade.receive(piece, &reader, pipe)
                #expect(!isRefused && !upgrade.isPaused)
            }
            pipe.finish(upgrade.atEnd())
            #expect(upgrade.isOpen && upgrade.isAnswered)
            let head = try await pipe.head()
            #expect(head.status == 101 && head.headers["Upgrade"] == "other" && head.headers["X-More"] == "1")
            var body: [UInt8] = []
            while let chunk = try await pipe.next() { body += chunk }
            #expect(body == Array("first".utf8))
        }

        @Test("A server that refuses has answered; one that ends the connection may have begun to")
        func refused() async throws {
            var upgrade = CurlUpgrade()
            let pipe = ResponsePipe()
            var reader = Self.reader()
            #expect(upgrade.atEnd()?.requestState == .sent)
            let begun = try upgrade.receive(Array("HTTP/1.1 403 No\r\n".utf8), &reader, pipe)
            #expect(!begun && !upgrade.isAnswered)
            upgrade = CurlUpgrade()
            reader = Self.reader()
            let partial = try upgrade.receive(Array("HTTP".utf8), &reader, pipe)
            #expect(!partial && upgrade.atEnd()?.requestState == .answered)
            upgrade = CurlUpgrade()
            reader = Self.reader()
            let isRefused = try upgrade.receive(Array("HTTP/1.1 403 No\r\n\r\nbody".utf8), &reader, pipe)
            #expect(isRefused && upgrade.isAnswered && !upgrade.isOpen && upgrade.atEnd() == nil)
            #expect(try await pipe.head().status == 403)
        }
    }
#endif
