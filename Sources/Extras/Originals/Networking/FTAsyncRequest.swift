// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import AshlarNetworking
public import Dispatch
public import Foundation

/// FTAsyncRequest: a GET or POST whose outcome is passed to methods of a delegate, or to closures.
///
/// The defaults are those of the original: 24 s, UTF-8, `text/plain; charset=utf-8`, and calls on the main queue.
public final class FTAsyncRequest {
    /// A method of a delegate that receives a value on the main actor.
    public typealias Action<Delegate, Value> = @MainActor @Sendable (Delegate) -> @MainActor (Value) -> Void

    /// The idle timeout in whole seconds; 24 by default, and if set to 0.
    public var timeout: Int = 24
    /// The encoding used by ``postText(_:)``; UTF-8 by default.
    public var encoding: String.Encoding = .utf8
    /// The `Content-Type` of a POST; `text/plain; charset=utf-8` by default.
    public var contentType: String = "text/plain; charset=utf-8"
    /// The queue of the calls; the main queue by default.
    public var queue: DispatchQueue = .main

    private let url: String
    private let client: NetworkClient
    private let onSuccess: @Sendable (Data) -> Void
    private let onFailure: @Sendable (_ code: Int, _ error: NetworkError) -> Void

    /// Creates a request with closures, which receive the body, or the error and its `legacyCode`.
    public init(
        url: String, client: NetworkClient = .shared, onSuccess: @escaping @Sendable (Data) -> Void,
        onFailure: @escaping @Sendable (_ code: Int, _ error: NetworkError) -> Void
    ) {
        self.url = url
        self.client = client
        self.onSuccess = onSuccess
        self.onFailure = onFailure
    }

    /// Creates a request with methods of a delegate, which is held weakly: `initWithUrl:delegate:onSuccess:onFailure:`.
    public convenience init<Delegate: AnyObject & Sendable>(
        url: String, delegate: Delegate, onSuccess success: @escaping Action<Delegate, Data>,
        onFailure failure: @escaping Action<Delegate, NSNumber>, client: NetworkClient = .shared
    ) {
        self.init(
            url: url, client: client,
            onSuccess: { [weak delegate] data in Task { @MainActor in delegate.map { success($0)(data) } } },
            onFailure: { [weak delegate] code, _ in
                Task { @MainActor in delegate.map { failure($0)(NSNumber(value: code)) } }
            })
    }

    /// Creates a request with methods of a delegate: the name in FTAsyncRequest's example.
    public static func FTinitWithUrl<Delegate: AnyObject & Sendable>(
        _ url: String, delegate: Delegate, onSuccess success: @escaping Action<Delegate, Data>,
        onFailure failure: @escaping Action<Delegate, NSNumber>, client: NetworkClient = .shared
    ) -> FTAsyncRequest {
        FTAsyncRequest(url: url, delegate: delegate, onSuccess: success, onFailure: failure, client: client)
    }

    /// Sets the ``timeout``.
    public func setTimeout(_ seconds: Int) { timeout = seconds }
    /// Sends a GET.
    public func getAsynchronously() { send(.get, .empty) }
    /// Sends a POST.
    public func postAsynchronously(_ data: Data) { send(.post, .bytes(Array(data), contentType: contentType)) }
    /// Sends a POST: the name in FTAsyncRequest's example.
    public func FTpostAsynchronously(_ data: Data) { postAsynchronously(data) }

    /// Sends a POST of a string in the `encoding`; a string that it can't represent fails with `.encodingFailed`.
    public func postText(_ text: String) {
        let failed = RequestBody.failed(NetworkError(.encodingFailed, "the text can't be written in \(encoding)"))
        send(.post, text.data(using: encoding).map { .bytes(Array($0), contentType: contentType) } ?? failed)
    }

    private func send(_ method: HTTPMethod, _ body: RequestBody) {
        var options = client.configuration.requestOptions
        options.idleTimeout = .seconds(timeout > 0 ? timeout : 24)
        options.acceptedStatuses = Set(200...399)
        Task { [queue, client, url, onSuccess, onFailure, options] in
            do throws(NetworkError) {
                let response = try await client.send(NetworkRequest(method, url, body: body, options: options))
                queue.async { onSuccess(Data(response.bytes)) }
            } catch {
                queue.async { onFailure(error.legacyCode, error) }
            }
        }
    }
}

extension NetworkError {
    /// The number passed to FTAsyncRequest's failure selector: the status, else the `NSURLError` code.
    public var legacyCode: Int {
        let codes: [Code: Int] = [
            .cancelled: -999, .invalidURL: -1000, .timedOut: -1001, .hostNotFound: -1003, .cannotConnect: -1004,
            .connectionLost: -1005, .truncated: -1005, .tooManyRedirects: -1007, .notConnected: -1009,
            .badResponse: -1011, .corrupted: -1011, .fileFailed: -1100, .bodyTooLarge: -1103,
            .decompressionLimit: -1103, .tlsFailed: -1200, .certificateUntrusted: -1202,
        ]
        return code == .unacceptableStatus ? status ?? -1 : codes[code] ?? -1
    }
}
