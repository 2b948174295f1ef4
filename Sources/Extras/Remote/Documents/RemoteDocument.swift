internal import AshlarCore
public import AshlarNetworking
internal import AshlarTrees
public import Foundation

/// A document from a server: fetched, verified, used, and stored for the next start.
///
/// A document is fetched with the version of the last one, so that a server can confirm it without sending it again. A
/// document that can't be fetched, has a wrong signature, or is refused by the program changes nothing: the last
/// accepted one stays in use, and ``status`` has the reason. The accepted document is stored in the cache file, so that
/// the next start uses it before the first fetch, even if the process was killed.
///
/// ```swift
/// let client = NetworkClient(ClientConfiguration())
/// let document = try RemoteDocument(
///     "news", url: "https://config.example.org/news.json", client: client, cache: "news.cache"
/// ) { bytes in
///     print(try JSONEntity(parsing: bytes)["title"].text())
/// }
/// try await document.refresh()
/// ```
///
/// Documents are accepted one at a time. If fetches overlap, the response of the one that began last is used. A fetch has
/// no time limit of its own; the client has one.
public final class RemoteDocument: Sendable {
    /// The response of a server.
    public struct Response: Sendable {
        fileprivate let document: (bytes: [UInt8], version: String?, signature: [UInt8]?)?

        /// The version of the document hasn't changed.
        public static var notModified: Response { Response(document: nil) }

        /// A document, its version (such as the entity tag of the response), and its signature.
        public static func document(
            _ bytes: [UInt8], version: String? = nil, signature: [UInt8]? = nil
        ) -> Response {
            Response(document: (bytes, version, signature))
        }
    }

    /// The state of a document.
    public struct Status: Sendable {
        /// The version of the accepted document.
        public let version: String?
        /// The start of the request that fetched or confirmed the accepted document; `nil` without a document.
        public let date: Date?
        /// The latest failure: of a fetch, of a document that was rejected, or of the cache file.
        public internal(set) var error: (any Error)?
    }

    /// A closure that returns whether a signature belongs to the bytes of ``signedBytes(of:name:environment:)``.
    public typealias Verification = @Sendable (_ signed: [UInt8], _ signature: [UInt8]) throws -> Bool

    /// Returns the bytes that the signature of a document covers: its name, its environment and its content, which
    /// includes its `$revision`.
    ///
    /// One key can therefore sign all documents of an app: the signature of one isn't valid for another one, nor for
    /// another environment. The bytes are `ashlar-document 1`, the lines `name:` and `environment:` with a JSON string, or
    /// without an environment the first of them only, an empty line, and the document.
    ///
    /// ```swift
    /// let signed = RemoteDocument.signedBytes(of: Array("{}".utf8), name: "hosts", environment: "production")
    /// print(signed.count)  // 61
    /// ```
    ///
    /// - Parameters:
    ///   - document: The content of the document.
    ///   - name: The name of the document, such as `configuration` or `hosts` for the files of an app.
    ///   - environment: The environment whose apps accept the document; nil for apps without one.
    /// - Returns: The bytes to sign.
    public static func signedBytes(of document: [UInt8], name: String, environment: String? = nil) -> [UInt8] {
        var head = "ashlar-document 1\nname: \(JSONText.quoted(name))\n"
        if let environment { head += "environment: \(JSONText.quoted(environment))\n" }
        return Array((head + "\n").utf8) + document
    }

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

    /// The name of the document in errors.
    public let name: String
    private let cache: String?
    private let signedName: String
    private let environment: String?
    private let verify: Verification?
    private let revision: @Sendable ([UInt8]) throws -> Double?
    private let use: @Sendable ([UInt8]) throws -> Void
    private let request: @Sendable (String?) async throws -> Response
    private let state = Mutex(State())
    /// The number of new documents.
    private let published = Broadcast(0)
    private let queue = Queue()

    /// Creates a document that a closure fetches, and uses the stored copy if there is one.
    ///
    /// - Parameters:
    ///   - name: The name of the document in errors.
    ///   - cache: The path of a file for the last accepted document, whose folder must exist; nil stores none. Several
    ///     processes can share a file: the document that one of them fetched last stays in it.
    ///   - environment: The environment for which documents are signed.
    ///   - verify: Checks the signature of a document, such as an Ed25519 signature with a key in the program. If set,
    ///     documents without a signature are rejected.
    ///   - fetch: Fetches the document; receives the version of the last one.
    ///   - use: Uses the content of a document; throws to reject it. It is called by this initializer and by
    ///     ``refresh()``, never by two at a time.
    public convenience init(
        _ name: String, cache: String? = nil, environment: String? = nil, verify: Verification? = nil,
        fetch: @escaping @Sendable (_ version: String?) async throws -> Response,
        use: @escaping @Sendable ([UInt8]) throws -> Void
    ) {
        self.init(
            name, cache: cache, environment: environment, verify: verify, revision: { _ in nil }, fetch: fetch, use: use
        )
    }

    /// Creates a document that a client fetches, and uses the stored copy if there is one.
    ///
    /// The version of a document is its `ETag`; the status 304 confirms the version. The signature is in the response's
    /// field `Content-Signature` in Base64.
    ///
    /// - Parameters:
    ///   - name: The name of the document in errors.
    ///   - url: The URL.
    ///   - client: The client that fetches the document.
    ///   - cache: The path of a file for the last accepted document, whose folder must exist; nil stores none.
    ///   - environment: The environment for which documents are signed.
    ///   - verify: Checks the signature of a document; documents without a signature are then rejected.
    ///   - use: Uses the content of a document; throws to reject it. It is called by this initializer and by
    ///     ``refresh()``, never by two at a time.
    /// - Throws: `NetworkError` if the URL is malformed.
    public convenience init(
        _ name: String, url: String, client: NetworkClient, cache: String? = nil, environment: String? = nil,
        verify: Verification? = nil, use: @escaping @Sendable ([UInt8]) throws -> Void
    ) throws(NetworkError) {
        let fetch = try Self.fetch(url, by: client)
        self.init(name, cache: cache, environment: environment, verify: verify, fetch: fetch, use: use)
    }

    /// Creates a document whose revision a closure returns, which throws if the content is malformed.
    init(
        _ name: String, cache: String?, signedName: String? = nil, environment: String?, verify: Verification?,
        revision: @escaping @Sendable ([UInt8]) throws -> Double?,
        fetch: @escaping @Sendable (_ version: String?) async throws -> Response,
        use: @escaping @Sendable ([UInt8]) throws -> Void = { _ in }
    ) {
        self.name = name
        self.cache = cache
        self.signedName = signedName ?? name
        self.environment = environment
        self.verify = verify
        self.revision = revision
        self.use = use
        request = fetch
        guard let cache else { return }
        do {
            guard var document = try StoredDocument(path: cache) else { return }
            try validate(&document)
            try use(document.bytes)
            state.withLock { $0.document = document }
        } catch {
            state.withLock { $0.error = error }
        }
    }

    /// Returns a closure that fetches a document with conditional requests.
    static func fetch(
        _ url: String, by client: NetworkClient, signatureField: String = "Content-Signature"
    ) throws(NetworkError) -> @Sendable (String?) async throws -> Response {
        var request = try NetworkRequest(.get, url)
        request.options.acceptedStatuses?.insert(304)
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
    public var status: Status {
        state.withLock { state in
            let date = state.document.map { Date(timeIntervalSinceReferenceDate: $0.date) }
            return Status(version: state.document?.version, date: date, error: state.error)
        }
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

    /// Fetches the document, stores it, and uses it, unless it is the one in use.
    ///
    /// - Returns: Whether a new document is in use.
    /// - Throws: The error of the fetch, of the signature, or of the program that refused the document.
    @discardableResult
    public func refresh() async throws -> Bool {
        let (number, version) = state.withLock { state in
            state.begun += 1
            return (state.begun, state.document?.version)
        }
        let date = Date().timeIntervalSinceReferenceDate
        do {
            let response = try await request(version)
            return try await queue.run { [self] in try accept(response, of: number, date: date) }
        } catch {
            state.withLock { if number > $0.finished { $0.error = error } }
            throw error
        }
    }

    /// Refreshes the document at once and at intervals until the task is cancelled; failures are in ``status``.
    ///
    /// - Parameters:
    ///   - interval: The mean time between two refreshes.
    ///   - jitter: The part of the interval, from 0 to 1, by which pauses vary at random, so that clients spread.
    ///   - clock: The clock that measures the pauses.
    public func refresh<C: Clock>(
        every interval: Duration, jitter: Double = 0.1, clock: C = ContinuousClock()
    ) async where C.Duration == Duration {
        await Self.atIntervals(interval, jitter: jitter, clock: clock) { _ = try? await self.refresh() }
    }

    /// Runs a closure at once and after each pause until the task is cancelled.
    static func atIntervals<C: Clock>(
        _ interval: Duration, jitter: Double, clock: C, _ body: () async -> Void
    ) async where C.Duration == Duration {
        let jitter = jitter >= 0 ? min(jitter, 1) : 0
        while !Task.isCancelled {
            await body()
            do {
                try await clock.sleep(for: interval * (1 + Double.random(in: -jitter...jitter)))
            } catch {
                return
            }
        }
    }

    /// Verifies the document of a fetch, uses it, stores it, and publishes it; returns whether it is new.
    private func accept(_ response: Response, of number: Int, date: Double) throws -> Bool {
        let (old, finished) = state.withLock { ($0.document, $0.finished) }
        // A response that comes after that of a later fetch is old.
        guard number > finished else { return false }
        var new = old
        new?.date = date
        if let (bytes, version, signature) = response.document {
            var document = StoredDocument(bytes: bytes, version: version, signature: signature, date: date)
            try validate(&document)
            try checkRevision(of: document, after: old)
            new = document
        }
        let isNew = new?.bytes != old?.bytes
        var problem: RemoteError?
        if let new, isNew || new.version != old?.version {
            if isNew { try use(new.bytes) }
            problem = store(new)
        }
        state.withLock { state in
            state.document = new
            state.error = problem
            state.finished = number
        }
        if isNew { published.update { $0 + 1 } }
        return isNew
    }

    /// Writes the cache file, unless another process has stored a later document; returns the failure.
    private func store(_ document: StoredDocument) -> RemoteError? {
        guard let cache else { return nil }
        do throws(RemoteError) {
            try document.write(to: cache) { other in
                var other = other
                // A document that the program can't use, or that comes from a wrong clock, is replaced.
                guard (try? validate(&other)) != nil else { return false }
                let revisions = (other.revision ?? -.infinity, document.revision ?? -.infinity)
                if revisions.0 != revisions.1 { return revisions.0 > revisions.1 }
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
            let signed = Self.signedBytes(of: document.bytes, name: signedName, environment: environment)
            guard try verify(signed, signature) else {
                throw RemoteError(.invalidSignature, "the signature is wrong")
            }
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

extension RemoteDocument.Response: CustomReflectable {
    /// A mirror without the content, which can be secret.
    public var customMirror: Mirror {
        Mirror(self, children: ["version": document?.version as Any], displayStyle: .struct)
    }
}

extension RemoteDocument.Status: CustomReflectable {
    /// The version, the date, and the text of the error without secrets.
    public var customMirror: Mirror {
        let text = error.map { SecretText.redacted("\($0)") }
        return Mirror(
            self,
            children: ["version": version as Any, "date": date as Any, "error": text as Any], displayStyle: .struct)
    }
}

extension RemoteDocument: CustomReflectable {
    /// A mirror without the content, which can be secret.
    public var customMirror: Mirror { Mirror(self, children: ["status": status], displayStyle: .class) }
}
