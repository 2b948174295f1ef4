import AshlarAppConfig
import Foundation

/// The URLs that open an app: those with its own schemes, and web links to its hosts.
///
/// ```swift
/// var configuration = AshlarApp.Configuration()
/// configuration.links = AppLinks(schemes: ["weather"], hosts: ["weather.example"])
/// ```
///
/// | URL | route |
/// |---|---|
/// | `weather://city/oslo?units=c`, `weather:/city/oslo?units=c` | `/city/oslo?units=c` |
/// | `https://weather.example/city/oslo` | `/city/oslo` |
///
/// The configuration can add schemes and hosts as lists in `app.links.schemes` and `app.links.hosts`. If the app fetches a
/// configuration without a signature, only the hosts of the configuration that it ships are added, as they are at the
/// start. On Apple systems, declare the same schemes in Info.plist, and the hosts as associated domains.
public struct AppLinks: Hashable, Sendable {
    /// The app's own schemes, such as `weather`, regardless of case.
    public var schemes: Set<String>
    /// The hosts of the app's web links, such as `weather.example`, regardless of case.
    ///
    /// They apply to http and https with the standard port. A host with characters outside ASCII is refused with an issue of
    /// the start, which names its ASCII form, such as `xn--bcher-kva.example`.
    public var hosts: Set<String>

    /// Creates a declaration.
    public init(schemes: Set<String> = [], hosts: Set<String> = []) {
        self.schemes = schemes
        self.hosts = hosts
    }

    /// Returns the declaration with the schemes of a configuration added, and the hosts of the one that the app ships, or
    /// otherwise of the same.
    func adding(_ config: ApplicationConfig, shipped: ApplicationConfig? = nil) -> AppLinks {
        func read(_ key: String, _ config: ApplicationConfig) -> [String] {
            config.value(forKey: key, as: [String].self) ?? []
        }
        return AppLinks(
            schemes: schemes.union(read("app.links.schemes", config)),
            hosts: hosts.union(read(Self.hostsKey, shipped ?? config)))
    }

    private static let hostsKey = "app.links.hosts"

    /// Returns an issue for each host with characters outside ASCII, which no URL of a request has.
    func issues(_ config: ApplicationConfig) -> [StartupIssue] {
        let declared = hosts.sorted().map { (host: $0, place: "AppLinks") }
        let configured = (config.value(forKey: Self.hostsKey, as: [String].self) ?? []).enumerated().map {
            index, host in
            let path = ConfigPath([.key("app"), .key("links"), .key("hosts"), .index(index)])
            return (host, "\(config.explain(path).winner.map { "\($0.location)" } ?? "\(path)")")
        }
        return (declared + configured).filter { host, _ in !host.utf8.allSatisfy { $0 < 0x80 } }.map { host, place in
            // Foundation converts the host of a URL.
            let form = URLComponents(string: "https://\(host)")?.encodedHost.flatMap { $0.contains("%") ? nil : $0 }
            let hint = form.map { ", expected \($0)" } ?? ""
            return StartupIssue(
                .configuration, "the link host \(host) has characters outside ASCII\(hint) (\(place))", isError: true)
        }
    }

    /// Returns the path of a URL, with its query and fragment, or a text without a scheme unchanged.
    ///
    /// - Throws: The reason that the app doesn't open the URL.
    func path(of url: String) throws(Refusal) -> String {
        guard let colon = url.firstIndex(of: ":"), Self.isScheme(url[..<colon]) else { return url }
        let scheme = url[..<colon].lowercased()
        let rest = url[url.index(after: colon)...]
        if ["http", "https"].contains(scheme), rest.hasPrefix("//") {
            let authority = rest.dropFirst(2).prefix { !"/?#".contains($0) }
            guard hosts.contains(where: { Self.isHost($0, authority, scheme) }) else {
                throw Refusal(reason: "\(authority) is not one of the app's link hosts (app.links.hosts)")
            }
            return Self.absolute(rest.dropFirst(2 + authority.count))
        }
        guard schemes.contains(where: { $0.lowercased() == scheme }) else {
            throw Refusal(reason: "\(scheme) is not one of the app's schemes (app.links.schemes)")
        }
        return Self.absolute(rest.drop { $0 == "/" })
    }

    /// The reason that the app doesn't open a URL.
    struct Refusal: Error, CustomStringConvertible {
        let reason: String
        var description: String { reason }
    }

    private static func absolute(_ path: Substring) -> String { path.hasPrefix("/") ? String(path) : "/" + path }

    private static func isHost(_ host: String, _ authority: Substring, _ scheme: String) -> Bool {
        let port = scheme == "https" ? ":443" : ":80"
        let name = authority.lowercased()
        return name == host.lowercased() || name == host.lowercased() + port
    }

    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.first, first.isASCII, first.isLetter else { return false }
        return text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    }
}
