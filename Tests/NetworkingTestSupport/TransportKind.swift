import AshlarNetworking
import Testing

/// The transports that every conformance case runs on.
enum TransportKind: String, CaseIterable, CustomTestStringConvertible, Sendable {
    #if os(Linux)
        case curl
    #endif
    case urlSession

    var testDescription: String { rawValue }

    /// A client with its own transport.
    func client(_ configuration: ClientConfiguration = .init()) throws -> NetworkClient {
        switch self {
        #if os(Linux)
            case .curl: NetworkClient(configuration, transport: try CurlTransport(configuration.transport))
        #endif
        case .urlSession: NetworkClient(configuration, transport: try URLSessionTransport(configuration.transport))
        }
    }

    /// Whether this is Foundation on Linux, whose gaps are listed in the affected tests.
    var isLinuxURLSession: Bool {
        #if os(Linux)
            self == .urlSession
        #else
            false
        #endif
    }
}

/// A response with a length, as text.
func answer(_ status: Int = 200, _ fields: [String] = [], body: String = "") -> String {
    (["HTTP/1.1 \(status) Status"] + fields + ["Content-Length: \(body.utf8.count)", "", ""]).joined(separator: "\r\n")
        + body
}

/// Runs an operation and returns its result.
func outcome<Output: Sendable>(
    _ operation: () async throws(NetworkError) -> Output
) async -> Result<Output, NetworkError> {
    do throws(NetworkError) { return .success(try await operation()) } catch { return .failure(error) }
}

extension Result {
    var failure: Failure? { if case .failure(let failure) = self { failure } else { nil } }
}
