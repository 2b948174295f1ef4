import AshlarNetworkingTestSupport
import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarNetworking

/// Bodies of files and sequences, which a session reads while it sends them.
@Suite(.timeLimit(.minutes(2))) struct UploadTests {
    @Test(
        "The content of a file, also of a link to it, arrives with its length",
        arguments: TransportKind.allCases, [0, 1, 300_000, 9 << 20])
    func file(kind: TransportKind, count: Int) async throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        let folder = try TemporaryFolder([:])
        let path = try folder.write(Data(bytes), to: "upload")
        let server = try FaultServer(answering: { request in
            let lengths = request.fields.filter { $0.name.lowercased() == "content-length" }.map(\.value)
            return answer(body: "\(request.body == bytes) \(lengths)")
        })
        let client = try kind.client()
        let request = try client.request(.post, server.url, body: .file(path))
        let link = folder.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        for request in [request, try client.request(.post, server.url, body: .file(link))] {
            let text = try await client.send(request).text()
            #expect(text == "true [\"\(count)\"]" || count == 0 && text == "true []")
        }
        try folder.remove("upload")
        let error = await outcome { () async throws(NetworkError) in try await client.send(request) }.failure
        #expect(error?.code == .fileFailed && error?.file == path)
    }

    #if os(Linux)
        @Test("A finished upload releases its body", arguments: [1, 100_000])
        func released(count: Int) async throws {
            final class Owner: Sendable {}
            let server = try FaultServer(answering: { answer(body: "\($0.body.count)") })
            let client = try TransportKind.curl.client()
            weak var released: Owner?
            do {
                let owner = Owner()
                released = owner
                let body = RequestBody.stream(length: count) {
                    withExtendedLifetime(owner) {
                        AsyncStream<[UInt8]> { stream in
                            stream.yield([UInt8](repeating: 1, count: count))
                            stream.finish()
                        }
                    }
                }
                #expect(try await client.send(client.request(.post, server.url, body: body)).text() == "\(count)")
            }
            try await until("the body is released") { released == nil }
        }
    #endif

    @Test("A writer writes the pieces of a body in order, and closes the stream")
    func pieces() async throws {
        let output = OutputStream.toMemory()
        let pieces: [[UInt8]] = [[1, 2], [], [3], [UInt8](repeating: 4, count: 100_000)]
        try await BodyWriter(output).write(Self.body(pieces), length: 100_003)
        #expect(output.property(forKey: .dataWrittenToMemoryStreamKey) as? Data == Data(pieces.joined()))
        #expect(output.streamStatus == .closed)
    }

    @Test(
        "A body of another length is an error before more is written",
        arguments: [(0, true), (2, true), (3, false), (4, true)])
    func lengths(length: Int, isWrong: Bool) async {
        let output = OutputStream.toMemory()
        let error = await outcome { () async throws(NetworkError) in
            try await BodyWriter(output).write(Self.body([[1, 2], [3]]), length: length)
        }.failure
        #expect((error?.code == .invalidBody) == isWrong && (error == nil) != isWrong)
        #expect((output.property(forKey: .dataWrittenToMemoryStreamKey) as? Data)?.count ?? 0 <= length)
    }

    @Test("A failing body is an error, and one that its reader has closed isn't")
    func failures() async throws {
        struct Broken: Error {}
        let broken = RequestBody.stream {
            AsyncThrowingStream<[UInt8], any Error> { stream in
                stream.yield([1])
                stream.finish(throwing: Broken())
            }
        }
        let error = await outcome { () async throws(NetworkError) in
            try await BodyWriter(.toMemory()).write(broken, length: nil)
        }.failure
        #expect(error?.code == .invalidBody && error?.underlying is Broken)
        let closed = try #require(OutputStream(toFileAtPath: "/no such folder/file", append: false))
        try await BodyWriter(closed).write(Self.body([[1]]), length: 1)
    }

    #if canImport(Darwin)
        @Test("A connect timeout that a session can't honor is an error")
        func connectTimeout() async throws {
            let server = try FaultServer(answering: { _ in answer(body: "ok") })
            let client = try TransportKind.urlSession.client()
            var request = try client.request(.get, server.url)
            for (limit, isAccepted) in [
                (nil, true), (.seconds(10), false), (.seconds(9), false), (.seconds(23), false), (.seconds(24), true),
            ] as [(Duration?, Bool)] {
                request.options.connectTimeout = limit
                let result = await outcome { [request] () async throws(NetworkError) in try await client.send(request) }
                #expect((result.failure == nil) == isAccepted)
                if isAccepted { continue }
                #expect(result.failure?.code == .invalidConfiguration && result.failure?.key == "connectTimeout")
            }
        }
    #else
        @Test("libcurl rejects a choice of networks", arguments: [(false, true), (true, false)])
        func networks(allowsCellular: Bool, allowsLowDataMode: Bool) {
            var configuration = TransportConfiguration()
            configuration.allowsCellular = allowsCellular
            configuration.allowsLowDataMode = allowsLowDataMode
            let error = #expect(throws: NetworkError.self) { _ = try CurlTransport(configuration) }
            let key = allowsCellular ? "allowsLowDataMode" : "allowsCellular"
            #expect(error?.code == .invalidConfiguration && error?.key == key)
        }
    #endif

    private static func body(_ pieces: [[UInt8]]) -> RequestBody {
        .stream {
            AsyncStream { stream in
                for piece in pieces { stream.yield(piece) }
                stream.finish()
            }
        }
    }
}
