import AshlarTestSupport
import Testing

@testable import AshlarNetworking

/// The pipe between a transport's thread and the reader of a response.
@Suite(.timeLimit(.minutes(5))) struct ResponsePipeTests {
    private func write(_ status: Int, _ body: [UInt8], to pipe: ResponsePipe) {
        pipe.write(head: ResponseHead(status: status))
        #expect(body.withUnsafeBytes { pipe.write($0) })
    }

    @Test("A response can be replaced by another one until the reader has its head")
    func takeBack() async throws {
        let pipe = ResponsePipe()
        write(200, [1, 2], to: pipe)
        #expect(pipe.takeBack())
        write(201, [3], to: pipe)
        #expect(try await pipe.head().status == 201)
        #expect(!pipe.takeBack())
        pipe.finish()
        #expect(try await pipe.next() == [3])
        #expect(try await pipe.next() == nil)
    }

    @Test("A response that has ended can't be replaced")
    func ended() async throws {
        let pipe = ResponsePipe()
        write(200, [], to: pipe)
        pipe.cancel()
        #expect(!pipe.takeBack())
    }
}
