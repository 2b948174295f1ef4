internal import AshlarCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A document that a closure of the program fetches from a server or another origin.
///
/// Fetching and activating are separate: ``fetch()`` checks a new document and holds it, and ``activate()`` makes it
/// the content of the source, so values change only when the program is ready. ``ConfigStore/refresh()`` does both. A
/// document that is malformed, has an invalid signature, or makes the plan fail is rejected: the last good document
/// stays active, and ``status`` has the reason.
///
/// With a cache file, the last good document is available after a restart, even if the process was killed.
///
/// ```swift
/// let remote = RemoteConfigSource("flags", cache: "/var/cache/acme/flags") { version in
///     // Send `version` as If-None-Match, and return .notModified for the status 304.
///     .document(Array(#"{"flags": {}}"#.utf8), version: "\"1\"")
/// }
/// var plan = ConfigPlan(files: .memory(["ApplicationConfig.json": "{}"]))
/// plan.add(remote)
/// let store = try ConfigStore(loading: plan)
/// try await store.refresh()
/// ```
public final class RemoteConfigSource: ConfigSource {
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

    /// The state of a source.
    public struct Status: Sendable {
        /// The version of the active document.
        public let version: String?
        /// The time at which the active document was fetched or confirmed by the server; `nil` without a document.
        public let date: Date?
        /// Whether a fetched document waits to be activated, or to be used by a load.
        public let isWaiting: Bool
        /// The latest failure of a fetch, of a rejected document, or of the cache file.
        public let error: ConfigError?
    }

    private struct State {
        var active: RemoteDocument?
        var waiting: RemoteDocument?
        /// The activated document that no load has used yet, with the ticket of its content.
        var candidate: (document: RemoteDocument, ticket: Int)?
        var tickets = 0
        var error: ConfigError?
        /// The number of the latest fetch that began, and of the latest whose response was used.
        var begun = 0
        var finished = 0
        var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    }

    /// The name of the source in explanations and errors.
    public let name: String
    private let cache: String?
    private let format: (any ConfigFormat)?
    private let verify: (@Sendable ([UInt8], [UInt8]) throws -> Bool)?
    private let request: @Sendable (String?) async throws -> Response
    private let state = Mutex(State())

    /// Creates a source; its content is the document of the cache file, if there is one.
    ///
    /// - Parameters:
    ///   - name: The name of the source in explanations and errors.
    ///   - cache: The path of a file for the last good document; its folder must exist. Several processes can share a
    ///     file: the document that one of them fetched last stays in it.
    ///   - format: The format of documents; `nil` for a property list or JSON.
    ///   - verify: Checks the signature of a document, such as an Ed25519 signature with a key in the program. If set,
    ///     documents without a signature are rejected.
    ///   - fetch: Fetches the document; receives the current version.
    public init(
        _ name: String, cache: String? = nil, format: (any ConfigFormat)? = nil,
        verify: (@Sendable (_ document: [UInt8], _ signature: [UInt8]) throws -> Bool)? = nil,
        fetch: @escaping @Sendable (_ version: String?) async throws -> Response
    ) {
        (self.name, self.cache, self.format, self.verify, request) = (name, cache, format, verify, fetch)
        guard let cache else { return }
        do throws(ConfigError) {
            let location = ConfigLocation(file: cache, name: shownName)
            guard let bytes = try ConfigFileReading.bytes(of: location, limit: ConfigLimits().bytes) else { return }
            guard let document = RemoteDocument(file: bytes) else {
                throw ConfigError(
                    .malformedSource, location: location, reason: "the cache file is not a whole document")
            }
            try check(document)
            state.withLock { $0.active = document }
        } catch {
            state.withLock { $0.error = error }
        }
    }

    /// The state of the source.
    public var status: Status {
        state.withLock { state in
            Status(
                version: state.active?.version,
                date: state.active.map { Date(timeIntervalSinceReferenceDate: $0.date) },
                isWaiting: state.waiting != nil || state.candidate != nil, error: state.error)
        }
    }

    /// Fetches the document and holds it until activation.
    ///
    /// - Returns: Whether a new document waits for activation.
    /// - Throws: ``ConfigError`` if the fetch fails or the document is rejected; the active document doesn't change.
    @discardableResult
    public func fetch() async throws(ConfigError) -> Bool {
        let (number, known) = state.withLock { state in
            state.begun += 1
            return (state.begun, state.waiting ?? state.candidate?.document ?? state.active)
        }
        do {
            let response = try await request(known?.version)
            let now = Date().timeIntervalSinceReferenceDate
            var document: RemoteDocument?
            if let (bytes, version, signature) = response.document {
                let new = RemoteDocument(bytes: bytes, version: version, signature: signature, date: now)
                try check(new)
                document = new.bytes == known?.bytes && version == known?.version ? nil : new
            }
            return state.withLock { state in
                // A response that comes after that of a later fetch is old.
                guard number > state.finished else { return state.waiting != nil }
                (state.finished, state.error) = (number, nil)
                if let document {
                    state.waiting = document
                } else if state.waiting != nil {
                    state.waiting?.date = now
                } else if state.candidate != nil {
                    state.candidate?.document.date = now
                } else {
                    state.active?.date = now
                }
                return state.waiting != nil
            }
        } catch {
            let problem = ConfigError.reading(error, of: ConfigLocation(file: shownName), .unreadableSource)
            state.withLock { if number > $0.finished { $0.error = problem } }
            throw problem
        }
    }

    /// Makes a waiting document the content of the source; watching stores then load again.
    ///
    /// The document becomes active, and is stored in the cache file, with the first load that succeeds with it. It
    /// waits while another source of the plan can't be read.
    ///
    /// - Returns: Whether a document was waiting.
    @discardableResult
    public func activate() -> Bool {
        let listeners = state.withLock { state -> [AsyncStream<Void>.Continuation]? in
            guard let document = state.waiting else { return nil }
            state.tickets += 1
            (state.candidate, state.waiting) = ((document, state.tickets), nil)
            return Array(state.listeners.values)
        }
        for listener in listeners ?? [] { listener.yield() }
        return listeners != nil
    }

    /// Fetches and activates the document.
    public func refresh() async throws {
        try await fetch()
        activate()
    }

    /// Refreshes the source at intervals until the task is cancelled; failures are in ``status``.
    ///
    /// - Parameters:
    ///   - interval: The mean time between two refreshes.
    ///   - jitter: The part of the interval, from 0 to 1, by which pauses vary at random, so that clients spread.
    ///   - clock: The clock that measures the pauses.
    public func refresh<C: Clock>(
        every interval: Duration, jitter: Double = 0.1, clock: C = ContinuousClock()
    ) async where C.Duration == Duration {
        let jitter = jitter >= 0 ? min(jitter, 1) : 0
        while !Task.isCancelled {
            do {
                try await clock.sleep(for: interval * (1 + Double.random(in: -jitter...jitter)))
            } catch {
                return
            }
            _ = try? await refresh()
        }
    }

    /// The active document, or the one that was activated last.
    public func content() -> ConfigSourceContent {
        let found = state.withLock { state in
            state.candidate.map { ($0.document, $0.ticket) } ?? state.active.map { ($0, 0) }
        }
        guard let (document, ticket) = found else { return .missing }
        var content = ConfigSourceContent.bytes(document.bytes, format: format)
        content.location = ConfigLocation(file: shownName)
        content.date = Date(timeIntervalSinceReferenceDate: document.date)
        content.version = document.version
        content.ticket = ticket
        return content
    }

    /// A stream with an element for each activation.
    public func changes() -> AsyncStream<Void>? {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.tickets += 1
            state.listeners[state.tickets] = continuation
            return state.tickets
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.listeners.removeValue(forKey: number) }
        }
        return stream
    }

    /// Accepts the document that a load used, or returns to the last good one.
    public func settle(_ content: ConfigSourceContent, error: ConfigError?) {
        let accepted = state.withLock { state -> RemoteDocument? in
            guard let candidate = state.candidate, candidate.ticket == content.ticket else { return nil }
            state.candidate = nil
            if let error {
                var rejection = ConfigError(
                    .malformedSource, location: ConfigLocation(file: shownName), reason: "the document was rejected")
                rejection.problems = error.problems.isEmpty ? [error] : error.problems
                rejection.underlying = error
                state.error = rejection
                return nil
            }
            state.active = candidate.document
            return candidate.document
        }
        guard let accepted, let cache else { return }
        do throws(FileFailure) {
            try accepted.write(to: cache, now: Date().timeIntervalSinceReferenceDate) { other in
                do throws(ConfigError) {
                    try check(other)
                    return true
                } catch {
                    return false
                }
            }
        } catch {
            let problem = ConfigError(
                .unreadableSource, location: ConfigLocation(file: cache, name: shownName),
                reason: "cannot write the cache file: \(error)")
            state.withLock { $0.error = problem }
        }
    }

    /// Throws if a document has a wrong signature or is malformed.
    private func check(_ document: RemoteDocument) throws(ConfigError) {
        let location = ConfigLocation(file: shownName)
        if let verify {
            var isRight = false
            if let signature = document.signature {
                do {
                    isRight = try verify(document.bytes, signature)
                } catch {
                    throw .reading(error, of: location)
                }
            }
            if !isRight {
                throw ConfigError(
                    .malformedSource, location: location,
                    reason: document.signature == nil ? "the document has no signature" : "the signature is wrong")
            }
        }
        _ = try ConfigLoader.read(document.bytes, format, ConfigReaderContext(location: location))
    }
}
