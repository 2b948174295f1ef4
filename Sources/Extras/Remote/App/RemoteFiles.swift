public import Ashlar
internal import AshlarAppConfig
internal import AshlarCore
internal import AshlarLogging
internal import AshlarNetworking

/// The files that an app fetches from servers: configuration and host map.
///
/// ```swift
/// var configuration = AshlarApp.Configuration(resources: "Resources")
/// configuration.remote = RemoteFiles(cache: "/var/cache/acme")
/// configuration.remote?.configuration = "https://config.example.org/app.json"
/// configuration.remote?.hostMap = "https://config.example.org/HostMap.json"
/// let app = AshlarApp(configuration)
/// for issue in await app.refresh() { print(issue) }
/// ```
///
/// At the start, the app uses the files that it fetched last, or those that it ships. `AshlarApp.refresh()` fetches them.
public struct RemoteFiles: Sendable {
    /// The folder of the last good files; it must exist.
    public var cache: String
    /// The URL of a configuration, a property list or JSON; it lies over the files of the app.
    public var configuration: String?
    /// The URL of a host map, which replaces that of the app.
    public var hostMap: String?
    /// The environment whose files the app accepts, such as `production`; signatures cover it.
    public var environment: String?
    /// Decides whether the signature of a file belongs to the signed bytes.
    ///
    /// The signature is in the response's field `Content-Signature`. Files without a signature are then rejected. The names
    /// of the signed documents are `configuration` and `hosts`; see ``RemoteDocument/signedBytes(of:name:environment:)``.
    public var verify: RemoteDocument.Verification?

    /// Creates a description without files.
    public init(cache: String) { self.cache = cache }
}

extension AshlarApp.Configuration {
    /// The files that the app fetches from servers; nil for none.
    public var remote: RemoteFiles? {
        get { additions.lazy.compactMap { $0 as? RemoteFiles }.first }
        set {
            additions.removeAll { $0 is RemoteFiles }
            if let newValue { additions.insert(newValue, at: 0) }
        }
    }
}

extension AshlarApp {
    /// Fetches the files of `Configuration.remote` and uses them.
    ///
    /// The files are fetched at the same time. A file that fails leaves the one in use.
    ///
    /// - Returns: An issue for each file that could not be fetched or was rejected.
    @discardableResult
    public func refresh() async -> [StartupIssue] {
        guard let remote = additions.lazy.compactMap({ $0 as? RemoteParts }).first else { return [] }
        async let configuration = Self.issue(.configuration, remote.configuration != nil) {
            try await self.config.refresh()
        }
        async let hostMap = Self.issue(.hosts, remote.hostMap != nil) { try await remote.hostMap?.refresh() }
        return await [configuration, hostMap].compactMap(\.self)
    }

    /// Fetches the files at once and at intervals until the task is cancelled, and logs failures.
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

    private static func issue(
        _ part: StartupIssue.Part, _ exists: Bool, _ body: @Sendable () async throws -> Void
    ) async -> StartupIssue? {
        guard exists else { return nil }
        do {
            try await body()
            return nil
        } catch {
            return StartupIssue(part, error, isError: true)
        }
    }
}

extension RemoteFiles: AppAddition {
    package func started(client: NetworkClient, issues: inout [StartupIssue]) -> any StartedAddition {
        RemoteParts(self, client: client, issues: &issues)
    }
}

/// The fetched files of an app.
final class RemoteParts: StartedAddition {
    let configuration: RemoteConfigSource?
    var hostMap: RemoteDocument? { document.withLock { $0 } }

    private let files: RemoteFiles
    private let client: NetworkClient
    private let document = Mutex<RemoteDocument?>(nil)

    init(_ files: RemoteFiles, client: NetworkClient, issues: inout [StartupIssue]) {
        self.files = files
        self.client = client
        configuration = Self.make(.configuration, at: files.configuration, issues: &issues) {
            url throws(NetworkError) in
            try RemoteConfigSource(
                "remote", url: url, client: client, cache: files.cache + "/configuration", signedName: "configuration",
                environment: files.environment, verify: files.verify)
        }
        if let error = configuration?.status.error { issues.append(StartupIssue(.configuration, error)) }
    }

    var source: (any ConfigSource)? { configuration }

    func use(hosts: HostSwitch, issues: inout [StartupIssue]) {
        let hostMap = Self.make(.hosts, at: files.hostMap, issues: &issues) { url throws(NetworkError) in
            try hosts.remoteMap(
                url, client: client, cache: files.cache + "/hosts", environment: files.environment, verify: files.verify
            )
        }
        document.withLock { $0 = hostMap }
    }

    private static func make<Document>(
        _ part: StartupIssue.Part, at url: String?, issues: inout [StartupIssue],
        _ body: (String) throws(NetworkError) -> Document
    ) -> Document? {
        guard let url else { return nil }
        do throws(NetworkError) {
            return try body(url)
        } catch {
            issues.append(StartupIssue(part, error, isError: true))
            return nil
        }
    }
}
