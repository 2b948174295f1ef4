internal import AshlarCore
public import AshlarNetworking
public import Dispatch
public import Foundation

/// FTAsyncRequest in Swift: a URL, success and failure closures, and a GET or POST.
///
/// The defaults are those of the Objective-C class: 24 s, UTF-8, `text/plain; charset=utf-8`, and both closures on the
/// main queue. Any status below 400 is a success, also as in that class. The error passed with its number and
/// `cancel()` are additions.
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
public final class FTAsyncRequest: Sendable {
    private struct State {
        var timeout = 24
        var encoding = String.Encoding.utf8
        var contentType = "text/plain; charset=utf-8"
        var queue = DispatchQueue.main
        var task: Task<Void, Never>?
    }

    private let state = Mutex(State())

    /// The idle timeout in whole seconds; 24 by default, and if set to 0.
    public var timeout: Int {
        get { state.withLock { $0.timeout } }
        set { state.withLock { $0.timeout = newValue } }
    }
    /// The encoding used by ``postText(_:)``; UTF-8 by default.
    public var encoding: String.Encoding {
        get { state.withLock { $0.encoding } }
        set { state.withLock { $0.encoding = newValue } }
    }
    /// The `Content-Type` of a POST; `text/plain; charset=utf-8` by default.
    public var contentType: String {
        get { state.withLock { $0.contentType } }
        set { state.withLock { $0.contentType = newValue } }
    }
    /// The queue of the closures; the main queue by default.
    public var queue: DispatchQueue {
        get { state.withLock { $0.queue } }
        set { state.withLock { $0.queue = newValue } }
    }

    private let url: String
    private let client: NetworkClient
    private let onSuccess: @Sendable (Data) -> Void
    private let onFailure: @Sendable (_ code: Int, _ error: NetworkError) -> Void

    /// Creates a request; `get` or `post` sends it.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - client: The client.
    ///   - onSuccess: Receives the body.
    ///   - onFailure: Receives the error and its number: the status of a response, else Foundation's `URLError` code.
    public init(
        url: String, client: NetworkClient = .shared, onSuccess: @escaping @Sendable (Data) -> Void,
        onFailure: @escaping @Sendable (_ code: Int, _ error: NetworkError) -> Void
    ) {
        self.url = url
        self.client = client
        self.onSuccess = onSuccess
        self.onFailure = onFailure
    }

    /// Sends a GET, like `getAsynchronously` of the Objective-C class.
    public func get() { send(.get, .empty) }

    /// Sends a POST, like `postAsynchronously:` of the Objective-C class.
    public func post(_ data: Data) { send(.post, .bytes(Array(data), contentType: contentType)) }

    /// Sends a POST of a string in the `encoding`; a string that it can't represent fails with `.encodingFailed`.
    public func postText(_ text: String) {
        if let data = text.data(using: encoding) {
            post(data)
        } else {
            send(.post, .failed(NetworkError(.encodingFailed, "the text can't be written in \(encoding)")))
        }
    }

    /// Cancels the request; the failure closure receives `.cancelled` unless the request has completed.
    public func cancel() { state.withLock { $0.task }?.cancel() }

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
            var request = try NetworkRequest(method, url, body: body, options: client.configuration.requestOptions)
            request.options.idleTimeout = .seconds(timeout > 0 ? timeout : 24)
            request.options.acceptedStatuses = Set(200...399)
            let ready = request
            let task = Task { [client] in
                do throws(NetworkError) {
                    handle(.success(try await client.send(ready)))
                } catch {
                    handle(.failure(error))
                }
            }
            state.withLock { $0.task = task }
        } catch {
            handle(.failure(error))
        }
    }
}

extension NetworkError {
    /// The number passed to FTAsyncRequest's failure selector: the status, else the `NSURLError` code.
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
