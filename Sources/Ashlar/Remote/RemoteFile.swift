internal import AshlarCore
public import AshlarNetworking
public import Foundation

/// A file from a server that replaces one that the app ships, such as a host map.
///
/// A file is fetched conditionally by its entity tag, and used if the app accepts it. The last accepted file is stored, so
/// that the next start uses it before the first fetch. If a fetch fails, or the app rejects the file, the file in use
/// stays, and ``status`` has the reason.
///
/// ```swift
/// let hosts = HostSwitch(.empty)
/// let client = NetworkClient(ClientConfiguration())
/// let file = try RemoteFile("https://config.example.org/HostMap.json", client: client, cache: "hosts.cache") { bytes in
///     hosts.update(try HostMap(json: bytes))
/// }
/// try await file.refresh()
/// ```
///
/// Files are accepted one at a time. The response of a fetch that began before another accepted one is ignored.
public actor RemoteFile {
    /// The state of a file.
    public struct Status: Sendable {
        /// The entity tag of the file in use.
        public fileprivate(set) var version: String?
        /// The time at which the file in use was fetched, or confirmed by the server; nil without a file.
        public fileprivate(set) var date: Date?
        /// The latest failure: of a fetch, of a file that was rejected, or of the cache.
        public fileprivate(set) var error: (any Error)?
    }

    /// The URL of the file.
    public nonisolated let url: String
    private let client: NetworkClient
    private let request: NetworkRequest
    private let cache: String?
    private let accept: @Sendable ([UInt8]) throws -> Void
    private var document: RemoteDocument?
    private var error: (any Error)?
    private var (begun, finished) = (0, 0)
    private static let largest = 64 << 20

    /// Creates a file, and passes the stored copy to `accept` if there is one.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - client: The client that fetches the file.
    ///   - cache: The path of the stored copy, whose folder must exist; nil stores none.
    ///   - accept: Uses the content of a file; throws to reject it. It is called by this initializer and by
    ///     ``refresh()``, never by two at a time.
    /// - Throws: `NetworkError` if the URL is malformed.
    public init(
        _ url: String, client: NetworkClient, cache: String? = nil, accept: @escaping @Sendable ([UInt8]) throws -> Void
    ) throws(NetworkError) {
        try self.init(url, client: client, cache: cache, acceptsStored: true, accept: accept)
    }

    /// Creates a file whose stored copy is in use already if `acceptsStored` is false.
    init(
        _ url: String, client: NetworkClient, cache: String?, acceptsStored: Bool,
        accept: @escaping @Sendable ([UInt8]) throws -> Void
    ) throws(NetworkError) {
        var request = try NetworkRequest(.get, url)
        request.options.acceptedStatuses = .successful.union([304])
        (self.url, self.client, self.request, self.cache, self.accept) = (url, client, request, cache, accept)
        guard let cache, FileManager.default.fileExists(atPath: cache) else { return }
        do {
            guard let stored = RemoteDocument(file: try WholeFile.read(cache, limit: Self.largest)) else {
                throw RemoteFileError(description: "\(cache) is not a whole document")
            }
            if acceptsStored { try accept(stored.bytes) }
            document = stored
        } catch {
            self.error = error
        }
    }

    /// The state of the file.
    public var status: Status {
        Status(
            version: document?.version, date: document.map { Date(timeIntervalSinceReferenceDate: $0.date) },
            error: error)
    }

    /// Fetches the file and uses it, unless it is the one in use.
    ///
    /// - Returns: Whether a new file is in use.
    /// - Throws: The error of the client, or that of `accept`; the file in use stays.
    @discardableResult
    public func refresh() async throws -> Bool {
        begun += 1
        let (number, version) = (begun, document?.version)
        do {
            let isNew = try use(await fetch(version), number)
            error = nil
            store()
            return isNew
        } catch {
            if number > finished { self.error = error }
            throw error
        }
    }

    private func fetch(_ version: String?) async throws(NetworkError) -> NetworkResponse {
        var request = request
        if let version { request.headers.set("If-None-Match", version) }
        return try await client.send(request)
    }

    /// Uses a response unless a later one was used; returns whether the file is new.
    private func use(_ response: NetworkResponse, _ number: Int) throws -> Bool {
        guard number > finished else { return false }
        let now = Date().timeIntervalSinceReferenceDate
        guard response.status != 304 else {
            finished = number
            document?.date = now
            return false
        }
        let new = RemoteDocument(
            bytes: response.bytes, version: response.headers["ETag"], signature: nil, date: now)
        let isNew = new.bytes != document?.bytes
        if isNew { try accept(new.bytes) }
        (finished, document) = (number, new)
        return isNew
    }

    /// Stores the file in use; a failure is in ``status``, because the file itself is in use.
    private func store() {
        guard let cache, let document else { return }
        do {
            try document.write(to: cache, now: Date().timeIntervalSinceReferenceDate)
        } catch {
            self.error = error
        }
    }
}

/// A stored copy that can't be used.
private struct RemoteFileError: Error, CustomStringConvertible {
    let description: String
}

extension HostSwitch {
    /// Returns the file that replaces the map, and uses its stored copy.
    ///
    /// A map without hosts is rejected.
    ///
    /// - Parameters:
    ///   - url: The URL of a host map.
    ///   - client: The client that fetches it. It should not resolve hosts with this switch, so that a wrong map can be
    ///     replaced.
    ///   - cache: The path of a file for the last good map, whose folder must exist; nil stores none.
    /// - Returns: The file; ``RemoteFile/refresh()`` fetches it.
    /// - Throws: `NetworkError` if the URL is malformed.
    public func remoteMap(
        _ url: String, client: NetworkClient, cache: String? = nil
    ) throws(NetworkError) -> RemoteFile {
        try RemoteFile(url, client: client, cache: cache) { bytes in
            let map = try HostMap(json: bytes)
            guard !map.configurations.isEmpty else {
                throw NetworkError(.invalidHostMap, map.warnings.first?.message ?? "the map has no hosts")
            }
            self.update(map)
        }
    }
}
