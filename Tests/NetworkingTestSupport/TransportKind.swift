package import AshlarNetworking

/// The transports that every conformance case runs on.
package enum TransportKind: String, CaseIterable, Sendable {
    #if os(Linux)
        case curl
    #else
        case urlSession
    #endif

    /// A client with its own transport.
    package func client(_ configuration: ClientConfiguration = .init()) throws -> NetworkClient {
        switch self {
        #if os(Linux)
            case .curl: NetworkClient(configuration, transport: try CurlTransport(configuration.transport))
        #else
            case .urlSession: NetworkClient(configuration, transport: try URLSessionTransport(configuration.transport))
        #endif
        }
    }
}

/// A response with a length, as text.
package func answer(_ status: Int = 200, _ fields: [String] = [], body: String = "") -> String {
    (["HTTP/1.1 \(status) Status"] + fields + ["Content-Length: \(body.utf8.count)", "", ""]).joined(separator: "\r\n")
        + body
}

/// Runs an operation and returns its result.
package func outcome<Output: Sendable>(
    _ operation: () async throws(NetworkError) -> Output
) async -> Result<Output, NetworkError> {
    do throws(NetworkError) { return .success(try await operation()) } catch { return .failure(error) }
}

extension Result {
    package var failure: Failure? { if case .failure(let failure) = self { failure } else { nil } }
}
