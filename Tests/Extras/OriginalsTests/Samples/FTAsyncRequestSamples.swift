import AshlarOriginals
import Foundation
import Testing

extension Samples {
    @Suite struct FTAsyncRequestSamples {
        /// The outcome of a request: the data, or the number of the error.
        private enum Outcome: Equatable {
            case success(Data)
            case failure(Int)
        }

        /// The delegate of the sample.
        private final class Profile: Sendable {
            private let outcome: AsyncStream<Outcome>.Continuation

            init(_ outcome: AsyncStream<Outcome>.Continuation) { self.outcome = outcome }

            func load(_ url: String, _ client: NetworkClient) {
                let rec = FTAsyncRequest.FTinitWithUrl(
                    url, delegate: self, onSuccess: Profile.successAction, onFailure: Profile.failAction, client: client
                )
                rec.contentType = "application/json; charset=utf-8"
                rec.setTimeout(15)
                let str = "{\"userFirstName\": \"Boris\", \"userLastName\": \"OUDET\"}"
                rec.FTpostAsynchronously(Data(str.utf8))
            }

            func successAction(_ data: Data) { outcome.yield(.success(data)) }
            func failAction(_ code: NSNumber) { outcome.yield(.failure(code.intValue)) }
        }

        /// A delegate on the main actor, such as a view controller.
        @MainActor private final class ProfileController {
            private let outcome: AsyncStream<Outcome>.Continuation

            init(_ outcome: AsyncStream<Outcome>.Continuation) { self.outcome = outcome }

            func load(_ client: NetworkClient) {
                let rec = FTAsyncRequest(
                    url: "http://services.project.com/", delegate: self, onSuccess: ProfileController.successAction,
                    onFailure: ProfileController.failAction, client: client)
                rec.getAsynchronously()
            }

            func successAction(_ data: Data) { outcome.yield(.success(data)) }
            func failAction(_ code: NSNumber) { outcome.yield(.failure(code.intValue)) }
        }

        private let outcomes: AsyncStream<Outcome>
        private let outcome: AsyncStream<Outcome>.Continuation
        private let profile: Profile

        init() {
            let (stream, continuation) = AsyncStream.makeStream(of: Outcome.self)
            outcomes = stream
            outcome = continuation
            profile = Profile(continuation)
        }

        private func first() async -> Outcome? {
            for await outcome in outcomes { return outcome }
            return nil
        }

        @Test("The example posts JSON with its content type and timeout, and calls the success method")
        func example() async throws {
            let stub = StubTransport(["POST /GetProfil/": .text("the profile")])
            profile.load("http://services.project.com/GetProfil/", NetworkClient(transport: stub))
            #expect(await first() == .success(Data("the profile".utf8)))
            let request = try #require(stub.requests.first)
            #expect(request.body.contentType == "application/json; charset=utf-8")
            #expect(request.options.idleTimeout == .seconds(15))
            #expect(
                request.body.inMemory == Array(#"{"userFirstName": "Boris", "userLastName": "OUDET"}"#.utf8))
        }

        @Test("A failure calls the failure method with the number of the error")
        func failure() async {
            let stub = StubTransport(["POST /GetProfil/": .status(404)])
            profile.load("http://services.project.com/GetProfil/", NetworkClient(transport: stub))
            #expect(await first() == .failure(404))
        }

        @Test("The methods of a delegate can be on the main actor")
        @MainActor func controller() async throws {
            let client = NetworkClient(transport: StubTransport(["GET /": .text("x")]))
            let controller = ProfileController(outcome)
            controller.load(client)
            #expect(await first() == .success(Data("x".utf8)))
            withExtendedLifetime(controller) {}
        }

        @Test("initWithUrl, getAsynchronously, and the defaults 24 seconds, UTF-8 and text/plain")
        func get() async {
            let stub = StubTransport(["GET /": .text("x")])
            let rec = FTAsyncRequest(
                url: "http://services.project.com/", delegate: profile, onSuccess: Profile.successAction,
                onFailure: Profile.failAction, client: NetworkClient(transport: stub))
            #expect(rec.timeout == 24)
            #expect(rec.encoding == .utf8)
            #expect(rec.contentType == "text/plain; charset=utf-8")
            rec.getAsynchronously()
            #expect(await first() == .success(Data("x".utf8)))
        }
    }
}
