/// A transport that fails each request, for a configuration that can't be honored.
struct FailingTransport: NetworkTransport {
    let error: NetworkError

    init(_ error: NetworkError) { self.error = error }

    func send(_ request: NetworkRequest) async throws(NetworkError) -> StreamedResponse { throw error }
}
