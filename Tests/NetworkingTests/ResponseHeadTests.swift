import AshlarTestSupport
import Testing

@testable import AshlarNetworking

/// The fields of a received head equal those of a list.
@Suite struct ResponseHeadTests {
    private static let names = ["A", "a", "Set-Cookie", "set-cookie", "X-Some", "X-Some-More", "Date", "ETag"]

    private static func head(_ fields: [HTTPField]) throws -> ResponseHead {
        var bytes = Array("HTTP/1.1 200 OK\r\n".utf8)
        for field in fields { bytes += Array("\(field.name):".utf8) + [0x20] + field.valueBytes + [0x0D, 0x0A] }
        return try read(bytes + [0x0D, 0x0A])
    }

    /// Reads a head line by line, as libcurl delivers it.
    private static func read(_ bytes: [UInt8]) throws(NetworkError) -> ResponseHead {
        var reader = CurlHeadReader()
        for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast() {
            let head = (Array(line) + [0x0A]).withUnsafeBytes { line in
                Result { () throws(NetworkError) in try reader.read(line) }
            }
            if let head = try head.get() { return head }
        }
        throw NetworkError(.truncated, "unterminated head")
    }

    private static func random(_ generator: inout SeededRandom) -> [HTTPField] {
        (0..<Int.random(in: 0...12, using: &generator)).map { _ in
            let length = Int.random(in: 0...40, using: &generator)
            let scalars = (0..<length).map { _ in Unicode.Scalar(UInt8.random(in: 0x21...0xFF, using: &generator)) }
            let text = String(String.UnicodeScalarView(scalars.filter { $0.value != 0x7F }))
            return HTTPField(names.randomElement(using: &generator) ?? "A", text)
        }
    }

    @Test("Every way of reading gives the same result as a list", arguments: UInt64(0)..<200)
    func reading(_ seed: UInt64) throws {
        var generator = SeededRandom(seed: seed)
        let fields = Self.random(&generator)
        let list = HTTPHeaders(fields)
        for name in Self.names + ["absent", ""] {
            #expect(try Self.head(fields).headers[name] == list[name])
            #expect(try Self.head(fields).headers.contains(name) == list.contains(name))
            #expect(try Self.head(fields).headers.values(for: name) == list.values(for: name))
            #expect(try Self.head(fields).headers.list(for: name) == list.list(for: name))
        }
        let received = try Self.head(fields).headers
        #expect(received == list && list == received && received.hashValue == list.hashValue)
        #expect(received.map(\.name) == fields.map(\.name))
        #expect(received.map(\.value) == fields.map(\.value))
        #expect(received.count == fields.count && received.isEmpty == fields.isEmpty)
    }

    @Test("A change affects only the changed copy", arguments: UInt64(0)..<100)
    func changing(_ seed: UInt64) throws {
        var generator = SeededRandom(seed: seed)
        let fields = Self.random(&generator)
        let original = try Self.head(fields).headers
        for name in Self.names + ["absent"] {
            var (received, list) = (original, HTTPHeaders(fields))
            #expect(received[name] == list[name])
            received.append("Last", "1")
            list.append("Last", "1")
            received[name] = "new"
            list[name] = "new"
            #expect(received == list && received[name] == "new" && received["last"] == "1")
            received.remove(name)
            list.remove(name)
            #expect(received == list && !received.contains(name))
        }
        #expect(original == HTTPHeaders(fields))
    }

    @Test(
        "A continued line belongs to the value before it",
        arguments: [
            ("A: b\r\n c", "b c"), ("A: b\r\n\tc\r\n  d", "b c d"), ("A:\r\n c", "c"), ("A: b\r\n ", "b"),
            ("A: \r\n \r\n c", "c"), ("A: \u{E9}\r\n \u{FF}", "\u{E9} \u{FF}"),
        ])
    func continued(_ text: String, _ value: String) throws {
        let lines = text.unicodeScalars.map { UInt8($0.value) }
        let bytes = Array("HTTP/1.1 200 OK\r\nFirst: 1\r\n".utf8) + lines + Array("\r\nLast: 2\r\n\r\n".utf8)
        let headers = try Self.read(bytes).headers
        #expect(headers["a"] == value && headers["FIRST"] == "1" && headers["last"] == "2" && headers.count == 3)
    }

    @Test(
        "The announced length is a number or none",
        arguments: [
            ("Content-Length: 12", 12), ("content-LENGTH:0", 0), ("Content-Length: 007", 7),
            ("Content-Length: 5\r\nContent-Length: 5", 5), ("Content-Length: 5, 5", nil), ("Content-Length:", nil),
            ("Content-Lengths: 5", nil), ("Content-Length: 5\r\nContent-Encoding: gzip", nil), ("A: 5", nil),
            ("Content-Length: 9223372036854775807", Int.max),
        ] as [(String, Int?)])
    func length(_ lines: String, _ length: Int?) throws {
        let head = try Self.read(Array("HTTP/1.1 200 OK\r\n\(lines)\r\n\r\n".utf8))
        #expect(head.contentLength == length)
    }

    @Test(
        "Contradictory lengths are rejected",
        arguments: [
            "Content-Length: 5\r\nContent-Length: 6", "Content-Length: 5, 6", "Content-Length: 5\r\n 6",
            "Content-Length: +5", "Content-Length: 5x", "Content-Length: 9223372036854775808",
            "Content-Length: 5\r\nA: b\r\ncontent-length: 5, 7",
            "Content-Length: 5\r\nContent-Length: 5\r\nContent-Length: 4",
        ])
    func refused(_ lines: String) {
        let error = #expect(throws: NetworkError.self) {
            try Self.read(Array("HTTP/1.1 200 OK\r\n\(lines)\r\n\r\n".utf8))
        }
        #expect(error?.code == .badResponse)
    }

    @Test("A head with many long fields preserves all of them")
    func long() throws {
        let fields = (0..<200).map { HTTPField("X-\($0)", String(repeating: "\($0 % 10)", count: 7 * ($0 % 40))) }
        let headers = try Self.head(fields).headers
        for field in fields { #expect(headers[field.name.uppercased()] == field.value) }
        #expect(headers == HTTPHeaders(fields))
    }
}
