internal import AshlarAppConfig
internal import AshlarCore
internal import AshlarNetworking
internal import Foundation

/// The document of a ``RemoteConfigSource``: fetched, verified, stored for the next start, and published.
///
/// Documents are accepted one at a time. If fetches overlap, the response of the one that began last is used.
final class RemoteDocument: Sendable {
    typealias Response = RemoteConfigSource.Response
    typealias Verification = RemoteConfigSource.Verification

    private struct State {
        var document: StoredDocument?
        var error: (any Error)?
        /// The number of the latest fetch that began, and of the latest whose response was used.
        var begun = 0
        var finished = 0
    }

    /// Runs closures one at a time.
    private actor Queue {
        func run<Result>(_ body: @Sendable () throws -> Result) rethrows -> Result { try body() }
    }

    let name: String
    private let cache: String?
    private let signedName: String
    private let environment: String?
    private let verify: Verification?
    private let revision: @Sendable ([UInt8]) throws -> ConfigRevision?
    private let request: @Sendable (String?) async throws -> Response
    private let state = Mutex(State())
    /// The number of new documents.
    private let published = Broadcast(0)
    private let queue = Queue()

    /// Creates a document whose revision a closure returns, which throws if the content is malformed.
    init(
        _ name: String, cache: String?, signedName: String? = nil, environment: String?, verify: Verification?,
        revision: @escaping @Sendable ([UInt8]) throws -> ConfigRevision?,
        fetch: @escaping @Sendable (_ version: String?) async throws -> Response
    ) {
        self.name = name
        self.cache = cache
        self.signedName = signedName ?? name
        self.environment = environment
        self.verify = verify
        self.revision = revision
        request = fetch
        guard let cache else { return }
        do {
            guard var document = try StoredDocument(path: cache) else { return }
            try validate(&document)
            state.withLock { $0.document = document }
        } catch {
            state.withLock { $0.error = error }
        }
    }

    /// Returns a closure that fetches a document with conditional requests.
    ///
    /// - Throws: `NetworkError` if the URL is malformed, or is one of another machine without TLS and the document isn't
    ///   signed.
    static func fetch(
        _ url: String, by client: NetworkClient, signatureField: String, isSigned: Bool
    ) throws(NetworkError) -> @Sendable (String?) async throws -> Response {
        var request = try NetworkRequest(.get, url)
        guard isSigned || request.url.scheme == .https || request.url.isLoopback else {
            throw NetworkError(
                .invalidConfiguration,
                "a network can change a document over plain HTTP: use https, or verify signatures", phase: .prepare,
                key: "url")
        }
        request.options.acceptedStatuses = [200, 304]
        let conditional = request
        return { version in
            var request = conditional
            if let version { request.headers.set("If-None-Match", version) }
            let response = try await client.send(request)
            if response.status == 304 { return .notModified }
            let signature = response.headers[signatureField].flatMap { Base64.decode($0.utf8) }
            return .document(response.bytes, version: response.headers["ETag"], signature: signature)
        }
    }

    /// The state of the document.
    var status: RemoteConfigSource.Status {
        state.withLock { state in
            let date = state.document.map { Date(timeIntervalSinceReferenceDate: $0.date) }
            return RemoteConfigSource.Status(version: state.document?.version, date: date, error: state.error)
        }
    }

    /// Returns the date of a document: that of its last confirmation, as long as it is the accepted one.
    func date(of document: StoredDocument) -> Date {
        let accepted = current.flatMap { $0.bytes == document.bytes ? $0 : nil }
        return Date(timeIntervalSinceReferenceDate: (accepted ?? document).date)
    }

    /// The accepted document.
    var current: StoredDocument? { state.withLock { $0.document } }

    /// Returns a stream with an element for each new document.
    func changes() -> AsyncStream<Void> {
        let known = published.current
        let numbers = published.changes()
        return AsyncStream {
            for await number in numbers where number > known { return () }
            return nil
        }
    }

    // MARK: Fetching

    /// Fetches the document, stores it, and publishes it, unless it is the accepted one.
    func refresh() async throws {
        let (number, version) = state.withLock { state in
            state.begun += 1
            return (state.begun, state.document?.version)
        }
        let date = Date().timeIntervalSinceReferenceDate
        do {
            let response = try await request(version)
            try await queue.run { [self] in try accept(response, of: number, date: date) }
        } catch {
            state.withLock { if number > $0.finished { $0.error = error } }
            throw error
        }
    }

    /// Runs a closure at once and after each pause until the task is cancelled.
    static func atIntervals<C: Clock>(
        _ interval: Duration, jitter: Double, clock: C, _ body: () async -> Void
    ) async where C.Duration == Duration {
        let jitter = jitter >= 0 ? min(jitter, 1) : 0
        while !Task.isCancelled {
            await body()
            let pause = interval * (1 + Double.random(in: -jitter...jitter))
            guard (try? await clock.sleep(for: pause)) != nil else { return }
        }
    }

    /// Verifies the document of a fetch, stores it, and publishes it if it is new.
    private func accept(_ response: Response, of number: Int, date: Double) throws {
        let (old, finished) = state.withLock { ($0.document, $0.finished) }
        // A response that comes after that of a later fetch is old.
        guard number > finished else { return }
        var new = old
        new?.date = date
        if let (bytes, version, signature) = response.document {
            var document = StoredDocument(bytes: bytes, version: version, signature: signature, date: date)
            try validate(&document)
            try checkRevision(of: document, after: old)
            new = document
        } else if old == nil {
            throw ConfigError.malformed("the document hasn't changed, but there is none")
        }
        let isNew = new?.bytes != old?.bytes
        // A confirmed document is also stored, so that the next process starts with it, and with its date.
        let problem = new.flatMap { store($0) }
        state.withLock { state in
            state.document = new
            state.error = problem
            state.finished = number
        }
        if isNew { published.update { $0 + 1 } }
    }

    /// Writes the cache file, unless another process has stored a later document; returns the failure.
    private func store(_ document: StoredDocument) -> RemoteError? {
        guard let cache else { return nil }
        do throws(RemoteError) {
            try document.write(to: cache) { other in
                var other = other
                // A document that the program can't use, or that comes from a wrong clock, is replaced.
                guard (try? validate(&other)) != nil else { return false }
                if other.revision != document.revision {
                    guard let stored = other.revision, let own = document.revision else { return other.revision != nil }
                    return stored > own
                }
                return other.date > document.date && other.date <= Date().timeIntervalSinceReferenceDate
            }
            return nil
        } catch {
            return error
        }
    }

    /// Throws if a document has a wrong signature or is malformed; otherwise reads its revision.
    private func validate(_ document: inout StoredDocument) throws {
        if let verify {
            guard let signature = document.signature else {
                throw RemoteError(.invalidSignature, "the document has no signature")
            }
            let signed = RemoteConfigSource.signedBytes(of: document.bytes, name: signedName, environment: environment)
            if try !verify(signed, signature) { throw RemoteError(.invalidSignature, "the signature is wrong") }
        }
        document.revision = try revision(document.bytes)
    }

    /// Throws if a document is older than the accepted one, whose signature is also valid.
    private func checkRevision(of document: StoredDocument, after accepted: StoredDocument?) throws {
        guard let known = accepted?.revision else { return }
        guard let revision = document.revision else {
            throw RemoteError(.outdated, "the document has no $revision, but the accepted one has")
        }
        if revision < known { throw RemoteError(.outdated, "the document is older than the accepted one") }
    }
}

/// A failure of a document from a server: its signature is wrong, or its cache file can't be used.
///
/// A failure to fetch a document is the error of the client.
public struct RemoteError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure; codes may be added, so a `switch` needs a `default`.
    public struct Code: Hashable, Sendable {
        private enum Kind { case invalidSignature, outdated, unreadableCache, damagedCache, unwritableCache }
        private let kind: Kind
        /// A document has no signature or a wrong one.
        public static var invalidSignature: Code { Code(kind: .invalidSignature) }
        /// A document is older than the accepted one.
        public static var outdated: Code { Code(kind: .outdated) }
        /// The cache file can't be read.
        public static var unreadableCache: Code { Code(kind: .unreadableCache) }
        /// The cache file is incomplete or isn't a cache file.
        public static var damagedCache: Code { Code(kind: .damagedCache) }
        /// The cache file can't be written; the document itself is in use.
        public static var unwritableCache: Code { Code(kind: .unwritableCache) }
    }

    /// The kind of failure, without the details.
    public let code: Code
    /// The problem.
    public let reason: String
    /// The path of the cache file, if it has the problem.
    public let file: String?

    init(_ code: Code, _ reason: String, file: String? = nil) {
        self.code = code
        self.reason = reason
        self.file = file
    }

    /// The file and the problem.
    public var description: String { (file.map { "\($0): " } ?? "") + reason }
}
