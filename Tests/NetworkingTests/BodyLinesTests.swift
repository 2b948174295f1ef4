import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Testing

/// Lines and JSON lines of a streamed body.
@Suite(.timeLimit(.minutes(5))) struct BodyLinesTests {
    /// A body of pieces that counts how many are read.
    private final class Pieces: ResponseBodySource {
        private let rest: Mutex<ArraySlice<[UInt8]>>
        private let failure: NetworkError?
        let count = Mutex(0)
        let isCancelled = Mutex(false)

        init(_ pieces: [[UInt8]], failure: NetworkError? = nil) {
            (rest, self.failure) = (Mutex(pieces[...]), failure)
        }

        func next() async throws(NetworkError) -> [UInt8]? {
            count.withLock { $0 += 1 }
            if let piece = rest.withLock({ $0.popFirst() }) { return piece }
            if let failure { throw failure }
            return nil
        }

        func cancel() { isCancelled.withLock { $0 = true } }
    }

    private func lines(_ pieces: [[UInt8]], limit: Int = 1 << 20) async throws -> [String] {
        var lines: [String] = []
        for try await line in ResponseBody(Pieces(pieces)).lines(upTo: limit) { lines.append(line) }
        return lines
    }

    @Test(
        "Lines end with LF, CRLF, CR or the body, wherever the pieces end",
        arguments: [
            ("", []), ("a", ["a"]), ("a\n", ["a"]), ("\n", [""]), ("\n\n", ["", ""]), ("a\r\nb", ["a", "b"]),
            ("a\rb\r", ["a", "b"]), ("a\r\r\nb\n\r", ["a", "", "b", ""]), ("\u{FEFF}a\n\u{FEFF}b", ["a", "\u{FEFF}b"]),
            ("\u{FEFF}", [""]), ("zwölf\n😀\u{2028}x\n", ["zwölf", "😀\u{2028}x"]), ("a\n\r\n\rb", ["a", "", "", "b"]),
        ])
    func splitting(text: String, expected: [String]) async throws {
        let bytes = Array(text.utf8)
        for length in 1...max(1, bytes.count) {
            let pieces = stride(from: 0, to: bytes.count, by: length).map {
                Array(bytes[$0..<min($0 + length, bytes.count)])
            }
            #expect(try await lines(pieces) == expected, "pieces of \(length)")
        }
    }

    @Test("A line over the limit fails at the first byte over it, and the body is cancelled")
    func limit() async throws {
        #expect(try await lines([Array("12345\n1234567".utf8)], limit: 7) == ["12345", "1234567"])
        let source = Pieces([Array("1\n12345".utf8), Array("678".utf8), Array("9".utf8)])
        var iterator = ResponseBody(source).lines(upTo: 7).makeAsyncIterator()
        #expect(try await iterator.next() == "1")
        let error = await #expect(throws: NetworkError.self) { _ = try await iterator.next() }
        #expect(error?.code == .bodyTooLarge && error?.limit == 7)
        #expect(source.isCancelled.withLock { $0 } && source.count.withLock { $0 } == 2)
        #expect(try await iterator.next() == nil)
    }

    @Test("A line that isn't UTF-8 fails with its number")
    func invalidText() async throws {
        var iterator = ResponseBody(Pieces([Array("a\nb".utf8), [0xFF, 10, 99]])).lines().makeAsyncIterator()
        #expect(try await iterator.next() == "a")
        let error = await #expect(throws: NetworkError.self) { _ = try await iterator.next() }
        #expect(error?.code == .invalidText && error?.line == 2)
    }

    @Test("Nothing is read in advance, and the failure of the body follows the complete lines")
    func backPressure() async throws {
        let source = Pieces(
            [Array("1\n2\n".utf8), Array("3\n".utf8), Array("4".utf8)], failure: NetworkError(.truncated))
        var iterator = ResponseBody(source).lines().makeAsyncIterator()
        #expect(source.count.withLock { $0 } == 0)
        #expect(try await iterator.next() == "1")
        #expect(try await iterator.next() == "2")
        #expect(source.count.withLock { $0 } == 1)
        #expect(try await iterator.next() == "3")
        let error = await #expect(throws: NetworkError.self) { _ = try await iterator.next() }
        #expect(error?.code == .truncated)
    }

    private struct Change: Decodable, Sendable, Equatable {
        let id: Int
    }

    private func values<Value: Decodable & Sendable>(
        _ text: String, _ type: Value.Type
    ) async -> (values: [Value], error: NetworkError?) {
        var values: [Value] = []
        do throws(NetworkError) {
            for try await value in ResponseBody(Array(text.utf8)).values(of: type) { values.append(value) }
            return (values, nil)
        } catch {
            return (values, error)
        }
    }

    @Test("Each line is a value; empty lines are skipped, and a malformed line fails with its number")
    func jsonLines() async throws {
        let good = await values("{\"id\": 1}\r\n\n \t\n{\"id\": 2}", Change.self)
        #expect(good.values == [Change(id: 1), Change(id: 2)] && good.error == nil)
        let malformed = await values("{\"id\": 1}\n\n{\"id\": \n{\"id\": 3}", Change.self)
        #expect(malformed.values.count == 1 && malformed.error?.code == .invalidJSON && malformed.error?.line == 3)
        let mismatched = await values("{\"id\": \"x\"}", Change.self)
        #expect(mismatched.error?.code == .decodingFailed && mismatched.error?.line == 1)
        let entities = await values("[1, 12345678901234567890123]\n\"a\"", JSONEntity.self)
        #expect(entities.values.map { "\($0)" } == ["[1,12345678901234567890123]", "\"a\""] && entities.error == nil)
    }

    @Test("A client's stream provides lines")
    func client() async throws {
        let client = NetworkClient(transport: StubTransport(["GET /": .text("one\ntwo")]))
        var found: [String] = []
        for try await line in try await client.stream(NetworkRequest(.get, "http://h/")).body.lines() {
            found.append(line)
        }
        #expect(found == ["one", "two"])
    }
}
