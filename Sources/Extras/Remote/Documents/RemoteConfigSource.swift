internal import Ashlar
public import AshlarAppConfig
internal import AshlarCore
public import AshlarNetworking
internal import Foundation

/// A configuration that is fetched from a server or another origin.
///
/// ``refresh()`` fetches a document, verifies it, stores it in the cache file, and makes it the content of the source;
/// `ConfigStore.refresh()` then also loads the plan, and a watching store loads by itself. A document that is malformed or
/// has an invalid signature is rejected: the last good one stays in use, and ``status`` has the reason.
///
/// With a cache file, the last good document is available after a restart, even if the process was killed. Like a file, a
/// document isn't compared with the settings that the plan requires before it is used: if a load fails with it, the values
/// of the store remain until a load succeeds. An app that must start in any case uses
/// `ConfigStore(loadingBestEffort:)`, as `AshlarApp` does.
///
/// An attacker can send an old document with its valid signature. To refuse it, give each document a `$revision` in its
/// root: a 64-bit integer, or a date to the nanosecond, that doesn't decrease. A document with a lower one than the last
/// good one, or without one, is rejected.
///
/// Without `verify`, a document that changes `network.pinnedKeys` or `app.links.hosts` is rejected. An attacker who can
/// change a document could otherwise remove the pins that protect against it.
///
/// ```swift
/// let remote = RemoteConfigSource("settings", cache: "/var/cache/acme/settings") { version in
///     // Send `version` as If-None-Match, and return .notModified for the status 304.
///     .document(Array(#"{"search": {}}"#.utf8), version: "\"1\"")
/// }
/// var plan = ConfigPlan(files: .memory(["ApplicationConfig.json": "{}"]))
/// plan.add(remote)
/// let store = try ConfigStore(loading: plan)
/// try await store.refresh()
/// ```
///
/// Copies of a source share their document.
public struct RemoteConfigSource: ConfigSource {
    private let document: RemoteDocument
    private let format: (any ConfigFormat)?

    /// Creates a source; its content is the document of the cache file, if there is one.
    ///
    /// - Parameters:
    ///   - name: The name of the source in explanations and errors.
    ///   - cache: The path of a file for the last good document; its folder must exist. Several processes can share a
    ///     file: the document that one of them fetched last stays in it.
    ///   - format: The format of documents; `nil` for a property list or JSON.
    ///   - signedName: The name for which documents are signed; nil for `name`.
    ///   - environment: The environment for which documents are signed.
    ///   - verify: Checks the signature of a document, such as an Ed25519 signature with a key in the program. If set,
    ///     documents without a signature are rejected. See ``signedBytes(of:name:environment:)``.
    ///   - fetch: Fetches the document; receives the current version.
    public init(
        _ name: String, cache: String? = nil, format: (any ConfigFormat)? = nil, signedName: String? = nil,
        environment: String? = nil, verify: Verification? = nil,
        fetch: @escaping @Sendable (_ version: String?) async throws -> Response
    ) {
        self.format = format
        let location = ConfigLocation(file: SecretText.redacted(name))
        document = RemoteDocument(
            name, cache: cache, signedName: signedName, environment: environment, verify: verify,
            revision: {
                let reserved = verify == nil ? ShippedSettings.paths : []
                return try ApplicationConfig.revision(of: $0, as: format, at: location, reserved: reserved)
            }, fetch: fetch)
    }

    /// Creates a source that fetches a document over HTTP with conditional requests.
    ///
    /// The version of a document is its `ETag`; the status 304 confirms the version.
    ///
    /// ```swift
    /// let client = NetworkClient(ClientConfiguration())
    /// let remote = try RemoteConfigSource(
    ///     "settings", url: "https://config.example.org/settings.json", client: client,
    ///     cache: "/var/cache/acme/settings")
    /// var plan = ConfigPlan()
    /// plan.add(remote)
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name of the source in explanations and errors.
    ///   - url: The URL of the document.
    ///   - client: The client that fetches the document.
    ///   - cache: The path of a file for the last good document; its folder must exist.
    ///   - format: The format of documents; `nil` for a property list or JSON.
    ///   - signatureField: The name of the response field that contains the signature of the document in Base64.
    ///   - signedName: The name for which documents are signed; nil for `name`.
    ///   - environment: The environment for which documents are signed.
    ///   - verify: Checks the signature of a document; documents without a signature are then rejected.
    /// - Throws: `NetworkError` if the URL is malformed, or if it is an `http` URL of another machine and `verify` is nil.
    public init(
        _ name: String, url: String, client: NetworkClient, cache: String? = nil, format: (any ConfigFormat)? = nil,
        signatureField: String = "Content-Signature", signedName: String? = nil, environment: String? = nil,
        verify: Verification? = nil
    ) throws(NetworkError) {
        let fetch = try RemoteDocument.fetch(url, by: client, signatureField: signatureField, isSigned: verify != nil)
        self.init(
            name, cache: cache, format: format, signedName: signedName, environment: environment, verify: verify,
            fetch: fetch)
    }

    /// The name of the source in explanations and errors.
    public var name: String { document.name }

    /// The state of the source; its error is a `ConfigError`.
    public var status: Status {
        var status = document.status
        status.error = status.error.map { configError($0) }
        return status
    }

    /// Fetches the document, stores it, and makes it the content of the source; watching stores then load again.
    ///
    /// - Throws: `ConfigError` if the fetch fails or the document is rejected; the content doesn't change.
    public func refresh() async throws {
        do {
            try await document.refresh()
        } catch {
            throw configError(error)
        }
    }

    /// Refreshes the source at once and at intervals until the task is cancelled; failures are in ``status``.
    ///
    /// - Parameters:
    ///   - interval: The mean time between two refreshes.
    ///   - jitter: The part of the interval, from 0 to 1, by which pauses vary at random, so that clients spread.
    ///   - clock: The clock that measures the pauses.
    public func refresh<C: Clock>(
        every interval: Duration, jitter: Double = 0.1, clock: C = ContinuousClock()
    ) async where C.Duration == Duration {
        await RemoteDocument.atIntervals(interval, jitter: jitter, clock: clock) { _ = try? await document.refresh() }
    }

    /// The last good document.
    public func content() -> ConfigSourceContent {
        guard let current = document.current else { return .missing }
        var content = ConfigSourceContent.bytes(current.bytes, format: format)
        content.location = ConfigLocation(file: shownName)
        content.date = { [document] in document.date(of: current) }
        return content
    }

    /// A stream with an element for each new document.
    public func changes() -> AsyncStream<Void>? { document.changes() }

    private func configError(_ error: any Error) -> ConfigError {
        let location = ConfigLocation(file: shownName)
        var failure: ConfigError
        switch error {
        case let error as ConfigError: return .reading(error, of: location)
        case let error as RemoteError:
            let isMalformed = [.invalidSignature, .damagedCache, .outdated].contains(error.code)
            failure = ConfigError(
                isMalformed ? .malformedSource : .unreadableSource,
                location: error.file.map { ConfigLocation(file: $0, name: shownName) } ?? location,
                reason: error.reason)
        case let error as NetworkError:
            // The client hides secrets in the text of its errors.
            failure = ConfigError(.unreadableSource, location: location, reason: "\(error)")
        default:
            // The text of an error of another type can quote a secret.
            let cause = SecretText.redacted(String("\(error)".prefix(300)))
            failure = ConfigError(.unreadableSource, location: location, reason: "the fetch failed: \(cause)")
        }
        failure.underlying = error
        return failure
    }
}

extension RemoteConfigSource: CustomStringConvertible, CustomReflectable {
    /// The name without credentials.
    public var description: String { shownName }

    /// A mirror without the content, which can be secret.
    public var customMirror: Mirror { Mirror(self, children: ["status": status], displayStyle: .struct) }
}
