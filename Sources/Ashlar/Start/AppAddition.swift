package import AshlarAppConfig
package import AshlarNetworking

/// Files that another product adds to the start of an app, such as those from a server.
package protocol AppAddition: Sendable {
    /// Opens the files before the configuration is loaded.
    ///
    /// - Parameters:
    ///   - client: A client that ignores the selection of hosts, so that a new file can correct it.
    ///   - issues: The issues of the start.
    /// - Returns: The opened files, which the app retains.
    func started(client: NetworkClient, issues: inout [StartupIssue]) -> any StartedAddition
}

/// The opened files of an ``AppAddition``.
package protocol StartedAddition: Sendable {
    /// A source over the files of the app's configuration.
    var source: (any ConfigSource)? { get }

    /// Whether the content of `source` is signed, so that it can replace the pins that the app ships.
    var isSigned: Bool { get }
}

extension StartedAddition {
    package var isSigned: Bool { false }
}

/// The settings that protect an app against its network, which a document without a signature must not change.
package enum ShippedSettings {
    package static let paths: [ConfigPath] = ["network.pinnedKeys", "app.links.hosts"]
}
