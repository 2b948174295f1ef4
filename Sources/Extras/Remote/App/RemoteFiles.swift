public import Ashlar
internal import AshlarAppConfig
internal import AshlarLogging
internal import AshlarNetworking

/// The configuration that an app fetches from a server.
///
/// ```swift
/// var configuration = AshlarApp.Configuration(resources: "Resources")
/// configuration.remote = RemoteFiles(cache: "/var/cache/acme")
/// configuration.remote?.configuration = "https://config.example.org/app.json"
/// let app = AshlarApp(configuration)
/// for issue in await app.refresh() { print(issue) }
/// ```
///
/// At the start, the app uses the configuration that it fetched last, over the files that it ships. `AshlarApp.refresh()`
/// fetches it.
public struct RemoteFiles: Sendable {
    /// The folder of the last good configuration; it must exist.
    public var cache: String
    /// The URL of a configuration, a property list or JSON; it lies over the files of the app.
    ///
    /// Without ``verify``, it is an `https` URL or one of this machine. The pins of the files that the app ships apply to
    /// the requests for it.
    public var configuration: String?
    /// The environment whose configuration the app accepts, such as `production`; signatures cover it.
    public var environment: String?
    /// Decides whether a signature belongs to the signed bytes.
    ///
    /// The signature is in the response's field `Content-Signature`. A configuration without a signature is then rejected.
    /// If this is nil, a configuration that changes `network.pinnedKeys` or `app.links.hosts` is rejected.
    /// The name of the signed document is `configuration`; see ``RemoteConfigSource/signedBytes(of:name:environment:)``.
    public var verify: RemoteConfigSource.Verification?

    /// Creates a description without files.
    public init(cache: String) { self.cache = cache }
}

extension AshlarApp.Configuration {
    /// The configuration that the app fetches from a server; nil for none.
    public var remote: RemoteFiles? {
        get { additions.lazy.compactMap { $0 as? RemoteFiles }.first }
        set {
            additions.removeAll { $0 is RemoteFiles }
            if let newValue { additions.insert(newValue, at: 0) }
        }
    }
}

extension AshlarApp {
    /// Fetches the configuration of `Configuration.remote` and uses it.
    ///
    /// - Returns: An issue if the configuration could not be fetched or was rejected; the one in use then remains.
    @discardableResult
    public func refresh() async -> [StartupIssue] {
        guard additions.contains(where: { ($0 as? RemoteParts)?.source != nil }) else { return [] }
        do {
            try await config.refresh()
            return []
        } catch {
            return [StartupIssue(.configuration, error, isError: true)]
        }
    }

    /// Fetches the configuration at once and at intervals until the task is cancelled, and logs failures.
    ///
    /// - Parameters:
    ///   - interval: The mean time between two refreshes. Each pause differs from it by up to a tenth at random, so that
    ///     the requests of many apps spread.
    ///   - clock: The clock that measures the pauses.
    public func refresh<C: Clock>(every interval: Duration, clock: C = ContinuousClock()) async
    where C.Duration == Duration {
        await RemoteDocument.atIntervals(interval, jitter: 0.1, clock: clock) {
            for issue in await self.refresh() { Log("remote").warning("\(issue)") }
        }
    }
}

extension RemoteFiles: AppAddition {
    package func started(client: NetworkClient, issues: inout [StartupIssue]) -> any StartedAddition {
        RemoteParts(self, client: client, issues: &issues)
    }
}

/// The fetched configuration of an app.
struct RemoteParts: StartedAddition {
    let source: (any ConfigSource)?
    let isSigned: Bool

    init(_ files: RemoteFiles, client: NetworkClient, issues: inout [StartupIssue]) {
        isSigned = files.verify != nil
        do throws(NetworkError) {
            let configuration = try files.configuration.map { url throws(NetworkError) in
                try RemoteConfigSource(
                    "remote", url: url, client: client, cache: files.cache + "/configuration",
                    signedName: "configuration", environment: files.environment, verify: files.verify)
            }
            source = configuration
            if let error = configuration?.status.error { issues.append(StartupIssue(.configuration, error)) }
        } catch {
            source = nil
            issues.append(StartupIssue(.configuration, error, isError: true))
        }
    }
}
