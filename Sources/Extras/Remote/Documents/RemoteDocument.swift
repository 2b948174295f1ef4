internal import AshlarAppConfig
internal import AshlarCore
public import AshlarNetworking
internal import AshlarTrees
public import Foundation

/// A document from a server: fetched, checked, used, and stored for the next start.
///
/// A document is fetched with the version of the last one, so that a server can confirm it without sending it again. A
/// document that can't be fetched, has a wrong signature, or isn't accepted by the program changes nothing: the last
/// accepted one stays in use, and ``status`` has the reason. The last accepted document is stored in the cache file, so
/// that the next start uses it before the first fetch, even if the process was killed.
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
        /// The time at which the accepted document was fetched or confirmed by the server; `nil` without a document.
        public let date: Date?
        /// Whether a fetched document waits to be activated, or to be used by a load.
        public let isWaiting: Bool
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

    struct State {
        var accepted: StoredDocument?
        /// Whether the accepted document was stored by an earlier run and hasn't been used since.
        var isStored = false
        /// The fetched document that waits for its activation.
        var waiting: StoredDocument?
        /// The activated document that hasn't been accepted or rejected yet, and its number.
        var candidate: (document: StoredDocument, number: Int)?
        var lastNumber = 0
        /// The errors of rejected documents by their numbers, until their refresh ends.
        var rejections: [Int: any Error] = [:]
        /// The numbers of the documents that are being stored, and the refreshes that wait for it.
        var stored: Set<Int> = []
        var waiters: [CheckedContinuation<Void, Never>] = []
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
    let cache: String?
    private let signedName: String
    private let environment: String?
    private let verify: Verification?
    private let check: @Sendable ([UInt8]) throws -> Double?
    private let use: (@Sendable ([UInt8]) throws -> Void)?
    private let request: @Sendable (String?) async throws -> Response
    let state = Mutex(State())
    /// The number of activations.
    let announcements = Broadcast(0)
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
            name, cache: cache, environment: environment, verify: verify, check: { _ in nil }, use: use,
            usesStored: true, fetch: fetch)
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

    /// Creates a document that `check` rejects by an error if its content is malformed; otherwise it returns the revision.
    ///
    /// If `use` is nil, another object activates the document and settles it. If `usesStored` is false, the stored copy
    /// is in use already.
    init(
        _ name: String, cache: String?, signedName: String? = nil, environment: String? = nil, verify: Verification?,
        check: @escaping @Sendable ([UInt8]) throws -> Double?,
        use: (@Sendable ([UInt8]) throws -> Void)?, usesStored: Bool,
        fetch: @escaping @Sendable (_ version: String?) async throws -> Response
    ) {
        self.name = name
        self.cache = cache
        self.signedName = signedName ?? name
        self.environment = environment
        self.verify = verify
        self.check = check
        self.use = use
        request = fetch
        guard let cache else { return }
        do {
            guard var document = try StoredDocument(path: cache) else { return }
            try validate(&document)
            if usesStored { try use?(document.bytes) }
            state.withLock { state in
                state.accepted = document
                state.isStored = use == nil
            }
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
            Status(
                version: state.accepted?.version,
                date: state.accepted.map { Date(timeIntervalSinceReferenceDate: $0.date) },
                isWaiting: state.waiting != nil || state.candidate != nil, error: state.error)
        }
    }

    // MARK: Fetching

    /// Fetches the document and uses it, unless it is the one in use.
    ///
    /// - Returns: Whether a new document is in use.
    /// - Throws: The error of the fetch, of the signature, or of the program that rejected the document.
    @discardableResult
    public func refresh() async throws -> Bool {
        try await fetch()
        return try await queue.run { [self] in
            guard let (bytes, number) = activate() else { return false }
            announce()
            guard let use else { return true }
            let isNew = state.withLock { $0.accepted?.bytes } != bytes
            do {
                if isNew { try use(bytes) }
                settle(number, error: nil)
                return isNew
            } catch {
                settle(number, error: error)
                state.withLock { $0.rejections[number] = nil }
                throw error
            }
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

    /// Fetches the document and holds it until its activation; returns whether a new document waits.
    @discardableResult
    func fetch() async throws -> Bool {
        let (number, known) = state.withLock { state in
            state.begun += 1
            return (state.begun, state.waiting ?? state.candidate?.document ?? state.accepted)
        }
        do {
            let response = try await request(known?.version)
            let now = Date().timeIntervalSinceReferenceDate
            var document: StoredDocument?
            if let (bytes, version, signature) = response.document {
                var new = StoredDocument(bytes: bytes, version: version, signature: signature, date: now)
                try validate(&new)
                try checkRevision(of: new)
                document = new.bytes == known?.bytes && version == known?.version ? nil : new
            }
            return state.withLock { state in
                // A response that comes after that of a later fetch is old.
                guard number > state.finished else { return state.waiting != nil }
                state.finished = number
                state.error = nil
                if let document {
                    state.waiting = document
                } else if state.waiting != nil {
                    state.waiting?.date = now
                } else if state.candidate != nil {
                    state.candidate?.document.date = now
                } else {
                    state.accepted?.date = now
                }
                return state.waiting != nil
            }
        } catch {
            state.withLock { if number > $0.finished { $0.error = error } }
            throw error
        }
    }

    /// Throws if a document has a wrong signature or is malformed; otherwise reads its revision.
    func validate(_ document: inout StoredDocument) throws {
        if let verify {
            guard let signature = document.signature else {
                throw RemoteError(.invalidSignature, "the document has no signature")
            }
            let signed = Self.signedBytes(of: document.bytes, name: signedName, environment: environment)
            guard try verify(signed, signature) else {
                throw RemoteError(.invalidSignature, "the signature is wrong")
            }
        }
        document.revision = try check(document.bytes)
    }

    /// Throws if a document is older than the accepted one, whose signature is also valid.
    private func checkRevision(of document: StoredDocument) throws {
        guard let known = state.withLock({ $0.accepted?.revision }) else { return }
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
            children: ["version": version as Any, "date": date as Any, "isWaiting": isWaiting, "error": text as Any],
            displayStyle: .struct)
    }
}

extension RemoteDocument: CustomReflectable {
    /// A mirror without the content, which can be secret.
    public var customMirror: Mirror { Mirror(self, children: ["status": status], displayStyle: .class) }
}
