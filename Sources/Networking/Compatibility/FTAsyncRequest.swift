public import Foundation

/// FTAsyncRequest in Swift: a URL, a success and a failure, a GET or a POST, nothing else.
///
/// The original's defaults stand: 24 s, UTF-8, `text/plain; charset=utf-8`, and both closures on the main queue. As in
/// the original any status counts as success unless it is 400 or above. New: the failure brings the whole error beside
/// its number, and `cancel()`.
///
/// ```swift
/// import Foundation
///
/// let request = FTAsyncRequest(
///     url: "https://services.example.com/GetProfile/",
///     onSuccess: { data in print("\(data.count) bytes") },
///     onFailure: { code, error in print(code, error) })
/// request.contentType = "application/json; charset=utf-8"
/// request.timeout = 15
/// request.post(Data(#"{"userFirstName": "Boris"}"#.utf8))
/// ```
public final class FTAsyncRequest: @unchecked Sendable {
    // Sendable like the original: configured by one thread before `get` or `post`, which hand on copies only.

    /// The time in whole seconds that nothing may come; 24 unless set, and for 0, which is what not set was.
    public var timeout: Int = 24
    /// The encoding that ``postText(_:)`` writes text in; UTF-8 unless set.
    public var encoding: String.Encoding = .utf8
    /// The `Content-Type` of a POST; `text/plain; charset=utf-8` unless set.
    public var contentType: String = "text/plain; charset=utf-8"
    /// Where the closures are called; the main queue unless set.
    public var queue: DispatchQueue = .main

    private let url: String
    private let client: NetworkClient
    private let onSuccess: @Sendable (Data) -> Void
    private let onFailure: @Sendable (_ code: Int, _ error: NetworkError) -> Void
    private var token: RequestToken?

    /// Creates a request; nothing is sent before `get` or `post`.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - client: What sends it.
    ///   - onSuccess: Takes the body.
    ///   - onFailure: Takes the error and its number: the status of an answer, else Foundation's `URLError` code.
    public init(
        url: String, client: NetworkClient = .shared, onSuccess: @escaping @Sendable (Data) -> Void,
        onFailure: @escaping @Sendable (_ code: Int, _ error: NetworkError) -> Void
    ) {
        (self.url, self.client, self.onSuccess, self.onFailure) = (url, client, onSuccess, onFailure)
    }

    /// Sends a GET (the original's `getAsynchronously`).
    public func get() { send(.get, .empty) }

    /// Sends a POST (the original's `postAsynchronously:`).
    public func post(_ data: Data) { send(.post, .bytes(Array(data), contentType: contentType)) }

    /// Sends a POST of text in the `encoding`; text that it cannot express fails with `.encodingFailed`.
    public func postText(_ text: String) {
        if let data = text.data(using: encoding) {
            post(data)
        } else {
            send(.post, .failed(NetworkError(.encodingFailed, "the text cannot be written in \(encoding)")))
        }
    }

    /// Gives the request up; the failure is called with `.cancelled` unless it is over already.
    public func cancel() { token?.cancel() }

    private func send(_ method: HTTPMethod, _ body: RequestBody) {
        let (queue, onSuccess, onFailure) = (queue, onSuccess, onFailure)
        let handle: @Sendable (Result<NetworkResponse, NetworkError>) -> Void = { result in
            queue.async {
                switch result {
                case .success(let response): onSuccess(Data(response.bytes))
                case .failure(let error): onFailure(error.legacyCode, error)
                }
            }
        }
        do throws(NetworkError) {
            var request = try client.request(method, url, body: body)
            request.options.idleTimeout = .seconds(timeout > 0 ? timeout : 24)
            request.options.acceptableStatuses = Set(200...399)
            token = client.send(request, then: handle)
        } catch {
            handle(.failure(error))
        }
    }
}

extension NetworkError {
    /// The number that FTAsyncRequest's failure selector got: the status, else the `NSURLError` code.
    public var legacyCode: Int {
        if let status, code == .unacceptableStatus { return status }
        switch code {
        case .cancelled: return -999
        case .invalidURL: return -1000
        case .timedOut: return -1001
        case .hostNotFound: return -1003
        case .cannotConnect: return -1004
        case .connectionLost, .truncated: return -1005
        case .tooManyRedirects: return -1007
        case .fileFailed: return -1100
        case .notConnected: return -1009
        case .badResponse, .corrupted: return -1011
        case .tlsFailed: return -1200
        case .certificateUntrusted: return -1202
        case .bodyTooLarge, .decompressionLimit: return -1103
        default: return -1
        }
    }
}
