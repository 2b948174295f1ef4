import AshlarAppConfig
public import AshlarCustomization
import AshlarNetworking

/// The files that an app fetches from servers: configuration, host map and texts.
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
/// At the start, the app uses the files that it fetched last, or those that it ships. ``AshlarApp/refresh()`` fetches them.
public struct RemoteFiles: Sendable {
    /// The folder of the last good files; it must exist.
    public var cache: String
    /// The URL of a configuration, a property list or JSON; it lies over the files of the app.
    public var configuration: String?
    /// The URL of a host map, which replaces that of the app.
    public var hostMap: String?
    /// The URL of an update of texts; see `CustomizationUpdate`.
    public var texts: String?
    /// Decides whether the signature of a configuration, in the response's field `Content-Signature`, or that of texts
    /// belongs to the bytes.
    ///
    /// A configuration or texts without a signature are then rejected. Host maps are not signed.
    public var verify: CustomizationUpdate.Verification?

    /// Creates a description without files.
    public init(cache: String) { self.cache = cache }
}

/// The fetched files of an app.
struct RemoteParts: Sendable {
    let configuration: RemoteConfigSource?
    let hostMap: RemoteFile?
    let texts: RemoteFile?

    /// The source of the configuration, for a plan.
    static func source(
        _ files: RemoteFiles?, client: NetworkClient, issues: inout [StartupIssue]
    ) -> RemoteConfigSource? {
        guard let files, let url = files.configuration else { return nil }
        do throws(NetworkError) {
            let source = try RemoteConfigSource(
                "remote", url: url, client: client, cache: files.cache + "/configuration", verify: files.verify)
            if let error = source.status.error { issues.append(StartupIssue(.configuration, error)) }
            return source
        } catch {
            issues.append(StartupIssue(.configuration, error, isError: true))
            return nil
        }
    }

    init(
        _ files: RemoteFiles?, configuration: RemoteConfigSource?, hosts: HostSwitch, texts center: CustomizationCenter,
        client: NetworkClient, issues: inout [StartupIssue]
    ) {
        self.configuration = configuration
        func make(
            _ part: StartupIssue.Part, _ url: String?, _ body: (String) throws(NetworkError) -> RemoteFile
        ) -> RemoteFile? {
            guard let url else { return nil }
            do throws(NetworkError) {
                return try body(url)
            } catch {
                issues.append(StartupIssue(part, error, isError: true))
                return nil
            }
        }
        let cache = files?.cache ?? ""
        hostMap = make(.hosts, files?.hostMap) { url throws(NetworkError) in
            try hosts.remoteMap(url, client: client, cache: cache + "/hosts")
        }
        texts = make(.customization, files?.texts) { url throws(NetworkError) in
            let store = CustomizationUpdateStore(folder: cache + "/texts", verify: files?.verify)
            return try center.remoteTexts(url, client: client, store: store, cache: cache + "/texts.cache")
        }
    }
}
