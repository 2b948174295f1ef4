/// A transport that fails each request, used for a configuration that no transport can honor.
struct FailingTransport: NetworkTransport {
    let error: NetworkError

    init(_ error: NetworkError) { self.error = error }

    func send(_ request: NetworkRequest) async throws(NetworkError) -> StreamedResponse { throw error }
}
